"""Constructors of unions and intersections."""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# A union (K_OR) or an intersection (K_AND). The members come from `n.stack`: the word at `base` is free for the kind, the
# members follow it up to the top. The stack is cut back to `base`, also after an error.
cdef int make_members(Nodes* n, uint32_t kind, size_t base, uint32_t* out) noexcept nogil

# `make_members` for a union, and for an intersection.
cdef int make_union(Nodes* n, size_t base, uint32_t* out) noexcept nogil
cdef int make_intersection(Nodes* n, size_t base, uint32_t* out) noexcept nogil
