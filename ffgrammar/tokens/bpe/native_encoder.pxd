"""The encoder of a tokenizer whose pre-tokenizer and merges are known."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t

from ffgrammar.tokens.bpe.ids cimport BpeStatus, Ids
from ffgrammar.tokens.bpe.pretoken_encoder cimport PretokenEncoder
from ffgrammar.tokens.pretokenize.table cimport PretokenTable


cdef class NativeEncoder(PretokenEncoder):
    cdef readonly PretokenTable pretokens
    cdef readonly bint whole_pretokens

    # The tokens, as a list, of those pre-tokens of a UTF-8 text that end at the offset `stop` or before. Raises TokenizerError
    # if a byte has no token, and MemoryError.
    cdef list encode_until(self, bytes text, size_t stop)

    # Append the tokens of those pre-tokens of text[:count], which is UTF-8, that end at the offset `stop` or before. Sets `end`
    # to where the last of these pre-tokens ends. Returns BPE_OK, BPE_NO_BYTE, BPE_NO_MEMORY or BPE_INTERRUPTED.
    cdef BpeStatus encode_pretokens(
        self, const uint8_t* text, size_t count, size_t stop, Ids* out, size_t* end) noexcept nogil

    # Append the tokens of text[:count], of which text[:valid] is UTF-8: see `encode_open`. Returns as `encode_pretokens`.
    cdef BpeStatus encode_all(self, const uint8_t* text, size_t count, size_t valid, Ids* out) noexcept nogil
