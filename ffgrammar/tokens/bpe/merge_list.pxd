"""Listed merges: pairs of tokens, each with a rank and the token that the pair becomes."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.tokens.vocabulary.token_index cimport mix

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #ifdef __SSE2__
    typedef int ffgrammar_ints __attribute__((vector_size(16)));
    typedef unsigned int ffgrammar_slots __attribute__((vector_size(16)));
    static inline ffgrammar_ints ffgrammar_four_alike(const uint32_t *slots, uint32_t tag, uint32_t least) {
        ffgrammar_slots read;
        memcpy(&read, slots, 16);
        return (ffgrammar_ints)((read & 0xFF) == tag) & ((ffgrammar_ints)(read >> 8) > (int)least);
    }
    #endif
    static inline uint32_t ffgrammar_look_alikes(const uint32_t *bucket, uint32_t tag, uint32_t least) {
    #ifdef __SSE2__
        /* (no loop: some compilers would keep the four vectors in memory) */
        typedef char bytes __attribute__((vector_size(16)));
        const ffgrammar_ints one = ffgrammar_four_alike(bucket, tag, least);
        const ffgrammar_ints two = ffgrammar_four_alike(bucket + 4, tag, least);
        const ffgrammar_ints three = ffgrammar_four_alike(bucket + 8, tag, least);
        const ffgrammar_ints four = ffgrammar_four_alike(bucket + 12, tag, least);
        return (uint32_t)__builtin_ia32_pmovmskb128((bytes)__builtin_ia32_packsswb128(
            __builtin_ia32_packssdw128(one, two), __builtin_ia32_packssdw128(three, four)));
    #else
        uint32_t found = 0;
        for (int i = 0; i < 16; i++)
            found |= (uint32_t)(((bucket[i] & 0xFF) == tag) & (bucket[i] >> 8 > least)) << i;
        return found;
    #endif
    }
    static inline uint32_t ffgrammar_tags_alike(const uint32_t *bucket, uint32_t tag) {
    #ifdef __SSE2__
        typedef char bytes __attribute__((vector_size(16)));
        typedef short shorts __attribute__((vector_size(16)));
        ffgrammar_slots slots[4];
        memcpy(slots, bucket, 64);
        const shorts low = __builtin_ia32_packssdw128(
            (ffgrammar_ints)((slots[0] & 0xFF) == tag), (ffgrammar_ints)((slots[1] & 0xFF) == tag));
        const shorts high = __builtin_ia32_packssdw128(
            (ffgrammar_ints)((slots[2] & 0xFF) == tag), (ffgrammar_ints)((slots[3] & 0xFF) == tag));
        return (uint32_t)__builtin_ia32_pmovmskb128((bytes)__builtin_ia32_packsswb128(low, high));
    #else
        uint32_t found = 0;
        for (int i = 0; i < 16; i++)
            found |= (uint32_t)((bucket[i] & 0xFF) == tag) << i;
        return found;
    #endif
    }
    """
    # Which of the 16 slots of a bucket have a tag, as bits. (A free slot looks as if its tag were 0.)
    uint32_t tags_alike "ffgrammar_tags_alike"(const uint32_t* bucket, uint32_t tag) noexcept nogil

    # Which of the 16 slots of a bucket have a tag, and above it more than `least`, as bits.
    uint32_t look_alikes "ffgrammar_look_alikes"(const uint32_t* bucket, uint32_t tag, uint32_t least) noexcept nogil

cdef enum:
    NEVER = 0xFFFFFFFF  # the rank of a pair that does not merge
    BUCKET = 16         # slots in a bucket: those of one line of the processor's caches
    LAST = 0xFFFFFF     # every position is below this


cdef struct Merge:
    uint32_t left
    uint32_t right
    uint32_t result  # the token that the pair becomes


