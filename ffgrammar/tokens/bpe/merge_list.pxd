"""Merges that are listed: pairs of tokens in the order in which they are merged."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from ffgrammar.tokens.vocabulary.trie cimport mix

cdef enum:
    FREE = 0xFFFFFFFF  # the left part of a slot that holds no pair


cdef struct Pair:
    uint32_t left
    uint32_t right
    uint32_t rank    # its place in the list
    uint32_t result  # the token that the two become


cdef struct MergeIndex:
    # open addressing, linear probing
    Pair* slots
    uint32_t mask


cdef inline const Pair* find_pair(const MergeIndex* index, uint32_t left, uint32_t right) noexcept nogil:
    """The merge of two tokens, or NULL."""
    cdef uint32_t at = <uint32_t>(mix(<uint64_t>left << 32 | right) >> 8) & index.mask
    while index.slots[at].left != <uint32_t>FREE:
        if index.slots[at].left == left and index.slots[at].right == right:
            return &index.slots[at]
        at = (at + 1) & index.mask
    return NULL


# Merge tokens in place, as long as there are more than `least`; how many are left, or -1 if there is no memory.
cdef int64_t merge_ids(const MergeIndex* index, uint32_t* ids, uint32_t count, uint32_t least) noexcept nogil


cdef class MergeList:
    cdef MergeIndex index
    cdef readonly uint32_t ranks  # the length of the list
