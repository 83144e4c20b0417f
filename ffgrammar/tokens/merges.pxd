"""Which two tokens the merges of byte-pair encoding leave side by side."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.trie cimport TokenTrie

cdef enum:
    # what takes the place of a part where a token has none
    WHOLE = 0xFFFFFFFF      # a single byte, or what the vocabulary's merges begin with
    UNKNOWN = 0xFFFFFFFE    # not looked for yet
    UNREACHED = 0xFFFFFFFD  # its bytes give other tokens


cdef class Merges:
    cdef readonly TokenTrie trie
    # by token: the parts of its last merge
    cdef uint32_t* left
    cdef uint32_t* right
    cdef uint8_t* wild  # whether its merges do not come in the order of ranks

    # Find the parts of a token. -1 if there is no memory.
    cdef int split(self, uint32_t token) noexcept nogil

    # Whether a token's bytes give that token. -1 if there is no memory.
    cdef int reached(self, uint32_t token) noexcept nogil

    # Whether the merges leave two tokens, each of which is reached, as they are when they stand side by side in a piece. -1 if
    # there is no memory. The second one does so with the bytes of both in a row.
    cdef int pair(self, uint32_t one, uint32_t other) noexcept nogil
    cdef bint is_late(self, uint32_t part, uint32_t token) noexcept nogil
    cdef int merged_apart(self, const uint8_t* text, uint32_t border, uint32_t count) noexcept nogil
    cdef int side_by_side(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil
