"""For a token, all tokens that merges leave before it, as a mask. These are its predecessors.

    predecessors = Predecessors(merges)
    mask = predecessors.before(token)    # bit t & 31 of the little-endian word t >> 5: whether the token may follow t

Which tokens `a` cannot stand before a token `b`? Those where some merge `c` joins two tokens `x` and `y` across the border: `x`
is a part at the end of `a`, `y` is a part at the beginning of `b`, and `c` comes before the merges that take `x` and `y` into
larger parts of `a` and `b`. There are few `y`: `b` itself, the left part of `b`, the left part of that, and so on. For each `y`,
a pass over all tokens finds the merges `c`, and notes their ranks by `x`. A last pass tries each token as `a`, in ascending order
of rank, so that the parts of a token come before it. A token is *crossed* if, for some part `x` at its end, this rank is below that
of the merge that takes `x` into a larger part. That is so if it holds for its right part, or if its right part is crossed.

Two cases are special, as they are for successors (tokens/bpe/successors.pyx): `c` may have to wait for `x` or `y` to be made, and
the merges of some tokens do not come in the order of ranks. As `b`, such a token is followed through the ranks at which its parts
are made. As `a`, it is checked pair by pair.

A mask takes 0.8 ms on a vocabulary of 262,000 tokens. (If each token looks at all parts at its end, it takes 4 ms.) The first
one takes longer, because the parts of all tokens must be found before it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_clear, bit_set
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.tokens.bpe.merges cimport UNREACHED, Merges, TokenParts
from ffgrammar.tokens.bpe.split_all cimport split_all
from ffgrammar.tokens.bpe.token_masks cimport TokenMasks


cdef class Predecessors(TokenMasks):
    """The predecessors of all tokens. Those of a token are found when they are first asked for. Any number of threads may ask.

    Args:
        merges: the merges of the vocabulary.
        max_bytes: how many bytes of masks are kept. A mask that would exceed this drops masks that were not asked for lately.
    """

    def __cinit__(self, Merges merges not None, size_t max_bytes=16 << 20):
        vec_init(&self.joined)
        vec_init(&self.whole)

    def __dealloc__(self):
        vec_free(&self.joined)
        vec_free(&self.whole)

    def before(self, token):
        """The mask of the predecessors of a token, as bytes: little-endian words of 32 bits, one more than other masks have.
        Of several tokens with equal bytes, it has only the one that the tokenizer writes, and that is the one to ask about. It
        is all zeros for a token that merges do not make.

        Raises:
            TokenizerError: the id is out of range.
        """
        return self.find_any(token)

    cdef int write(self, uint32_t one, uint32_t* mask) noexcept nogil:
        cdef size_t room = <size_t>self.merges.trie.vocab_size + 1
        cdef uint32_t* ranks = <uint32_t*>malloc(room * sizeof(uint32_t))
        cdef uint8_t* crossed = <uint8_t*>calloc(room, 1)
        cdef int status = NO_MEMORY if ranks == NULL or crossed == NULL else OK
        if status >= 0 and not self.is_made:
            status = self.list_tokens()
        if status >= 0:
            status = self.fill(one, ranks, crossed, mask)
        free(ranks)
        free(crossed)
        return status

    cdef int list_tokens(self) noexcept nogil:
        cdef uint32_t* first = <uint32_t*>calloc(<size_t>self.merges.ranks + 1, sizeof(uint32_t))
        cdef int status = NO_MEMORY if first == NULL else split_all(self.merges)
        # (an earlier call may have run out of memory half-way)
        self.joined.len = self.whole.len = 0
        if status >= 0:
            status = self.count_ranks(first)
        if status >= 0:
            status = self.sort_by_rank(first)
        free(first)
        self.is_made = status >= 0
        return NO_MEMORY if status < 0 else OK

    cdef int count_ranks(self, uint32_t* first) noexcept nogil:
        cdef uint32_t token, rank
        for token in range(self.merges.trie.vocab_size):
            if self.merges.reached(token) > 0 and self.merges.by_token[token].left < <uint32_t>UNREACHED:
                first[self.merges.by_token[token].rank + 1] += 1
        for rank in range(self.merges.ranks):
            first[rank + 1] += first[rank]
        return vec_fill(&self.joined, JOINED_WORDS * <size_t>first[self.merges.ranks], 0)

    cdef int sort_by_rank(self, uint32_t* first) noexcept nogil:
        cdef Joined* joined = <Joined*>self.joined.data
        cdef uint32_t token, rank
        for token in range(self.merges.trie.vocab_size):
            if self.merges.reached(token) <= 0:
                continue
            if self.merges.by_token[token].left >= <uint32_t>UNREACHED:
                if vec_push(&self.whole, token) < 0:
                    return NO_MEMORY
                continue
            rank = self.merges.by_token[token].rank
            joined[first[rank]] = Joined(token, self.merges.right_part(token), rank)
            first[rank] += 1
        return OK

    cdef int fill(self, uint32_t one, uint32_t* ranks, uint8_t* crossed, uint32_t* mask) noexcept nogil:
        cdef const TokenParts* by_token = self.merges.by_token
        cdef const Joined* joined = <const Joined*>self.joined.data
        cdef const uint32_t* whole = self.whole.data
        cdef uint32_t token, right
        cdef size_t i
        cdef int status
        memset(mask, 0, (<size_t>self.merges.trie.n_words + 1) * sizeof(uint32_t))
        memset(ranks, 0xFF, <size_t>self.merges.trie.vocab_size * sizeof(uint32_t))
        self.find_ranks(one, ranks)
        for i in range(self.whole.len):
            if ranks[whole[i]] == <uint32_t>NO_LIMIT:
                bit_set(mask, whole[i])
        for i in range(self.joined.len // JOINED_WORDS):
            token = joined[i].token
            right = joined[i].right
            if by_token[token].out_of_order:
                status = self.merges.pair(token, one)
                if status < 0:
                    return NO_MEMORY
            else:
                crossed[token] = crossed[right] or ranks[right] < joined[i].rank
                status = not crossed[token] and ranks[token] == <uint32_t>NO_LIMIT
            if status:
                bit_set(mask, token)
        for i in range(self.merges.trie.alias_count):
            bit_clear(mask, self.merges.trie.alias_id[i])
        return OK

    cdef void find_ranks(self, uint32_t one, uint32_t* ranks) noexcept nogil:
        cdef const TokenParts* by_token = self.merges.by_token
        cdef const Joined* joined = <const Joined*>self.joined.data
        cdef uint32_t y = one
        cdef uint32_t made = self.merges.made_at(one)  # the rank at which y is made
        cdef uint32_t until = NO_LIMIT                 # the rank at which y becomes a part of something larger in `one`
        cdef uint32_t limit = NO_LIMIT                 # merges across the border count only up to this rank
        cdef uint32_t larger, token
        cdef size_t i
        while True:
            for i in range(self.joined.len // JOINED_WORDS):
                token = joined[i].token
                # (where two merges have the same rank, the one further left comes first)
                if (joined[i].right == y and joined[i].rank <= limit
                        and self.merges.later(token, by_token[token].left) <= until):
                    ranks[by_token[token].left] = min(ranks[by_token[token].left], max(joined[i].rank, made))
            if by_token[y].left >= <uint32_t>UNREACHED:
                return
            larger = y
            y = by_token[y].left
            until = made
            made = self.merges.made_at(y)
            limit = until
            # (y is made before the part beside it is, if both are made at the same rank)
            if made == until and self.merges.made_at(self.merges.right_part(larger)) < until:
                limit = by_token[larger].rank
