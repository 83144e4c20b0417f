"""The C types of arrays.py. A symbol is an int."""

from ffgrammar.grammar.json_schema.emit.array_style cimport ArrayStyle
from ffgrammar.grammar.json_schema.shape.shape cimport Shape

# Returns the symbol of the arrays of a shape, at a depth of nesting; None when there are none. Raises GrammarError, LimitError,
# UnsupportedError, KeysApart, NameNeeded.
cpdef array_symbol(ArrayStyle style, Shape shape, int depth)
# Returns the symbol of least to most (None: no bound) items. Raises LimitError.
cdef _list(ArrayStyle style, item, least, most)
# Returns the symbol of this many items. Raises LimitError.
cdef _exactly(ArrayStyle style, item, count)
