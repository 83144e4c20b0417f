"""Listed merges: pairs of tokens in the order in which they merge.

This is the form of Hugging Face's BPE models. A merge's rank is its position in the list. The rank says nothing about the id of
the token that the merge makes. Several pairs may make the same token. Two tokens do not merge unless the list has the pair,
even if their bytes together are those of a token. So merging here works on ids, not on bytes.

    merges = MergeList([(0, 1, 2)])   # tokens 0 and 1 become token 2
    merges.merged(0, 1)               # (0, 2): rank 0, token 2

A look-up costs one multiplication and, mostly, one cache line. The hash table has 6 to 13 bytes a merge besides the list, so it is
small enough to stay in the caches.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.fresh_pages cimport fresh_zeros
from ffgrammar.core.prefetch cimport prefetch

from array import array
from itertools import chain

from ffgrammar.core.errors import TokenizerError

cdef enum:
    AHEAD = 16  # how many pairs before its turn a bucket is fetched
    FULL = 10   # how many slots of a bucket are in use on average, at most


cdef inline bint enter(const MergeIndex* index, uint32_t position, uint64_t key, uint8_t* used) noexcept nogil:
    """Enter a pair, whose hash is `key`. If the pair is there already, the new position takes the place of the old one, and the
    answer is True."""
    cdef uint32_t slot = ~(position << 8 | <uint32_t>(key & 0xFF))
    cdef uint32_t number = <uint32_t>(key >> 8) & index.mask
    cdef uint32_t* bucket
    cdef const Merge* other
    cdef uint32_t alike
    while True:
        bucket = &index.buckets[<size_t>BUCKET * number]
        alike = tags_alike(bucket, slot & 0xFF) & ((1 << used[number]) - 1)
        while alike:
            other = &index.merges[~bucket[lowest_bit(alike)] >> 8]
            if other.left == index.merges[position].left and other.right == index.merges[position].right:
                bucket[lowest_bit(alike)] = slot
                return True
            alike &= alike - 1
        if used[number] < BUCKET:
            break
        number = (number + 1) & index.mask
    bucket[used[number]] = slot
    used[number] += 1
    return False


cdef class MergeList:
    """The merges of a tokenizer, by pair.

    Args:
        pairs: (left token, right token, token that they become), in the order of merging; or bytes with three words of 32 bits
            for each pair. If a pair is listed twice, the last entry counts.
        ranks: the rank of each pair, ascending, below 2**28. Pairs of the same rank must become the same token. Without
            `ranks`, the position of a pair is its rank. If `pairs` is bytes, there must be no `ranks`.

    Raises:
        TokenizerError: there are 2**24 - 1 pairs or more.
    """

    def __cinit__(self, pairs not None, ranks=None):
        cdef size_t size
        cdef uint8_t* used
        self.merges = pairs if isinstance(pairs, bytes) else array("I", chain.from_iterable(pairs)).tobytes()
        size = <size_t>len(self.merges) // sizeof(Merge)
        if size >= <size_t>LAST:
            raise TokenizerError(f"{size} merges are too many")
        self.index.merges = <const Merge*><const char*>self.merges
        self.index.count = self.ranks = <uint32_t>size
        if ranks:
            self.ranks = ranks[-1] + 1
            results = array("I", bytes(sizeof(uint32_t) * <size_t>self.ranks))
            for rank, (_, _, result) in zip(ranks, pairs):
                results[rank] = result
            self.given_ranks = array("I", ranks).tobytes()
            self.results = results.tobytes()
            self.index.ranks = <const uint32_t*><const char*>self.given_ranks
            self.index.results = <const uint32_t*><const char*>self.results
        self.make_buckets()
        used = <uint8_t*>calloc(<size_t>self.index.mask + 1, 1)
        if used == NULL:
            raise MemoryError
        self.enter_all(used)
        free(used)

    cdef int make_buckets(self) except -1:
        cdef size_t line = BUCKET * sizeof(uint32_t)
        cdef size_t buckets = 1
        while FULL * buckets < self.index.count + 1:
            buckets *= 2
        # (a bucket begins where a line of the processor's caches does)
        self.memory = fresh_zeros((buckets + 1) * BUCKET, sizeof(uint32_t))
        self.index.buckets = <uint32_t*>((<size_t>self.memory + line - 1) & ~(line - 1))
        self.index.mask = <uint32_t>(buckets - 1)
        return 0

    cdef void enter_all(self, uint8_t* used) noexcept nogil:
        cdef const Merge* merges = self.index.merges
        cdef uint64_t[AHEAD] keys
        cdef uint32_t position
        cdef bint repeats = False
        for position in range(self.index.count + AHEAD):
            if position >= AHEAD:
                repeats |= enter(&self.index, position - AHEAD, keys[position % AHEAD], used)
            if position < self.index.count:
                keys[position % AHEAD] = pair_hash(merges[position].left, merges[position].right)
                prefetch(first_bucket(&self.index, keys[position % AHEAD]))
        self.index.repeats = repeats

    def __dealloc__(self):
        free(self.memory)

    def merged(self, left, right):
        """(rank, token) of the merge of two tokens; None if they do not merge."""
        cdef uint32_t rank = find_rank(&self.index, left, right)
        return None if rank == <uint32_t>NEVER else (rank, result_of(&self.index, rank))
