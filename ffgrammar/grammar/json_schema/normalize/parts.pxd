"""The C types of parts.py."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape

# Returns the conjunction (a tuple) that the value of the property `name` must obey, by the groups from index `first` on.
cpdef tuple property_conj(Shape shape, name, strings, first=*)
# Takes several names. Returns a dict from these, and perhaps other names, to the conjunctions that their values must obey.
cpdef dict property_conjs(Shape shape, names, strings)
