"""What Cython compiles combine.py with."""

from ffgrammar.grammar.json_schema.normalize.shape cimport Shape

cdef class Combiner:
    cdef readonly object reader
    cdef readonly object strings
    cdef readonly object multiples
    cdef readonly bint plain_integers
    cdef readonly object limits
    cdef dict _shapes
    cdef int _level
    cdef dict _impossible
    cdef dict _types
    cdef object _made
    cdef object _compared
    cdef dict _overlaps
    cdef dict _made_choices
    cdef list _unchecked
    cpdef list shapes(self, tuple conj)
    cpdef list resolved_shapes(self, tuple conj)
    cdef list _multiply(self, tuple conj)
    cdef list _product(self, tuple conj)
    cdef unsigned int _types_of(self, tuple conj)
    cdef list _open_choices(self, Shape shape, choices)
    cdef bint _excludes(self, Shape shape, tuple conj)
    cdef unsigned int _types_left(self, Shape shape)
    cdef bint _contradicts(self, tuple conj, tuple before)
    cdef bint _settle(self, Shape shape)
    cdef int _settle_numbers(self, Shape shape)
    cdef bint _settle_strings(self, Shape shape)
    cpdef bint impossible(self, tuple conj, int depth)
    cdef bint _empty(self, Shape shape, int depth)
    cdef bint _no_number(self, Shape shape)
