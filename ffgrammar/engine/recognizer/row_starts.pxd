"""The lexer state in which the lexemes that a row allows begin."""

from libc.stdint cimport uint32_t

from ffgrammar.engine.recognizer.structs cimport Recognizer

# Write the lexer state in which the lexemes that `row` allows begin, and those that are carried go on. `skips` says whether skip
# lexemes are among them. Returns a status.
cdef int row_start(Recognizer* m, uint32_t row, bint skips, uint32_t* state) noexcept nogil
