"""The recognizer: lexer and parser together, one byte at a time.

A configuration (row, lexer state) decides everything that may follow a text. A byte moves the lexer. The parser is asked for
the next row only where a lexeme ends. While a container is open whose values or keys are checked (`uniqueItems`, for example),
the row is a virtual one (engine/values/trace.pxd), which also remembers the text since that container was opened.

Functions that may run a check take `text_dependent`. They set it to True if their answer depends on values in the text so far,
and not only on the parser's row and the lexer state. They never set it to False, so one variable serves a whole series of
calls. A caller that does not need to know passes NULL.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.parser.rows cimport EarleyRows
from ffgrammar.engine.parser.tables cimport Rules, TokenClass
from ffgrammar.engine.values.trace cimport VIRTUAL, Trace, trace_start
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa
from ffgrammar.regex.expr.nodes cimport Nodes

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

# Returns a status. recognizer_free may be called whatever the status was.
cdef int recognizer_init(Recognizer* m, Nodes* nodes, Rules* rules, bint single_skip) noexcept nogil
cdef void recognizer_free(Recognizer* m) noexcept nogil

# Forget every row and state: all configurations become invalid. Returns a status.
cdef int recognizer_clear(Recognizer* m) noexcept nogil

# Bytes of all rows, states and traces.
cdef size_t recognizer_bytes(const Recognizer* m) noexcept nogil

# Write the configuration of the empty text. Returns a status.
cdef int recognizer_first(Recognizer* m, Config* config) noexcept nogil

# Write the configuration after a lexeme of `lexset` has ended in `row`. (A virtual `row` already includes the lexeme's text.)
# Returns 1; 0 if no lexeme of the set passes its check, or if later checks let nothing follow; or a status.
cdef int recognizer_end_lexeme(
    Recognizer* m, uint32_t row, uint32_t lexset, Config* config, bint* text_dependent,
) noexcept nogil

# Move by one byte. Returns 1; 0 if the byte is not possible; or a status. Unless it returns 1, the configuration stays. A byte
# counts as possible even if no sentence can follow: completability.pxd has the stricter `step`.
cdef int recognizer_move(Recognizer* m, Config* config, uint32_t byte, bint* text_dependent) noexcept nogil

# recognizer_move in a grammar without checks; writes to `ends` which lexemes ended.
cdef int recognizer_move_noting(Recognizer* m, Config* config, uint32_t byte, LexemeEnds* ends) noexcept nogil

# Whether the current lexeme has read something, matches, and cannot go on with any byte: 1, 0 or a status.
cdef int recognizer_is_finished(Recognizer* m, const Config* config) noexcept nogil

# Move by a special token of a class. It ends the current lexeme. Returns 1; 0 if no lexeme of the class may come here; or a
# status. Unless it returns 1, the configuration stays.
cdef int recognizer_token(Recognizer* m, Config* config, const TokenClass* tokens) noexcept nogil

# Whether the text so far is a sentence: 1, 0 or a status.
cdef int recognizer_accepting(Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil


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
