"""The productions of a grammar as flat arrays of dot positions."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec

cdef enum:
    # a symbol is a lexeme number, or a nonterminal number with this bit
    NONTERMINAL = 0x40000000
    # after the last symbol of a production: its nonterminal with this bit
    END = 0x80000000
    NUMBER = 0x3FFFFFFF

cdef struct Rules:
    Vec symbols    # per dot position: the symbol that follows, or END | nonterminal
    Vec bodies     # first positions of the productions, by nonterminal
    Vec starts     # per nonterminal, and one more: where its bodies begin
    Vec nullable   # per nonterminal
    Vec exprs      # per lexeme: its expression, without the empty text
    Vec skips      # the lexemes allowed everywhere, sorted
    Vec is_skip    # per lexeme
    uint32_t start

cdef class RuleTables:
    cdef Rules rules
    cdef int lower_lexemes(self, grammar, list productions) except -1
    cdef int lay_out(self, list productions, uint32_t nonterminals) except -1
