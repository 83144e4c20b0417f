"""Members of unions and intersections that lie in a loop of another member."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Use that members lie in a loop of another member; they are on the stack of `n`, after the word at `base`. Returns False if this
# shows that an intersection matches nothing.
cdef bint absorb(Nodes* n, uint32_t kind, size_t base) noexcept nogil
