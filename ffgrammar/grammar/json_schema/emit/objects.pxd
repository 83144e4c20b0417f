"""The C types of objects.py."""

cimport cython

from ffgrammar.grammar.json_schema.shape.shape cimport Shape
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols


# Returns the symbol of the objects of a shape, at a depth of nesting; None when there are none. Raises GrammarError,
# LimitError, UnsupportedError, KeysApart, NameNeeded.
@cython.locals(found=list, todo=list)
cpdef object_symbol(Symbols em, Shape shape, int depth)
# Takes a shape with wants (see members.py), and the wants that keys beside the named ones must meet. Returns the ways to meet
# the first want of the shape: a list of (shape without this want, wants that keys beside the named ones must meet).
cdef list _meet_first_want(Symbols em, Shape shape, tuple wanted)
# Returns a dict whose keys are the names in `properties`, in order.
cdef dict _listed_names(Shape shape)
# Returns the symbol of the objects in which keys beside the named ones meet the wants; None when there are none.
cdef _object(Symbols em, Shape shape, int depth, tuple wanted)
# Takes the names of properties (the first `listed` of them are listed), and the expression of the bodies of all keys that are
# allowed, or None.
# Returns a list of Items (see members.py), or None when a required property has no value.
cdef _items(Symbols em, Shape shape, int depth, dict names, int listed, allowed)
