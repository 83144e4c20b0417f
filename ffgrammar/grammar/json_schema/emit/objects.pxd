"""What Cython compiles objects.py with."""

from ffgrammar.grammar.json_schema.normalize.shape cimport Shape
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

cpdef tuple property_conj(Shape shape, name, strings, first=*)
cdef dict _property_conjs(Shape shape, names, strings)
cpdef object_symbol(Symbols em, Shape shape, int depth)
cdef dict _listed_names(Shape shape)
cdef _object(Symbols em, Shape shape, int depth, tuple wanted)
cdef tuple _key(Symbols em, name)
cdef tuple _key_symbols(Symbols em, expr, name, check=*)
cdef list _other_keys(Symbols em, Shape shape, dict names, key_filter)
