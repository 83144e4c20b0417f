"""For a token, all tokens that merges leave before it: its predecessors."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.bpe.token_masks cimport TokenMasks

cdef enum:
    NO_LIMIT = 0xFFFFFFFF


cdef class Predecessors(TokenMasks):
    # Set the bits of the predecessors of a token in a mask. `ranks` is scratch with room for all tokens. Returns OK or NO_MEMORY.
    cdef int fill(self, uint32_t one, uint32_t* ranks, uint32_t* mask) noexcept nogil

    # Part of `fill`. Let y be `one`, or a part at its beginning. For a token x there may be merges (x, y) that could join x to
    # such a y. Write to ranks[x] the rank at which the first of these merges comes, or NO_LIMIT if there is none. Returns OK or
    # NO_MEMORY.
    cdef int find_ranks(self, uint32_t one, uint32_t* ranks) noexcept nogil

    # Part of `fill`: whether `other` can stand before `one`. Let x be `other`, or a part at its end. `other` cannot stand there
    # if ranks[x], for some x, is below the rank of the merge that takes x into a larger part of `other`. Returns True or False.
    cdef bint stays(self, uint32_t other, const uint32_t* ranks) noexcept nogil
