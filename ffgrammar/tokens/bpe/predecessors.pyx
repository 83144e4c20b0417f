"""For a token, all tokens that merges leave before it, as a mask. These are its predecessors.

    predecessors = Predecessors(merges)
    mask = predecessors.before(token)    # bit t & 31 of the little-endian word t >> 5: whether the token may follow t

Which tokens `a` cannot stand before a token `b`? Those where some merge `c` joins two tokens `x` and `y` across the border: `x`
is a part at the end of `a`, `y` is a part at the beginning of `b`, and `c` comes before the merges that take `x` and `y` into
larger parts of `a` and `b`. There are few `y`: `b` itself, the left part of `b`, the left part of that, and so on. For each `y`,
a pass over all tokens finds the merges `c`, and notes their ranks by `x`. A last pass tries each token as `a`. It compares these
ranks with the ranks of the merges that take each `x` of this token into a larger part. Two cases are special, as they are for
successors (tokens/bpe/successors.pyx): `c` may have to wait for `x` or `y` to be made, and tokens whose merges do not come in the
order of ranks are checked pair by pair.

A mask takes 5 ms on a vocabulary of 256,000 tokens. The first one takes longer, because the parts of all tokens must be
found before it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_clear, bit_set
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.tokens.bpe.merges cimport UNREACHED, rank_of
from ffgrammar.tokens.bpe.split_all cimport split_all
from ffgrammar.tokens.bpe.token_masks cimport TokenMasks


cdef class Predecessors(TokenMasks):
    """The predecessors of all tokens. Those of a token are found when they are first asked for. Any number of threads may ask.

    Args:
        merges: the merges of the vocabulary.
        max_bytes: how many bytes of masks are kept. A mask that would exceed this drops those kept before.
    """

    def before(self, token):
        """The mask of the predecessors of a token, as bytes: little-endian words of 32 bits, one more than other masks have.
        Of several tokens with equal bytes, it has only the one that the tokenizer writes. It is all zeros for a token that
        merges do not make.

        Raises:
            TokenizerError: the id is out of range.
        """
        return self.find_any(token)

    cdef int write(self, uint32_t one, uint32_t* mask) noexcept nogil:
        cdef uint32_t* ranks = <uint32_t*>malloc((<size_t>self.merges.trie.vocab_size + 1) * sizeof(uint32_t))
        cdef int status = NO_MEMORY if ranks == NULL else self.fill(one, ranks, mask)
        free(ranks)
        return status

    cdef int fill(self, uint32_t one, uint32_t* ranks, uint32_t* mask) noexcept nogil:
        cdef bint pair_by_pair
        cdef uint32_t token
        cdef int status = split_all(self.merges)
        if status < 0:
            return NO_MEMORY
        pair_by_pair = self.merges.out_of_order[one]
        if not pair_by_pair:
            status = self.find_ranks(one, ranks)
        for token in range(self.merges.trie.vocab_size):
            if status >= 0:
                status = self.merges.reached(token)
            if status > 0:
                if pair_by_pair or self.merges.out_of_order[token]:
                    status = self.merges.pair(token, one)
                else:
                    status = self.stays(token, ranks)
            if status < 0:
                return NO_MEMORY
            if status:
                bit_set(mask, token)
        for token in range(self.merges.trie.alias_count):
            bit_clear(mask, self.merges.trie.alias_id[token])
        return OK

    cdef int find_ranks(self, uint32_t one, uint32_t* ranks) noexcept nogil:
        cdef const uint32_t* left = self.merges.left
        cdef uint32_t limit = NO_LIMIT  # the rank of the merge that takes y into a larger part of `one`
        cdef uint32_t y = one
        cdef uint32_t token
        cdef int status
        memset(ranks, 0xFF, <size_t>self.merges.trie.vocab_size * sizeof(uint32_t))
        while True:
            for token in range(self.merges.trie.vocab_size):
                status = self.merges.reached(token)
                if status < 0:
                    return NO_MEMORY
                if status and left[token] < <uint32_t>UNREACHED and self.merges.right_part(token) == y:
                    # (where two merges have the same rank, the one further left comes first)
                    if self.merges.later(token, left[token]) <= limit:
                        ranks[left[token]] = min(ranks[left[token]], self.merges.later(token, y))
            if left[y] >= <uint32_t>UNREACHED:
                return OK
            limit = rank_of(self.merges.rank, y)
            y = left[y]

    cdef bint stays(self, uint32_t other, const uint32_t* ranks) noexcept nogil:
        # `other` is x from here on; `limit` is the rank of the merge that takes x into a larger part
        cdef uint32_t limit = NO_LIMIT
        while True:
            if ranks[other] < limit:
                return False
            if self.merges.left[other] >= <uint32_t>UNREACHED:
                return True
            limit = rank_of(self.merges.rank, other)
            other = self.merges.right_part(other)
