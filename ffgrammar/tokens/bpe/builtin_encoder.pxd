"""The encoder of the embedded encodings."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.bpe.ids cimport BpeStatus, Ids
from ffgrammar.tokens.bpe.pretoken_encoder cimport PretokenEncoder
from ffgrammar.tokens.pretokenize.builtin cimport CharClasses, Splitter


cdef class BuiltinEncoder(PretokenEncoder):
    cdef readonly Splitter splitter
    cdef CharClasses classes

    # Append the ids of text[:count], of which text[:valid] is UTF-8: see `encode`. Returns BPE_OK, BPE_NO_BYTE or
    # BPE_NO_MEMORY.
    cdef BpeStatus _encode(
        self, const uint8_t* text, size_t count, size_t valid, Ids* out
    ) noexcept nogil

    # The index of the first token that is taken back if the next bytes are not UTF-8: see `encode`. `first` is the index of the
    # first token of the text, and `last_pretoken` that of the first token of the last pre-token.
    cdef size_t _unstable_from(self, const Ids* ids, size_t first, size_t last_pretoken) noexcept nogil

    # Whether a token is spaces, line feeds and tabs only.
    cdef bint _is_blank(self, uint32_t token) noexcept nogil
