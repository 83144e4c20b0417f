"""Token ids of a row, and the text that they spell."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    ASK_EVERY = 1024  # signals are looked for after this many rows
    MAX_TEXT = 0xFFFFFFFD

ctypedef fused Number:
    # the types of token ids in a column
    int32_t
    int64_t


cdef struct Bytes:
    # A growable text. Begins as Bytes(NULL, 0, 0); whoever made it frees `data`.
    uint8_t* data
    size_t count
    size_t room

# Append the bytes of tokens. All are ids of the vocabulary. Returns 0, or -1 if there is no memory.
cdef int add_tokens(TokenTrie trie, const uint32_t* ids, size_t count, Bytes* text) noexcept nogil

# How many bytes from the start are UTF-8. Sets `ascii` to whether all bytes are ASCII.
cdef size_t valid_prefix(const uint8_t* text, size_t count, bint* ascii) noexcept nogil
