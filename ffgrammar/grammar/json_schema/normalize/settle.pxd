"""The C types of settle.py: it runs once for every shape."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape

# Drops the types of `shape` that have no value; whether any type is left.
cpdef bint settle(Shape shape, strings)
# A mask of the type bits that are kept.
cdef int _settle_numbers(Shape shape)
# Whether strings may be left; filters the listed ones.
cdef bint _settle_strings(Shape shape, strings)
