"""Listed merges: pairs of tokens in the order in which they merge.

This is the form of Hugging Face's BPE models. A merge's rank is its position in the list. The rank says nothing about the id of
the token that the merge makes. Several pairs may make the same token. Two tokens do not merge unless the list has the pair,
even if their bytes together are those of a token. So merging here works on ids, not on bytes.

    merges = MergeList([(0, 1, 2)])   # tokens 0 and 1 become token 2
    merges.merged(0, 1)               # (0, 2): rank 0, token 2

A look-up costs one multiplication and, mostly, one cache line.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ffgrammar.tokens.vocabulary.token_index cimport mix

from ffgrammar.core.errors import TokenizerError


cdef enum:
    PAIR_BYTES = 3 * sizeof(uint32_t)


cdef class MergeList:
    """The merges of a tokenizer, by pair.

    Args:
        pairs: (left token, right token, token that they become), in the order of merging; or bytes with three words of 32 bits
            for each pair. If a pair is listed twice, the last entry counts.
        ranks: the rank of each pair, ascending, below 2**28. Pairs of the same rank must become the same token. Without
            `ranks`, the position of a pair is its rank. If `pairs` is bytes, there must be no `ranks`.

    Raises:
        TokenizerError: there are more than 2**28 pairs.
    """

    def __cinit__(self, pairs not None, ranks=None):
        cdef uint32_t left, right, result, at
        cdef uint32_t room = 16
        cdef uint32_t count, position
        cdef const uint32_t* words
        cdef size_t size = len(pairs) // PAIR_BYTES if isinstance(pairs, bytes) else len(pairs)
        if size > 1 << 28:
            raise TokenizerError(f"{size} merges are too many")
        while room < size + (size >> 1):
            room *= 2
        self.index.slots = <Pair*>calloc(room, sizeof(Pair))
        count = <uint32_t>size if not ranks else ranks[-1] + 1
        self.index.results = <uint32_t*>calloc(<size_t>count + 1, sizeof(uint32_t))
        if self.index.slots == NULL or self.index.results == NULL:
            raise MemoryError
        self.index.mask = room - 1
        for at in range(room):
            self.index.slots[at].left = FREE
        if isinstance(pairs, bytes):
            words = <const uint32_t*><const char*>pairs
            for position in range(count):
                self.add(position, words[3 * position], words[3 * position + 1], words[3 * position + 2])
        else:
            for position, (left, right, result) in enumerate(pairs):
                self.add(ranks[position] if ranks is not None else position, left, right, result)
        self.ranks = count

    cdef void add(self, uint32_t rank, uint32_t left, uint32_t right, uint32_t result) noexcept nogil:
        cdef uint32_t at = <uint32_t>(mix(<uint64_t>left << 32 | right) >> 8) & self.index.mask
        while self.index.slots[at].left != <uint32_t>FREE:
            if self.index.slots[at].left == left and self.index.slots[at].right == right:
                break
            at = (at + 1) & self.index.mask
        self.index.slots[at] = Pair(left, right, rank)
        self.index.results[rank] = result

    def __dealloc__(self):
        free(self.index.slots)
        free(self.index.results)

    def merged(self, left, right):
        """(rank, token) of the merge of two tokens; None if they do not merge."""
        cdef uint32_t rank = find_rank(&self.index, left, right)
        return None if rank == <uint32_t>NEVER else (rank, self.index.results[rank])
