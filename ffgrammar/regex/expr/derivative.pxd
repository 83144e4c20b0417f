"""Derivatives of expressions, the byte classes they define, and emptiness."""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# What may follow `byte` in a text of e.
cdef int derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil

# Narrow `bits` to bytes whose derivative of e equals that of `byte`.
cdef void same_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil

# How far e seems to be from a match. For an intersection the sum over its members and not their maximum: it falls with
# every member that is satisfied, where a search by length would try all orders in which they can be.
cdef uint32_t min_remaining(const Nodes* n, uint32_t e) noexcept nogil

# 1 if e matches something, 0 if not, or a status: exact, also under and/not.
cdef int matches_something(Nodes* n, uint32_t e) noexcept nogil
