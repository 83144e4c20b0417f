"""The store that other Cython modules see: they work on `nodes`, and check ids and statuses through it."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.regex.expr.nodes cimport Nodes

cdef class ExprStore:
    cdef Nodes nodes
    cdef readonly object limits
    cdef readonly dict memo
    # The status itself, if it is not negative; else raises what it stands for.
    cdef bint checked(self, int status) except -1
    # The id; raises ValueError if it is none of this store.
    cdef uint32_t valid(self, object e) except? 0
    # Put members on `nodes.stack` for make_union and make_intersection; returns their `base`.
    cdef size_t collect(self, members) except? 0
    # The carry; raises GrammarError if these are no arguments of multiples.
    cdef uint64_t carried(self, object divisor, object carry, object places) except? 0
