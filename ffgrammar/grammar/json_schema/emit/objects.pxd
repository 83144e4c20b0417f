"""The C types of objects.py."""

from ffgrammar.grammar.json_schema.shape.shape cimport Shape
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

# The symbol of the objects of a shape, at a depth of nesting; None when there are none.
cpdef object_symbol(Symbols em, Shape shape, int depth)
# How to meet the first want of a shape: a list of (shape without it, wants that other keys must meet).
cdef list _meet_first_want(Symbols em, Shape shape, tuple wanted)
# A dict whose keys are the names in `properties`, in order.
cdef dict _listed_names(Shape shape)
# The symbol of the objects in which keys beside the named ones meet the wants; None when there are none.
cdef _object(Symbols em, Shape shape, int depth, tuple wanted)
# A list of Items, or None.
cdef _items(Symbols em, Shape shape, int depth, dict names, int listed, allowed)
