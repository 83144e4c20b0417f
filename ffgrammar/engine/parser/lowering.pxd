"""Lowering: from a grammar (`ir.GrammarIR`) to the parser's tables."""

from ffgrammar.engine.parser.tables cimport Rules


cdef class RuleTables:
    cdef Rules rules

    # These fill `rules`, in this order. Each raises what __cinit__ says.
    cdef dict lower_lexemes(self, grammar)
    cdef int lower_productions(self, grammar, dict optional) except -1
    cdef int lower_plain(self, grammar, dict numbers, bytearray alive, bytearray usable, bytearray empty) except -1
    cdef int lower_optional(self, grammar, dict optional) except -1
    cdef int lower_templates(self, grammar, list templates) except -1
    cdef int lower_template(self, template, list body, dict words) except -1
    cdef int lower_instances(self, grammar, dict words) except -1
