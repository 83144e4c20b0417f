"""What Cython compiles shape.py with: a shape is read and copied all the time."""

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
    cdef public object looked_at
    cdef public tuple marks
    cdef public tuple left
    cpdef Shape copy(self)
    cpdef at_least(self, bound, bint is_open)
    cpdef at_most(self, bound, bint is_open)
    cpdef match(self, body)
    cpdef require(self, names)
