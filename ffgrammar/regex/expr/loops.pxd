"""Members of a union that differ only in the bounds of their first loop."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport K_CAT, K_REP, Nodes, node


cdef inline const uint32_t* first_loop(const Nodes* n, uint32_t e) noexcept nogil:
    """The words of the loop that an expression is or begins with; NULL if there is none. The pointer is valid until the next node
    is added."""
    cdef const uint32_t* words = node(n, e)
    if words[0] == K_CAT:
        words = node(n, words[1])
    return words if words[0] == K_REP else NULL


# Simplify the members of a union, which are on the stack of `n` after the word at `base`: x{0,5}y and x{1,9}y become x{0,9}y.
# Changes the order of the members. Returns OK or a status.
cdef int merge_loops(Nodes* n, size_t base) noexcept nogil
