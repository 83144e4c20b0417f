"""The C types of combine.py. A conjunction is a tuple of ints; types are bits (see shape/types.py)."""

cimport cython

from ffgrammar.grammar.json_schema.normalize.contradictions cimport Contradictions
from ffgrammar.grammar.json_schema.shape.shape cimport Shape

# (`steps`: a sequence of pairs of a conjunction and a path; `choices`: a list of Choices; `read`: an int)
cdef class _Alternative:
    cdef Shape shape
    cdef object steps
    cdef list choices
    cdef bint is_one_of_several
    cdef tuple split
    cdef object read


# returns a new alternative
@cython.locals(made=_Alternative)
cdef _Alternative _alternative(Shape shape, steps, list choices, bint is_one_of_several, tuple split, read)


cdef class Combiner(Contradictions):
    cdef object _negation
    cdef object _one_ofs
    cdef object _limits
    cdef dict _shapes
    cdef dict _types
    cdef object _cost
    cdef dict _said
    cdef Py_ssize_t _steps
    cdef object _conditions
    cdef readonly bint defers
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

    @cython.locals(one=_Alternative, todo=list, done=list)
    cdef list _product(self, tuple conj)

    # applies the steps of an alternative; returns whether it may hold; raises what `_multiply` raises
    cdef bint _apply(self, _Alternative one)

    # drops types without a value, and choices that need not be made; returns the cost of the alternative
    @cython.locals(shape=Shape)
    cdef Py_ssize_t _narrow(self, _Alternative one)

    # merges the choices that are about one key
    cdef _merge(self, _Alternative one)

    # splits an alternative into some for strings and one for other types, and adds them to `todo`; returns whether it did
    @cython.locals(shape=Shape, rest=Shape, matching=Shape, ranged=Shape, others="unsigned int")
    cdef bint _split_strings(self, _Alternative one, list todo)

    # finishes a shape for which all choices are made; returns whether it may have a value
    cdef bint _is_possible(self, Shape shape)

    # returns a list of the Choices that are multiplied out; it is empty if all become clauses
    @cython.locals(shape=Shape, choices=list)
    cdef list _not_deferred(self, _Alternative one)

    # returns what is left of an alternative for values that are no objects
    @cython.locals(other=Shape)
    cdef _Alternative _without_objects(self, _Alternative one)

    # takes a list of Choices, and the cost of the product so far; returns the alternatives of one of the choices
    @cython.locals(shape=Shape)
    cdef list _alternatives(self, _Alternative one, list choices, Py_ssize_t made)

    # counts a cost, and returns it
    cdef Py_ssize_t _count(self, Py_ssize_t cost)

    # takes a list of Choices, and the subschemas that were applied, as bits
    @cython.locals(choices=list, known=dict)
    cdef bint _is_refuted(self, list choices, read)
    # takes a Choice with a key; returns its alternatives, without those for strings that the shape does not allow
    cdef list _options_on_key(self, Shape shape, choice)
    # takes types and a list of Choices; returns what choices with one alternative left ask for, and the other choices
    cdef tuple _forced(self, unsigned int types, list choices)
    # returns the types that the `type` keywords of a conjunction allow, as bits
    cdef unsigned int _types_of(self, tuple conj)
    # takes a list of Choices; returns a list of those that the shape leaves open
    cdef list _open_choices(self, Shape shape, choices)
