"""Lengths in an arithmetic progression, counted in rounds of a loop.

`^(.{3})*$` matches every text of 0, 3, 6, ... characters. Whether a length serves several such expressions is a matter of
arithmetic (the Chinese remainder theorem): for the primes up to 19 the first one is 9,699,690.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    # No round count of a progression is above MOST_ROUNDS, so that sums and products with the steps fit in 64 bits. Where there
    # is no upper bound, `last` is ENDLESS.
    MOST_ROUNDS = 0x40000000
    ENDLESS = 0x4000000000000000

cdef struct Lengths:
    uint64_t first
    uint64_t step  # at least 1
    uint64_t last  # no length is above it


# Find lengths such that `e` matches every text that is so many texts of `unit`, one after the other. Returns whether some are
# found; False says nothing.
cdef bint find_lengths(const Nodes* n, uint32_t e, uint32_t unit, Lengths* found) noexcept nogil

# Leave in `all` the lengths that `own` has, too. Returns 1; 0 if there are none; or -1 if the numbers grow too large.
cdef int lengths_meet(Lengths* all, const Lengths* own) noexcept nogil

# Whether there is a length of at least `least`.
cdef bint has_length(const Lengths* all, uint64_t least) noexcept nogil
