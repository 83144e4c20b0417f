from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.regex.expr.nodes cimport Nodes

cdef class ExprStore:
    cdef Nodes nodes
    cdef readonly object limits
    cdef readonly dict memo
    cdef bint checked(self, int status) except -1
    cdef uint32_t valid(self, object e) except? 0
    cdef size_t collect(self, members) except? 0
    cdef uint64_t carried(self, object divisor, object carry, object places) except? 0
