"""The merge loop of byte-pair encoding, for both kinds of merges."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t

from ffgrammar.tokens.bpe.ids cimport BpeStatus, Ids
from ffgrammar.tokens.bpe.merge_list cimport MergeIndex
from ffgrammar.tokens.vocabulary.token_index cimport TokenIndex

# Merge the `count` bytes of `text` where ids are ranks: two tokens merge if their bytes together are those of a token, and the
# id of this token is the rank. Stops when no pair merges any more, or no more than `least` tokens are left. Writes the tokens to
# `ids`, which has room for `count`. Returns how many they are, BPE_NO_BYTE, BPE_NO_MEMORY or BPE_INTERRUPTED.
cdef int64_t merge_bytes(
    const TokenIndex* index, const uint8_t* text, uint32_t count, uint32_t least, uint32_t* ids
) noexcept nogil

# Merge the `count` tokens of `ids` in place, by a list of merges. Stops when no pair merges any more, or no more than `least`
# tokens are left. Returns how many are left, or BPE_NO_MEMORY.
cdef int64_t merge_ids(const MergeIndex* index, uint32_t* ids, uint32_t count, uint32_t least) noexcept nogil

# Append to `out` the tokens of one pre-token of fewer than 2**32 - 2 bytes, where ids are ranks. A pre-token whose bytes are
# those of a token becomes that token. Returns BPE_OK, BPE_NO_BYTE, BPE_NO_MEMORY or BPE_INTERRUPTED.
cdef BpeStatus encode_pretoken(const TokenIndex* index, const uint8_t* text, size_t count, Ids* out) noexcept nogil
