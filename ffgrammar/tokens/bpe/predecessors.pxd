"""For a token, all tokens that merges leave before it: its predecessors."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.tokens.bpe.token_masks cimport TokenMasks

cdef enum:
    NO_LIMIT = 0xFFFFFFFF
    JOINED_WORDS = 3  # of a Joined


cdef struct Joined:
    # a token that merges make from two parts
    uint32_t token
    uint32_t right  # its right part
    uint32_t rank   # of the token's last merge


cdef class Predecessors(TokenMasks):
    # The tokens that merging gives. The first call of `write` lists them.
    cdef bint is_made
    cdef Vec joined  # those with parts, as Joined, in ascending order of rank
    cdef Vec whole   # those that merging begins with

    # Fill `joined` and `whole`. Returns OK or NO_MEMORY.
    cdef int list_tokens(self) noexcept nogil

    # Steps of list_tokens. `first` is all zeros before, and has the place of each rank in `joined` between the two. They return OK
    # or NO_MEMORY.
    cdef int count_ranks(self, uint32_t* first) noexcept nogil
    cdef int sort_by_rank(self, uint32_t* first) noexcept nogil

    # Set the bits of the predecessors of a token in a mask. `ranks` and `crossed` are scratch with room for all tokens; `crossed`
    # is all zeros. Returns OK or NO_MEMORY.
    cdef int fill(self, uint32_t one, uint32_t* ranks, uint8_t* crossed, uint32_t* mask) noexcept nogil

    # Part of `fill`. Let y be `one`, or a part at its beginning. For a token x there may be merges (x, y) that could join x to
    # such a y. Write to ranks[x] the rank at which the first of these merges comes. The other ranks stay as they are.
    cdef void find_ranks(self, uint32_t one, uint32_t* ranks) noexcept nogil
