"""The productions of a grammar as flat arrays of dot positions.

A parametric nonterminal is a family of nonterminals, one for each parameter. Those that a text meets are numbered after the
plain ones (`instances`), and get their productions from the templates when they are first predicted.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec

cdef enum:
    # a symbol is a lexeme number, or a nonterminal number with this bit
    NONTERMINAL = 0x40000000
    # after the last symbol of a production: its nonterminal with this bit
    END = 0x80000000
    NUMBER = 0x3FFFFFFF

    # the bodies of an instance that was not predicted yet; "none" in a template
    NONE = 0xFFFFFFFF

cdef enum:
    # words of a template; its right-hand side follows
    T_AGAIN       # nonterminal that ends it with a new parameter, or NONE
    T_BIT         # must be unset, and is set then; or NONE
    T_NEED        # where in `templates` the bits lie that must be set, or NONE
    T_LOWEST      # of the two counters
    T_HIGHEST = T_LOWEST + 2
    T_ADD = T_HIGHEST + 2
    T_LENGTH = T_ADD + 2
    T_BODY

cdef enum:
    # words of an instance; the bits follow
    I_HEAD
    I_COUNT
    I_BITS = I_COUNT + 2

cdef struct Rules:
    Vec symbols    # per dot position: the symbol that follows, or END | nonterminal
    Vec bodies     # first positions of the productions, by nonterminal
    Vec starts     # per nonterminal: where its bodies begin, or NONE
    Vec ends       # per nonterminal: where its bodies end
    Vec nullable   # per nonterminal
    Vec templates        # one after another, words as above
    Vec template_list    # offsets in `templates`, by parametric nonterminal
    Vec template_starts  # per plain nonterminal, and one more: where its templates begin in the list
    Vec instance         # scratch
    uint32_t caps[2]     # where the counters stop
    Intern instances     # words as above; instance i is nonterminal plain + i
    uint32_t plain       # nonterminals that are no instances
    uint32_t kept_symbols, kept_bodies, kept_instances  # what was made with the grammar
    Vec exprs      # per lexeme: its expression, without the empty text
    Vec skips      # the lexemes allowed everywhere, sorted
    Vec is_skip    # per lexeme
    Vec check      # per lexeme: the kind of its check as a bit (engine/values/trace.pxd), or 0
    Vec opens      # per lexeme: whether it opens an array that checks are about
    Vec closes     # per lexeme: 0, or the byte that is all there is to it, a bracket or brace that closes
    bint has_checks
    uint32_t start

cdef class RuleTables:
    cdef Rules rules
    cdef dict lower_lexemes(self, grammar)
    cdef int lay_out(self, grammar, dict optional) except -1
    cdef int lower_templates(self, grammar, list templates) except -1
