"""Lowering: from a grammar (`ir.GrammarIR`) to the parser's tables."""

from ffgrammar.engine.parser.tables cimport Rules


cdef class RuleTables:
    cdef Rules rules

    # These fill `rules`, in this order. Each raises what __cinit__ says, and returns 0 unless it says something else.

    # What is kept by lexeme. Returns, by lexeme, the nonterminals of those that may be empty.
    cdef dict lower_lexemes(self, grammar)

    # Everything else; `optional` is what lower_lexemes has returned.
    cdef int lower_productions(self, grammar, dict optional) except -1

    # The productions of the grammar's own nonterminals.
    cdef int lower_plain(self, grammar, dict numbers, bytearray alive, bytearray usable, bytearray empty) except -1

    # The productions of the nonterminals that stand for a lexeme or nothing.
    cdef int lower_optional(self, grammar, dict optional) except -1

    # The templates, given with their lowered bodies, and the instances that plain productions name.
    cdef int lower_templates(self, grammar, list templates) except -1

    # One template; `words` says how many words the bits of a parametric nonterminal take.
    cdef int lower_template(self, template, list body, dict words) except -1

    # The instances of parameter zero.
    cdef int lower_instances(self, grammar, dict words) except -1
