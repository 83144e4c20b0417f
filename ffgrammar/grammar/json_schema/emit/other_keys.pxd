"""The C types of other_keys.py."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

# Returns the body (a tuple of symbols) of a named key and its colon.
cpdef tuple named_key(Symbols em, name)
# Takes an expression of keys, the name of their terminal, and a check or None. Returns the body of the keys and their colon.
# Raises KeysApart.
cpdef tuple key_symbols(Symbols em, expr, name, check=*)
# Takes the named keys, the expression that all keys must match, or None, and how deep the object is nested. Returns a list of
# (expression of keys, conjunction that their values must obey). Raises LimitError.
cpdef list key_classes(Symbols em, Shape shape, dict names, allowed, int depth)
# Takes what key_classes takes. Returns a symbol or None.
cpdef other_property(Symbols em, Shape shape, dict names, allowed, int depth)
# Returns what key_classes returns, for a shape without patterns.
cdef list _one_class(Symbols em, Shape shape, dict names, allowed)
