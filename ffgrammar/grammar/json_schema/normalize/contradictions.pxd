"""The C types of contradictions.py. A conjunction is a tuple of ints; types are bits (see shape/types.py)."""

from ffgrammar.grammar.json_schema.normalize.reader cimport Reader
from ffgrammar.grammar.json_schema.shape.shape cimport Shape

cdef class Contradictions:
    cdef readonly bint plain_integers
    cdef Reader _reader
    cdef object _subschemas
    cdef object _strings
    cdef object _multiples
    cdef int _level
    cdef dict _impossible
    # returns the shapes of a conjunction; a subclass makes them
    cpdef list shapes(self, tuple conj)
    # returns whether surely no value obeys a conjunction; examines properties and items down to `depth` levels
    cpdef bint impossible(self, tuple conj, int depth)
    # returns whether surely no value fits a shape; examines properties and items down to `depth` levels
    cdef bint _empty(self, Shape shape, int depth)
    # returns whether no number fits a shape
    cdef bint _no_number(self, Shape shape)
    # returns whether no value of a shape obeys a conjunction, as far as is cheap to see
    cdef bint _excludes(self, Shape shape, tuple conj)
    # returns the types that a shape with open choices can have at most, as bits
    cdef unsigned int _possible_types(self, Shape shape)
    # return whether surely no object, or no array, fits a shape; record what was checked in `shape.checked`, or in
    # `shape.checked_items`
    cdef bint _no_object(self, Shape shape)
    cdef bint _no_array(self, Shape shape)
    # returns whether surely no value obeys a conjunction that has grown from `before`, which was examined already
    cdef bint _contradicts(self, tuple conj, tuple before)
