"""The C types of symbols.py. A symbol is an int, a body a tuple of symbols."""

from ffgrammar.grammar.builder cimport GrammarBuilder
from ffgrammar.grammar.json_schema.emit.layout cimport Layout
from ffgrammar.grammar.json_schema.normalize.combine cimport Combiner
from ffgrammar.grammar.json_schema.strings.strings cimport Strings
from ffgrammar.regex.expr.store cimport ExprStore

cdef class Symbols:
    cdef readonly ExprStore store
    cdef readonly object limits
    cdef readonly object subschemas
    cdef readonly Strings strings
    cdef readonly object multiples
    cdef readonly object warnings
    cdef readonly object negation
    cdef readonly Combiner combiner
    cdef readonly bint any_order
    cdef readonly GrammarBuilder builder
    cdef readonly object left_brace
    cdef readonly object right_brace
    cdef readonly object left_bracket
    cdef readonly object right_bracket
    cdef readonly Layout layout
    cdef readonly object comma
    cdef readonly object colon
    cdef readonly object never
    cdef readonly dict keys
    cdef readonly set promised
    cdef readonly dict shared
    cdef public Py_ssize_t dead_end_steps
    cdef dict _rules
    # returns the symbol of the values that obey a conjunction (a tuple of subschema numbers), at a depth of nesting
    cpdef symbol(self, tuple conj, int depth)
    # returns a symbol that stands for any one of the bodies; raises LimitError
    cpdef rule(self, bodies, name=*)
    # returns a symbol that stands for one of the bodies, followed by any number of the bodies in `more`; raises LimitError
    cpdef growing(self, bodies, more, name=*)
