"""Types for the compilation of ir.py. The builder is called for every symbol, so its attributes and hot methods are C's."""

from ffgrammar.grammar.productions cimport Productions

cdef class Lexeme:
    cdef readonly object expr
    cdef readonly object name
    cdef readonly bint lazy
    cdef readonly bint skip
    cdef readonly object check
    cdef readonly bint opens

cdef class GrammarBuilder:
    cdef readonly object store
    cdef readonly object limits
    cdef size_t _most
    cdef list _lexemes
    cdef dict _terminals
    cdef dict _plain
    cdef dict _checks
    cdef Productions _productions
    cdef list _names
    cdef list _parametric
    cdef list _templates
    cdef dict _shared
    # The symbol of a lexeme that is nothing but an expression.
    cpdef plain(self, expr, name=*)
    # The symbol of a new lexeme.
    cdef _lexeme(self, lexeme)
    # A new nonterminal.
    cpdef nonterminal(self, name=*)
    # Add a production; raises LimitError when there are too many.
    cpdef add(self, size_t lhs, rhs)
    # A symbol for symbols one after another, and for any one of them.
    cpdef seq(self, symbols, name=*)
    cpdef choice(self, symbols, name=*)
    # The nonterminal that was made for `key`, or a new one with these bodies.
    cdef _share(self, tuple key, name, bodies)
