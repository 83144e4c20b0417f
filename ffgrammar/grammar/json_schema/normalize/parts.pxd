"""The C types of parts.py."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape

# Returns how many of the first items of an array have a schema of their own.
cpdef Py_ssize_t prefix_length(Shape shape)
# Returns the conjunction (a tuple) that the value of the property `name` must obey, according to `shape.groups[first:]`.
cpdef tuple property_conj(Shape shape, name, strings, first=*)
# Takes several names of properties. Returns a dict from names to the conjunctions that the values must obey. A name that is
# missing in the dict has no constraint. The dict may also have names that were not given.
cpdef dict property_conjs(Shape shape, names, strings)
