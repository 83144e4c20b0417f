"""Listed merges: pairs of tokens in the order in which they merge.

This is the form of Hugging Face's BPE models. A merge's rank is its position in the list. The rank says nothing about the id of
the token that the merge makes. Several pairs may make the same token. Two tokens do not merge unless the list has the pair,
even if their bytes together are those of a token. So merging here works on ids, not on bytes.

    merges = MergeList([(0, 1, 2)])   # tokens 0 and 1 become token 2
    merges.merged(0, 1)               # (0, 2): rank 0, token 2

A look-up costs one multiplication and, mostly, one cache line. The hash table has 6 to 12 bytes a merge besides the list, so it is
small enough to stay in the caches.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ffgrammar.core.fresh_pages cimport claim_pages
from ffgrammar.core.prefetch cimport prefetch

from array import array
from itertools import chain

from ffgrammar.core.errors import TokenizerError

cdef enum:
    AHEAD = 16  # how many pairs before its turn a slot is fetched


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
        cdef uint32_t room = 16
        cdef size_t size
        self.merges = pairs if isinstance(pairs, bytes) else array("I", chain.from_iterable(pairs)).tobytes()
        size = <size_t>len(self.merges) // sizeof(Merge)
        if size >= (1 << 24) - 1:
            raise TokenizerError(f"{size} merges are too many")
        while room < size + (size >> 1):
            room *= 2
        self.index.slots = <uint32_t*>calloc(room, sizeof(uint32_t))
        if self.index.slots == NULL:
            raise MemoryError
        claim_pages(self.index.slots, room * sizeof(uint32_t))
        self.index.mask = room - 1
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
        self.enter_all()

    cdef void enter_all(self) noexcept nogil:
        cdef const Merge* merges = self.index.merges
        cdef uint32_t position
        for position in range(self.index.count + AHEAD):
            if position < self.index.count:
                prefetch(first_slot(&self.index, pair_hash(merges[position].left, merges[position].right)))
            if position >= AHEAD:
                self.enter(position - AHEAD)

    cdef void enter(self, uint32_t position) noexcept nogil:
        cdef const Merge* merges = self.index.merges
        cdef uint64_t key = pair_hash(merges[position].left, merges[position].right)
        cdef uint32_t* slot = first_slot(&self.index, key)
        cdef const Merge* other
        while slot[0]:
            if (slot[0] & 0xFF) == (key & 0xFF):
                other = &merges[(slot[0] >> 8) - 1]
                if other.left == merges[position].left and other.right == merges[position].right:
                    self.index.repeats = True
                    break
            slot = next_slot(&self.index, slot)
        slot[0] = (position + 1) << 8 | <uint32_t>(key & 0xFF)

    def __dealloc__(self):
        free(self.index.slots)

    def merged(self, left, right):
        """(rank, token) of the merge of two tokens; None if they do not merge."""
        cdef uint32_t rank = find_rank(&self.index, left, right)
        return None if rank == <uint32_t>NEVER else (rank, result_of(&self.index, rank))
