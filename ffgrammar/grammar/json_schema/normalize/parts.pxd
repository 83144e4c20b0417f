"""The C types of parts.py."""

cimport cython

from ffgrammar.grammar.json_schema.shape.constraints cimport Group
from ffgrammar.grammar.json_schema.shape.shape cimport Shape


# Returns how many of the first items of an array have a schema of their own.
cpdef Py_ssize_t prefix_length(Shape shape)


# Returns the conjunction (a tuple) that the value of the property `name` must obey, according to `shape.groups[first:]`.
@cython.locals(group=Group)
cpdef tuple property_conj(Shape shape, name, strings, first=*)


# Takes several names of properties. Returns a dict from names to the conjunctions that the values must obey. A name that is
# missing in the dict has no constraint. The dict may also have names that were not given.
@cython.locals(group=Group)
cpdef dict property_conjs(Shape shape, names, strings)
