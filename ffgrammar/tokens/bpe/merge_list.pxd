"""Listed merges: pairs of tokens, each with a rank and the token that the pair becomes."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.tokens.vocabulary.token_index cimport mix

cdef enum:
    NEVER = 0xFFFFFFFF  # the rank of a pair that does not merge


cdef struct Merge:
    uint32_t left
    uint32_t right
    uint32_t result  # the token that the pair becomes


cdef struct MergeIndex:
    # A hash table from pairs to positions in the list, with open addressing and linear probing. A slot is 0 if it is free, and
    # otherwise (position + 1) << 8 | tag, where the tag is 8 bits of the hash. Most look-ups find nothing, and the tag lets nearly
    # all of these end without a look at the list.
    uint32_t* slots
    uint32_t mask
    const Merge* merges      # the list
    uint32_t count           # its length
    const uint32_t* ranks    # by position: the rank; NULL if the position is the rank
    const uint32_t* results  # by rank: the token that pairs of this rank become; NULL if the position is the rank
    bint repeats             # whether some pair is listed twice


cdef inline uint64_t pair_hash(uint32_t left, uint32_t right) noexcept nogil:
    """The hash of a pair. Its lowest 8 bits are the tag, and the bits above them give the slot."""
    return mix(<uint64_t>left << 32 | right)


cdef inline uint32_t* first_slot(const MergeIndex* index, uint64_t key) noexcept nogil:
    """The slot where a look-up begins. `key` is the hash of a pair."""
    return &index.slots[<uint32_t>(key >> 8) & index.mask]


cdef inline uint32_t* next_slot(const MergeIndex* index, const uint32_t* slot) noexcept nogil:
    """The slot after another one."""
    return &index.slots[<uint32_t>(slot - index.slots + 1) & index.mask]


cdef inline uint32_t rank_at(const MergeIndex* index, uint32_t position) noexcept nogil:
    """The rank of the merge at a position of the list."""
    return position if index.ranks == NULL else index.ranks[position]


cdef inline uint32_t find_rank(const MergeIndex* index, uint32_t left, uint32_t right) noexcept nogil:
    """The rank of the merge of two tokens, or NEVER where they do not merge."""
    cdef uint64_t key = pair_hash(left, right)
    cdef const uint32_t* at = first_slot(index, key)
    cdef uint32_t slot = at[0]
    cdef uint32_t position
    while slot:
        if (slot & 0xFF) == (key & 0xFF):
            position = (slot >> 8) - 1
            if index.merges[position].left == left and index.merges[position].right == right:
                return rank_at(index, position)
        at = next_slot(index, at)
        slot = at[0]
    return NEVER


cdef inline uint32_t result_of(const MergeIndex* index, uint32_t rank) noexcept nogil:
    """The token that pairs of a rank become."""
    return index.merges[rank].result if index.results == NULL else index.results[rank]


cdef class MergeList:
    cdef MergeIndex index
    cdef readonly uint32_t ranks  # every rank is below this
    cdef bytes merges             # what `index.merges` points to
    cdef bytes given_ranks        # what `index.ranks` points to, or None
    cdef bytes results            # what `index.results` points to, or None

    # A step of the constructor: fill the hash table, which has room for all pairs.
    cdef void enter_all(self) noexcept nogil

    # Enter a pair into the hash table. If the pair is there already, the new position takes the place of the old one.
    cdef void enter(self, uint32_t position) noexcept nogil
