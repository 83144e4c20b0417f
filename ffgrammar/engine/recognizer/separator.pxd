"""Separators: a byte that may stand between any two lexemes, such as the space of `%ignore WS`.

Longest match can lose what the parser counts on (completability.pxd), but hardly where a byte that is skipped may keep lexemes
apart. A *separator* is a byte that is a skip lexeme by itself, together with a text for each other lexeme, its *witness*. Each
witness is ended by the separator; or it ends by itself, because no witness begins with a byte that could go on after it. (Keywords
that end in white space are of the second kind.) Likewise no witness begins with a byte that could go on after the separator. All
this is asked of one lexer state with all lexemes. The state of a row has some of them, so what ends a lexeme there ends it here,
too.

With a separator every row can be completed. The parser's tables have only productions that derive a text, so some sequence of
lexemes leads from the row to a sentence, and their witnesses, with the separator where it is needed, spell it. So a configuration
can be completed if the lexeme it is in has a match that the separator ends, or that ends before the first byte of every witness.
The lexer state alone decides that. So most states need no look-up of their row, and none of their configurations needs a search.

A lazy lexeme can end a witness too early, so grammars with lazy lexemes are left out. So are those with `single_skip`: the text may
stand after a skip lexeme, where no other one may come.
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
