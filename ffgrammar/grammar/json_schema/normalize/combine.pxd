"""The C types of combine.py. A conjunction is a tuple of ints; types are bits (see shape/types.py)."""

cimport cython

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
    cdef Py_ssize_t _steps
    cdef object _conditions
    cdef bint _defers
    cdef object _clauses
    cdef dict _made_choices
    cdef dict _conj_bits
    cdef Shape _blank
    # returns the shapes of a conjunction, where a `oneOf` may still be taken for an `anyOf`; raises what `_multiply` raises
    cpdef list shapes(self, tuple conj)
    # returns the shapes of a conjunction in which the branches of every `oneOf` have been told apart; raises what `_multiply`
    # raises
    cpdef list resolved_shapes(self, tuple conj)
    # `_multiply` and `_product` return the shapes of a conjunction, and do not keep them; they raise GrammarError,
    # UnsupportedError, LimitError, NameNeeded; `_multiply` counts the level of nesting, and calls `_product`
    cdef list _multiply(self, tuple conj)

    @cython.locals(shape=Shape, choices=list, todo=list, done=list)
    cdef list _product(self, tuple conj)

    # takes a list of Choices; returns those that are multiplied out
    cdef list _not_deferred(self, Shape shape, list choices)
    # returns whether a shape says that no object has a key
    cpdef bint _is_absent(self, Shape shape, name)
    # takes a list of Choices, all of which become clauses; returns a list of at most one shape
    cdef list _with_clauses(self, Shape shape, list choices)

    # takes a list of Choices, and the subschemas that were applied, as bits
    @cython.locals(choices=list, known=dict)
    cdef bint _is_refuted(self, list choices, read)
    # takes a Choice with a key; returns its alternatives, without those for strings that the shape does not allow
    cdef list _options_on_key(self, Shape shape, choice)
    # applies pairs of a conjunction and a path to a shape; returns the subschemas that were applied, as bits
    cdef _apply_all(self, Shape shape, steps, list choices)
    # takes types and a list of Choices; returns what choices with one alternative left ask for, and the other choices
    cdef tuple _forced(self, unsigned int types, list choices)
    # returns the types that the `type` keywords of a conjunction allow, as bits
    cdef unsigned int _types_of(self, tuple conj)
    # takes a list of Choices; returns a list of those that the shape leaves open
    cdef list _open_choices(self, Shape shape, choices)
    # returns whether no value of a shape obeys a conjunction, as far as is cheap to see
    cdef bint _excludes(self, Shape shape, tuple conj)
    # returns the types that a shape with open choices can have at most, as bits; records what was checked in `shape.checked`
    cdef unsigned int _possible_types(self, Shape shape)
    # returns whether surely no array fits a shape
    cdef bint _no_array(self, Shape shape)
    # returns whether surely no value obeys a conjunction that has grown from `before`, which was examined already
    cdef bint _contradicts(self, tuple conj, tuple before)
    # returns whether surely no value obeys a conjunction; examines properties and items down to `depth` levels
    cpdef bint impossible(self, tuple conj, int depth)
    # returns whether surely no value fits a shape; examines properties and items down to `depth` levels
    cdef bint _empty(self, Shape shape, int depth)
    # returns whether no number fits a shape
    cdef bint _no_number(self, Shape shape)
