"""Lexer and parser together: configurations and how a byte moves them.

A configuration (row, lexer state) decides everything that may follow. A byte moves the lexer; only where a lexeme ends is
the parser asked for the next row. While the trace runs (engine/values/trace.pxd), the row is a virtual one.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.parser.earley cimport EarleyRows
from ffgrammar.engine.parser.tables cimport Rules
from ffgrammar.engine.values.trace cimport VIRTUAL, Trace, trace_start
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa
from ffgrammar.regex.expr.nodes cimport Nodes

cdef struct Config:
    uint32_t row
    uint32_t state

cdef struct Recognizer:
    Nodes* nodes
    Rules* rules
    Dfa dfa
    EarleyRows rows
    Trace trace
    Vec starts           # per row: its first lexer state, or UNKNOWN
    Vec starts_no_skip   # the same without skip lexemes
    Vec guards           # per row: see row_guard
    uint32_t closing     # brackets that are being closed to look ahead
    Vec pairs            # scratch
    bint single_skip

cdef int recognizer_init(Recognizer* m, Nodes* nodes, Rules* rules, bint single_skip) noexcept nogil
cdef void recognizer_free(Recognizer* m) noexcept nogil

# Forget every row and state (configurations become invalid).
cdef int recognizer_clear(Recognizer* m) noexcept nogil
cdef size_t recognizer_bytes(const Recognizer* m) noexcept nogil

# The configuration of the empty text.
cdef int recognizer_first(Recognizer* m, Config* config) noexcept nogil

# The configuration after a lexeme of `lexset` ended in `row`, which may be virtual (with its text up to there): 1, 0 where
# the checks leave none, or a status.
cdef int recognizer_end_lexeme(Recognizer* m, uint32_t row, uint32_t lexset, Config* config) noexcept nogil

# One byte: 1 moved, 0 not possible (config is as before), or a status. (Whether the text can be completed: completability.pxd.)
cdef int recognizer_move(Recognizer* m, Config* config, uint32_t byte) noexcept nogil

# Whether the text so far is a sentence: 1, 0 or a status.
cdef int recognizer_accepting(Recognizer* m, const Config* config) noexcept nogil


cdef inline uint32_t parser_row(const Recognizer* m, uint32_t row) noexcept nogil:
    """The parser's row of a row that may be virtual."""
    return trace_start(&m.trace, row).row if row & VIRTUAL else row
