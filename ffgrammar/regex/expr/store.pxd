"""`ExprStore` as other Cython modules see it: they work on its `nodes`, and check ids and statuses by its methods."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.regex.expr.nodes cimport Nodes

cdef class ExprStore:
    cdef Nodes nodes
    cdef readonly object limits
    cdef readonly bytes limits_key
    cdef readonly dict memo
    # Takes a kernel's status. Returns whether it is above 0; raises what a negative one stands for.
    cdef bint checked(self, int status) except -1
    # Returns `e` as an id; raises ValueError if it is no id of this store.
    cdef uint32_t valid(self, object e) except? 0
    # Puts members on `nodes.stack` for make_union and make_intersection. Returns their `base`; raises ValueError for a member
    # that is no id.
    cdef size_t collect(self, members) except? 0
    # Returns the literal of `text[start:end]`; raises what `literal` raises.
    cdef uint32_t slice_of(self, bytes text, Py_ssize_t start, Py_ssize_t end) except? 0
    # Returns what `union` returns; raises what it raises.
    cdef uint32_t union_of(self, members) except? 0
    # Returns `carry`; raises GrammarError if one of these arguments of `multiples` is out of range.
    cdef uint64_t carried(self, object divisor, object carry, object places) except? 0
