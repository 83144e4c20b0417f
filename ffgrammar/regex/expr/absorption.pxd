"""Members of unions and intersections that lie in a loop of another member."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Simplify the members of a union or an intersection (`kind`), which are on the stack of `n` after the word at `base`. Where a
# member lies in another one, which is a loop, a union drops the member, and an intersection drops the loop. Returns False if an
# intersection is seen to match nothing.
cdef bint absorb(Nodes* n, uint32_t kind, size_t base) noexcept nogil
