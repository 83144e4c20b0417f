"""Types for the compilation of ir.py. The builder is called for every symbol, so its attributes and hot methods are C's."""

from ffgrammar.grammar.productions cimport Productions

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
    cpdef plain(self, expr, name=*)
    cdef _lexeme(self, lexeme)
    cpdef nonterminal(self, name=*)
    cpdef add(self, size_t lhs, rhs)
    cpdef seq(self, symbols, name=*)
    cpdef choice(self, symbols, name=*)
    cdef _share(self, tuple key, name, bodies)
