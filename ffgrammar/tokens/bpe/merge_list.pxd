"""Listed merges: pairs of tokens, each with a rank and the token that the pair becomes."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.tokens.vocabulary.token_index cimport mix

cdef enum:
    NEVER = 0xFFFFFFFF  # the rank of a pair that does not merge
    FREE = 0xFFFFFFFF   # `left` of a slot that holds no pair


cdef struct Pair:
    uint32_t left
    uint32_t right
    uint32_t rank


cdef struct MergeIndex:
    # A hash table from pairs to ranks, with open addressing and linear probing.
    Pair* slots
    uint32_t mask
    uint32_t* results  # by rank: the token that the pair of this rank becomes


cdef inline uint32_t find_rank(const MergeIndex* index, uint32_t left, uint32_t right) noexcept nogil:
    """The rank of the merge of two tokens, or NEVER where they do not merge."""
    cdef uint32_t at = <uint32_t>(mix(<uint64_t>left << 32 | right) >> 8) & index.mask
    while index.slots[at].left != <uint32_t>FREE:
        if index.slots[at].left == left and index.slots[at].right == right:
            return index.slots[at].rank
        at = (at + 1) & index.mask
    return NEVER


cdef class MergeList:
    cdef MergeIndex index
    cdef readonly uint32_t ranks  # every rank is below this

    # Part of the constructor: enter a pair into the hash table, which has room for it.
    cdef void add(self, uint32_t rank, uint32_t left, uint32_t right, uint32_t result) noexcept nogil
