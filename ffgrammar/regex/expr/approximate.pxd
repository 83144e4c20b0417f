"""How expressions resemble each other: what lets one mask be found from another's."""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# A simpler expression that `e` resembles: its first loops without bounds, without what it must not be. `{1,7}"` of a character
# becomes `*"`. It is `e` itself where there is nothing to simplify; returns a status.
cdef int relaxed(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil

# How long a text must be to tell two expressions apart, or less: shorter ones both match or neither, and both can be completed
# or neither.
cdef uint32_t min_distinguishing_length(const Nodes* n, uint32_t a, uint32_t b) noexcept nogil
