"""The C types of any_value.py. A symbol is an int."""

cimport cython

from ffgrammar.grammar.builder cimport GrammarBuilder
from ffgrammar.grammar.json_schema.emit.layout cimport Layout
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols
from ffgrammar.regex.expr.store cimport ExprStore


# Returns a new symbol that stands for every JSON value. Raises LimitError.
@cython.locals(builder=GrammarBuilder, store=ExprStore, layout=Layout, member=tuple)
cpdef any_value(Symbols em)
