"""Members of unions that differ only in how often they begin with a loop."""

from libc.stddef cimport size_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Simplify the members of a union, which are on the stack of `n` after the word at `base`: x{0,5}y and x{1,9}y become x{0,9}y.
# Returns OK or a status.
cdef int merge_loops(Nodes* n, size_t base) noexcept nogil
