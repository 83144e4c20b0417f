"""The C types of ranges.py. An expression is an int."""

cimport cython

from ffgrammar.regex.expr.store cimport ExprStore

cdef class Numbers:
    cdef readonly ExprStore store
    cdef dict _memo
    cdef readonly object digit
    cdef readonly object positive
    cdef readonly object zero
    cdef readonly object minus
    cdef readonly object point
    cdef readonly object digits
    cdef readonly object zeros
    cdef readonly object natural
    cdef readonly object fraction
    cdef readonly object some_fraction
    cdef readonly object e
    cdef readonly object exponent

    # returns the same expressions in another store
    @cython.locals(other=Numbers)
    cpdef Numbers rebound(self, ExprStore store)
