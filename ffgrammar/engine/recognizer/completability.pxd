"""Whether a text can still be completed to a sentence.

Longest match can lose what the parser counts on: in `start: A "x"` with `A: /x+/`, no text ever ends its A before an x. A
front-end that builds its lexemes so that this cannot happen says so (`ir.GrammarIR.delimited`) and pays nothing; for other
grammars every configuration is checked once.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

cdef struct Completability:
    bint enabled
    Map known         # row << 32 | state -> 1 or 0
    Vec rest          # per dot position: a lower bound of the length of what follows in its production
    Vec lengths       # per plain nonterminal: a lower bound of the length of its texts
    Vec instances     # the same for the instances that plain productions name
    size_t kept_rest  # positions that were there before any text
    Vec link_costs    # per link: a lower bound of what follows its completion
    Vec queue         # of the search: (row, state, index of the entry it came from)
    Vec heap          # (estimate, queue index)
    uint32_t max_search

cdef int completability_init(Completability* v, Recognizer* m, bint enabled) noexcept nogil
cdef void completability_free(Completability* v) noexcept nogil
cdef void completability_clear(Completability* v) noexcept nogil
cdef size_t completability_bytes(const Completability* v) noexcept nogil

# 1 if some sentence begins with the text of a configuration, 0 if none does, or a status.
cdef int completable(Completability* v, Recognizer* m, const Config* config) noexcept nogil

# One byte: 1 moved to a configuration that can be completed, 0 there is none (config is as before), or a status.
cdef int step(Completability* v, Recognizer* m, Config* config, uint32_t byte) noexcept nogil

# About how many bytes are missing for a sentence, but for what the lexer forbids; returns a status.
cdef int distance(Completability* v, Recognizer* m, const Config* config, uint32_t* length) noexcept nogil

# The bytes that may follow, as 256 bits; returns how many, or a status.
cdef int next_bytes(Completability* v, Recognizer* m, const Config* config, uint32_t* bits) noexcept nogil
