"""The C types of parts.py."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape

# The conjunction (a tuple) that the value of the property `name` must obey, by the groups from index `first` on.
cpdef tuple property_conj(Shape shape, name, strings, first=*)
# The same for several names: a dict from names to conjunctions.
cpdef dict property_conjs(Shape shape, names, strings)
