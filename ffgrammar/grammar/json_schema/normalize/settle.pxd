"""The C types of settle.py: it runs once for every shape."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape

# Drops the types of `shape` that surely have no value. Returns whether any type is left.
cpdef bint settle(Shape shape, strings)
# Drops the listed numbers that break a constraint. Returns a mask of the type bits that are kept.
cdef int _settle_numbers(Shape shape)
# Drops the listed strings that break a constraint. Returns whether strings may be left.
cdef bint _settle_strings(Shape shape, strings)
# Returns whether the bounds of a shape leave no number.
cpdef bint has_no_range(Shape shape)
