"""The C types of combine.py. A conjunction is a tuple of ints; types are bits (see shape/types.py)."""

from ffgrammar.grammar.json_schema.normalize.reader cimport Reader
from ffgrammar.grammar.json_schema.shape.shape cimport Shape

cdef class Combiner:
    cdef readonly bint plain_integers
    cdef Reader _reader
    cdef object _subschemas
    cdef object _strings
    cdef object _negation
    cdef object _one_ofs
    cdef object _multiples
    cdef object _limits
    cdef dict _shapes
    cdef int _level
    cdef dict _impossible
    cdef dict _types
    cdef object _cost
    cdef dict _made_choices
    # the shapes of a conjunction, before and after the branches of every `oneOf` are told apart
    cpdef list shapes(self, tuple conj)
    cpdef list resolved_shapes(self, tuple conj)
    # the same, not kept; raises LimitError when there are too many alternatives
    cdef list _multiply(self, tuple conj)
    cdef list _product(self, tuple conj)
    # the types that the `type` keywords of a conjunction allow
    cdef unsigned int _types_of(self, tuple conj)
    # those of a list of choices that the shape leaves open
    cdef list _open_choices(self, Shape shape, choices)
    # whether no value of a shape obeys a conjunction, as far as is cheap to see
    cdef bint _excludes(self, Shape shape, tuple conj)
    # the types that a shape with open choices can have at most; records what was checked in `shape.checked`
    cdef unsigned int _possible_types(self, Shape shape)
    # whether no value obeys a conjunction that was `before` when it was last examined
    cdef bint _contradicts(self, tuple conj, tuple before)
    # whether surely no value obeys a conjunction, or a shape, down to `depth` levels
    cpdef bint impossible(self, tuple conj, int depth)
    cdef bint _empty(self, Shape shape, int depth)
    # whether no number has a shape
    cdef bint _no_number(self, Shape shape)
