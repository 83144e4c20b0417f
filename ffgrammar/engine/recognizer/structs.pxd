"""What the recognizer consists of, and configurations: where a text may stand. recognizer.pxd explains them."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.parser.rows cimport EarleyRows
from ffgrammar.engine.parser.tables cimport Rules
from ffgrammar.engine.values.trace cimport VIRTUAL, Trace, trace_start
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa
from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    NO_LEXEME = 0xFFFFFFFF

cdef struct Config:
    uint32_t row    # of the parser, or a virtual one
    uint32_t state  # of the lexer

cdef struct Recognizer:
    Nodes* nodes
    Rules* rules
    Dfa dfa
    EarleyRows rows
    Trace trace
    Owner owner
    Vec starts           # per row: the lexer state in which its lexemes begin, or UNKNOWN
    Vec starts_no_skip   # the same without skip lexemes
    Vec guards           # per row: its guard (see row_guard), or UNKNOWN
    Vec pairs            # scratch
    uint32_t closing     # how many brackets are closed on trial just now, to look ahead
    bint single_skip     # whether no skip lexeme may follow another one

cdef struct LexemeEnds:
    # Sets of lexemes, by number in the lexer's `lexsets`; NO_LEXEMES if no lexeme ended there.
    uint32_t before  # those that ended before a byte
    uint32_t after   # those that ended with it
    Config between   # after the lexemes of `before`; not set if there are none


cdef inline uint32_t parser_row(const Recognizer* m, uint32_t row) noexcept nogil:
    """The parser's row of a row that may be virtual."""
    return trace_start(&m.trace, row).row if row & VIRTUAL else row


cdef inline uint32_t lasting_row(const Recognizer* m, uint32_t row) noexcept nogil:
    """A number for a row that will still mean the same at the next question. Virtual rows with the same row of the parser share
    a number, which has the bit VIRTUAL. So what is kept under it must not depend on the text."""
    return parser_row(m, row) | <uint32_t>VIRTUAL if row & VIRTUAL else row


cdef inline uint64_t config_key(const Config* config) noexcept nogil:
    """A configuration as the key of a map."""
    return <uint64_t>config.row << 32 | config.state
