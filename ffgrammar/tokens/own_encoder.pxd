"""Encoding by a tokenizer's rules."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t

from ffgrammar.tokens.bpe cimport BpeStatus, Ids
from ffgrammar.tokens.canon cimport CanonRules

# Append the tokens of the pieces of a UTF-8 text that end at `stop` or before; `begun` is where the first piece begins that does
# not.
cdef BpeStatus encode_pieces(
    CanonRules rules, const uint8_t* text, size_t count, size_t stop, Ids* out, size_t* begun
) noexcept nogil
cdef list listed(BpeStatus status, Ids* ids)
