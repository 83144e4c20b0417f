"""The recognizer: lexer and parser together, one byte at a time.

A configuration (row, lexer state) decides everything that may follow a text. A byte moves the lexer. The parser is asked for
the next row only where a lexeme ends. While a container is open whose values or keys are checked (`uniqueItems`, for example),
the row is a virtual one (engine/values/trace.pxd), which also remembers the text since that container was opened.

Functions that may run a check take `text_dependent`. They set it to True if their answer depends on values in the text so far,
and not only on the parser's row and the lexer state. They never set it to False, so one variable serves a whole series of
calls. A caller that does not need to know passes NULL.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.parser.tables cimport Rules, TokenClass
from ffgrammar.engine.recognizer.structs cimport Config, LexemeEnds, Recognizer, config_key, lasting_row, parser_row
from ffgrammar.regex.expr.nodes cimport Nodes

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
