"""The C types of objects.py."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

# The symbol of the objects of a shape, at a depth of nesting; None when there are none.
cpdef object_symbol(Symbols em, Shape shape, int depth)
cdef list _meet_first_want(Symbols em, Shape shape, tuple wanted)
# A dict whose keys are the names in `properties`, in order.
cdef dict _listed_names(Shape shape)
cdef _object(Symbols em, Shape shape, int depth, tuple wanted)
# A list of Items, or None.
cdef _items(Symbols em, Shape shape, int depth, dict names, int listed, allowed)
