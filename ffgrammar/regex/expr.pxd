from libc.stdint cimport uint32_t

from ffgrammar.regex.nodes cimport Nodes

cdef class ExprStore:
    cdef Nodes nodes
    cdef readonly object limits
    cdef readonly dict memo
    cdef bint checked(self, int status) except -1
    cdef uint32_t valid(self, object e) except? 0
    cdef size_t collect(self, members) except? 0
