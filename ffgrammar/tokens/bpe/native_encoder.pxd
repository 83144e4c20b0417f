"""Encoding by a tokenizer's rules."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t

from ffgrammar.tokens.bpe.merge_loop cimport BpeStatus, Ids
from ffgrammar.tokens.canonical.rules cimport CanonicalRules

# Append the tokens of the pre-tokens of a UTF-8 text that end at `stop` or before; `begun` is where the first pre-token begins
# that does not.
cdef BpeStatus encode_pretokens(
    CanonicalRules rules, const uint8_t* text, size_t count, size_t stop, Ids* out, size_t* begun
) noexcept nogil
cdef list listed(BpeStatus status, Ids* ids)
