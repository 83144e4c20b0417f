"""Checks of what a text says, at the end of a lexeme."""

from libc.stdint cimport uint32_t

from ffgrammar.engine.recognizer.structs cimport Config, Recognizer

# Drop from a set the lexemes whose checks fail. A virtual `row` already includes the text of these lexemes. Returns 1; 0 if no
# lexeme is left; or a status.
cdef int check_lexemes(Recognizer* m, uint32_t row, uint32_t* lexset, bint* text_dependent) noexcept nogil

# recognizer_end_lexeme in a grammar that has checks; `skips` says whether a skip lexeme may come next.
cdef int end_checked_lexeme(
    Recognizer* m, uint32_t row, uint32_t lexset, bint skips, Config* config, bint* text_dependent,
) noexcept nogil
