"""The C types of shape.py: shapes are read and copied all the time."""

cimport cython

cdef class Shape:
    cdef public unsigned int types
    cdef public object low
    cdef public bint low_open
    cdef public object high
    cdef public bint high_open
    cdef public tuple divisors
    cdef public tuple not_divisors
    cdef public tuple numbers
    cdef public object min_length
    cdef public object max_length
    cdef public tuple patterns
    cdef public tuple strings
    cdef public tuple items
    cdef public object min_items
    cdef public object max_items
    cdef public tuple contained
    cdef public object unique
    cdef public object repeated
    cdef public tuple groups
    cdef public tuple required
    cdef public object min_properties
    cdef public object max_properties
    cdef public object counted_at
    cdef public tuple key_names
    cdef public tuple some_keys
    cdef public tuple clauses
    cdef public object checked
    cdef public tuple checked_items
    cdef public tuple marks
    cdef public tuple pending
    cdef public bint holed

    # returns a shallow copy, which is independent because the values of attributes are never changed in place
    @cython.locals(other=Shape)
    cpdef Shape copy(self)
    # raises the lower bound of numbers to `bound` (a Decimal) unless the old one is higher; an open bound is exclusive
    cpdef at_least(self, bound, bint is_open)
    # lowers the upper bound of numbers to `bound` (a Decimal) unless the old one is lower; an open bound is exclusive
    cpdef at_most(self, bound, bint is_open)
    # requires that the bodies of strings match the expression `body`
    cpdef match(self, body)
    # requires the keys of the list `names`
    cpdef require(self, names)
