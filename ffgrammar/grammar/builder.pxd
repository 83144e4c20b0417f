"""The C type of the builder. It is called for every symbol, so its attributes and hot methods are declared in C."""

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
    cdef bint _has_groups
    # Takes an expression. Returns the symbol of the lexeme that is nothing but this expression.
    cpdef plain(self, expr, name=*)
    # Takes a new Lexeme. Returns its symbol.
    cdef _lexeme(self, lexeme)
    # Returns the symbol of a new nonterminal.
    cpdef nonterminal(self, name=*)
    # Takes the symbol of a nonterminal and the symbols of a right-hand side, and adds the production. Raises LimitError when
    # there are too many productions.
    cpdef add(self, size_t lhs, rhs)
    # Returns a symbol that stands for all of these symbols, one after another. Raises LimitError.
    cpdef seq(self, symbols, name=*)
    # Returns a symbol that stands for any one of these symbols. Raises LimitError.
    cpdef choice(self, symbols, name=*)
    # Returns the nonterminal that was made for `key`, or a new one with these right-hand sides. Raises LimitError.
    cdef _share(self, tuple key, name, bodies)
