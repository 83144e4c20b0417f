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

from ffgrammar.tokens.vocabulary.trie cimport mix

from ffgrammar.core.errors import TokenizerError


cdef class MergeList:
    """The merges of a tokenizer, by pair.

    Args:
        pairs: (left token, right token, token that they become), in the order of merging. If a pair is listed twice, the last
            entry counts.
        ranks: the rank of each pair, ascending, below 2**28. Pairs of the same rank must become the same token. Without
            `ranks`, the position of a pair is its rank.

    Raises:
        TokenizerError: there are more than 2**28 pairs.
    """

    def __cinit__(self, pairs not None, ranks=None):
        cdef uint32_t left, right, result, at
        cdef uint32_t room = 16
        cdef uint32_t rank
        cdef uint32_t count
        if len(pairs) > 1 << 28:
            raise TokenizerError(f"{len(pairs)} merges are too many")
        while room < len(pairs) + (len(pairs) >> 1):
            room *= 2
        self.index.slots = <Pair*>calloc(room, sizeof(Pair))
        count = len(pairs) if not ranks else ranks[-1] + 1
        self.index.results = <uint32_t*>calloc(<size_t>count + 1, sizeof(uint32_t))
        if self.index.slots == NULL or self.index.results == NULL:
            raise MemoryError
        self.index.mask = room - 1
        for at in range(room):
            self.index.slots[at].left = FREE
        for position, (left, right, result) in enumerate(pairs):
            rank = ranks[position] if ranks is not None else position
            at = <uint32_t>(mix(<uint64_t>left << 32 | right) >> 8) & self.index.mask
            while self.index.slots[at].left != <uint32_t>FREE:
                if self.index.slots[at].left == left and self.index.slots[at].right == right:
                    break
                at = (at + 1) & self.index.mask
            self.index.slots[at] = Pair(left, right, rank)
            self.index.results[rank] = result
        self.ranks = count

    def __dealloc__(self):
        free(self.index.slots)
        free(self.index.results)

    def merged(self, left, right):
        """(rank, token) of the merge of two tokens; None if they do not merge."""
        cdef uint32_t rank = find_rank(&self.index, left, right)
        return None if rank == <uint32_t>NEVER else (rank, self.index.results[rank])
