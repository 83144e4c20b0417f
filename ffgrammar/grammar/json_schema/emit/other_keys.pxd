"""The C types of other_keys.py."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

# The body (a tuple of symbols) of a named key and its colon.
cpdef tuple named_key(Symbols em, name)
# The body of keys, given by an expression, and their colon; raises KeysApart.
cpdef tuple key_symbols(Symbols em, expr, name, check=*)
# A list of (expression of keys, conjunction of their values); `allowed` is an expression or None.
cpdef list key_classes(Symbols em, Shape shape, dict names, allowed)
# The same where there are no patterns; `parts` are the expressions that keys must match.
cdef list _one_class(Symbols em, Shape shape, dict names, list parts)
