"""Separators: a byte that may stand between any two lexemes, such as the space of `%ignore WS`.

Longest match can lose what the parser counts on (completability.pxd), but hardly where a byte that is skipped may keep lexemes
apart. So a *separator* is sought once for each grammar: a byte that is a skip lexeme by itself, and for each lexeme a text, its
*witness*, such that the byte ends the witness, and no witness begins with what could go on after the byte. All this is asked of
the lexer state of all lexemes together. Any other start state has fewer lexemes, so in any context at least as much ends.

With a separator, any row can be completed: some sequence of lexemes leads on from the row to a sentence, and their witnesses
with the byte between them are a text of that sequence. So a configuration can be completed if its lexeme can, which is a
question about the lexer state alone: does some text lead from the state to a match that the separator ends? Most states need
no look-up of their row, and none of their configurations needs a search.

A witness may also end by itself: if no witness begins with what could go on after it, it needs no separator behind it. Keywords
that end in white space are of this kind.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Recognizer

cdef struct Separator:
    bint found
    uint32_t byte
    uint32_t[8] firsts  # the bytes with which witnesses begin, as a set (core/bits.pxd)
    Vec safe            # per number of a lexer state: 1, 0 or UNKNOWN, see is_safe
    uint32_t steps      # how many transitions the search has taken

# Look for a separator. It is not found in grammars with lazy lexemes, with `single_skip`, or without skip lexemes, and where the
# search takes too long. `s.safe` must be initialised. Returns OK or NO_MEMORY.
cdef int separator_find(Separator* s, Recognizer* m) noexcept nogil

# Whether every configuration with this lexer state can be completed: 1, 0 or NO_MEMORY. 0 may also mean that the answer
# depends on the row. `s.found` must be True.
cdef int is_safe(Separator* s, Recognizer* m, uint32_t state) noexcept nogil
