"""The merge loop of a byte-pair encoding whose ranks are its token ids."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.pretokenize.builtin cimport CharClasses, Splitter
from ffgrammar.tokens.vocabulary.trie cimport TokenIndex, TokenTrie

cdef struct Ids:
    # a growable array of token ids
    uint32_t* items
    size_t count
    size_t room


cdef enum BpeStatus:
    BPE_OK = 0
    BPE_NO_MEMORY = 1
    BPE_NO_BYTE = 2  # a byte of the pre-token is no token of its own


cdef BpeStatus bpe_piece(const TokenIndex* index, const uint8_t* text, size_t count, Ids* out) noexcept nogil


cdef class BpeEncoder:
    cdef readonly TokenTrie trie
    cdef readonly Splitter splitter

    cdef BpeStatus _encode(
        self, CharClasses classes, const uint8_t* text, size_t count, size_t valid, Ids* out
    ) noexcept nogil
    cdef size_t _unstable_from(self, const Ids* ids, size_t last_piece) noexcept nogil
    cdef bint _is_blank(self, uint32_t token) noexcept nogil