cdef struct MergeIndex:
    # A hash table from pairs to positions in the list. A pair is in the bucket that its hash gives, or in the next one that is not
    # full. The slots of a bucket are filled in order. A slot is 0 if it is free, and otherwise ~(position << 8 | tag), where the
    # tag is 8 bits of the hash. All slots of a bucket are compared at once, and hardly any of them look alike. So whether a pair is
    # listed takes no branch that the processor could not guess. Slots also tell that most pairs do not merge early enough
    # (`merges_below`), without a look at the list.
    uint32_t* buckets
    uint32_t mask            # one less than the number of buckets
    const Merge* merges      # the list
    uint32_t count           # its length
    const uint32_t* ranks    # by position: the rank; NULL if the position is the rank
    const uint32_t* results  # by rank: the token that pairs of this rank become; NULL if the position is the rank
    bint repeats             # whether some pair is listed twice


cdef inline uint64_t pair_hash(uint32_t left, uint32_t right) noexcept nogil:
    """The hash of a pair. Its lowest 8 bits are the tag, and the bits above them give the bucket."""
    return mix(<uint64_t>left << 32 | right)


cdef inline uint32_t* first_bucket(const MergeIndex* index, uint64_t key) noexcept nogil:
    """The bucket where a look-up begins. `key` is the hash of a pair."""
    return &index.buckets[<size_t>BUCKET * (<uint32_t>(key >> 8) & index.mask)]


cdef inline uint32_t* next_bucket(const MergeIndex* index, const uint32_t* bucket) noexcept nogil:
    """The bucket after another one."""
    cdef uint32_t number = <uint32_t>((bucket - index.buckets) // BUCKET)
    return &index.buckets[<size_t>BUCKET * ((number + 1) & index.mask)]


cdef inline uint32_t rank_at(const MergeIndex* index, uint32_t position) noexcept nogil:
    """The rank of the merge at a position of the list."""
    return position if index.ranks == NULL else index.ranks[position]


cdef inline uint32_t find_below(const MergeIndex* index, uint32_t left, uint32_t right, uint32_t end) noexcept nogil:
    """The position of the merge of two tokens, or LAST if there is none whose position is below `end`. `end` is LAST at most."""
    cdef uint64_t key = pair_hash(left, right)
    cdef const uint32_t* bucket = first_bucket(index, key)
    cdef uint32_t alike, position
    while True:
        alike = look_alikes(bucket, ~<uint32_t>key & 0xFF, <uint32_t>LAST - end)
        while alike:
            position = ~bucket[lowest_bit(alike)] >> 8
            if index.merges[position].left == left and index.merges[position].right == right:
                return position
            alike &= alike - 1
        if bucket[BUCKET - 1] == 0:
            return LAST
        bucket = next_bucket(index, bucket)


cdef inline uint32_t find_rank(const MergeIndex* index, uint32_t left, uint32_t right) noexcept nogil:
    """The rank of the merge of two tokens, or NEVER where they do not merge."""
    cdef uint32_t position = find_below(index, left, right, LAST)
    return NEVER if position == <uint32_t>LAST else rank_at(index, position)


cdef inline bint merges_below(const MergeIndex* index, uint32_t left, uint32_t right, uint32_t limit) noexcept nogil:
    """Whether two tokens merge with a rank below `limit`, which is 1 + the rank of a merge at most."""
    if index.ranks != NULL:
        return find_rank(index, left, right) < limit
    return find_below(index, left, right, limit) != <uint32_t>LAST


cdef inline uint32_t result_of(const MergeIndex* index, uint32_t rank) noexcept nogil:
    """The token that pairs of a rank become."""
    return index.merges[rank].result if index.results == NULL else index.results[rank]


cdef class MergeList:
    cdef MergeIndex index
    cdef readonly uint32_t ranks  # every rank is below this
    cdef void* memory             # in which the buckets are
    cdef bytes merges             # what `index.merges` points to
    cdef bytes given_ranks        # what `index.ranks` points to, or None
    cdef bytes results            # what `index.results` points to, or None

    # A step of the constructor: make the hash table, which is empty. Returns 0; raises MemoryError.
    cdef int make_buckets(self) except -1

    # Another step: fill it. `used` has a zero for each bucket. It counts the slots in use.
    cdef void enter_all(self, uint8_t* used) noexcept nogil
