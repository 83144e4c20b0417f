"""Separators: a byte that may stand between any two lexemes, such as the space of `%ignore WS`.

Longest match can lose what the parser counts on (completability.pxd), but hardly where a byte that is skipped may keep lexemes
apart. A *separator* is a byte that is a skip lexeme by itself, together with a text for each other lexeme, its *witness*. Where a
lexeme may follow another one (followers.pxd), either the first byte of its witness ends the other's witness; or the separator ends
it, and the text after the separator does not go on with this first byte. (Keywords that end in white space, and ends of lines, are
of the first kind. If all are, no separator is needed.) All this is asked of one lexer state with all lexemes. The state of a row
has some of them, so what ends a lexeme there ends it here, too.

With a separator every row can be completed. The parser's tables have only productions that derive a text, so some sequence of
lexemes leads from the row to a sentence, and their witnesses, with the separator where it is needed, spell it. So a configuration
can be completed if the lexeme it is in has a match that the witnesses of all its followers may follow, with or without the
separator. The lexer state alone decides that. So most states need no look-up of their row, and none of their configurations needs
a search.

The lexemes of a composition are in groups, one for each part, and so are those of rules and of schemas in a Lark text. Each group
has a separator of its own, or it is delimited and needs none. What stands between a lexeme of one group and one of another is
known from the front-end (`ir.LexemeGroup`). A lexeme that ends anywhere ends wherever its witness does. Where skips may stand in
some places only (`Rules.skip_bits`), the separator is one that may stand wherever any skip may, and does not count elsewhere.

A lazy lexeme can end a witness too early, so groups with lazy lexemes have no separator. With `single_skip` no byte can be one:
the text may stand after a skip lexeme, where no other one may come.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.followers cimport Followers
from ffgrammar.engine.recognizer.recognizer cimport Recognizer
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa
from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    MAX_STEPS = 1 << 21   # transitions that one search looks at for the nearest match
    ANY_BYTE = 256
    NO_SEPARATOR = 256    # in place of the byte: every witness ends by itself
    BYTE_SET = 8          # words of a set of bytes

cdef struct Separator:
    bint found       # whether each group is delimited, or has a separator, or needs none
    Vec bytes        # per group that is not delimited: the separator, or NO_SEPARATOR if every witness ends by itself
    Vec live_after   # per group: the bytes with which a text may go on after the separator, as a set of 8 words (core/bits.pxd)
    Vec firsts       # per lexeme: the bytes with which the witnesses of its followers begin, likewise
    Followers followers
    bint settles     # whether witnesses may be longer than the shortest texts
    Vec safe         # per number of a lexer state: 1, 0 or UNKNOWN, see is_safe
    Dfa alone        # in a grammar with threads: the automaton for one thread, in which lexemes end by longest match
    # scratch of the search
    Vec live         # per lexeme: the bytes with which it goes on after its witness, where the separator is of no use
    Vec clashing     # per lexeme: the bytes with which its witness must not begin
    Vec witnesses    # per lexeme: the first byte of its witness
    Vec pairs
    uint32_t steps   # how many transitions the search has taken

# Returns a status. separator_free may be called whatever the status was.
cdef int separator_init(Separator* s, Nodes* nodes) noexcept nogil
cdef void separator_free(Separator* s) noexcept nogil

# Forget everything that has numbers of lexer states in it.
cdef void separator_clear(Separator* s) noexcept nogil

# Bytes of all tables.
cdef size_t separator_bytes(const Separator* s) noexcept nogil

# Whether every configuration with this lexer state can be completed: 1, 0 or NO_MEMORY. 0 may also mean that the answer
# depends on the row. `s.found` must be True.
cdef int is_safe(Separator* s, Recognizer* m, uint32_t state) noexcept nogil

# Go on by a short text to a state that matches a lexeme, at least by one byte. `first` is the byte to begin with, or ANY_BYTE, and
# becomes the byte that was taken; it may be NULL. Returns 1; 0 if no such text is found; or a status.
cdef int follow(Separator* s, Dfa* d, uint32_t lexeme, uint32_t* state, uint32_t* first) noexcept nogil

# Whether the lexeme of a state ends before a byte: 1, 0 or a status. Nothing ends before NO_SEPARATOR.
cdef int ends_before(Dfa* d, uint32_t state, uint32_t byte) noexcept nogil

# Add to a set the bytes before which the lexeme of a state does not end. Returns OK or a status.
cdef int add_live(Dfa* d, uint32_t state, uint32_t* bytes) noexcept nogil

# Where a lexeme matches but `byte` does not end it, go on to a longer match if fewer bytes can follow there: after the keyword
# and space of "union" or "union all", the word "all" may follow, but not after the longer one. Returns 1 or a status.
cdef int settle(Separator* s, Dfa* d, uint32_t lexeme, uint32_t byte, uint32_t* state) noexcept nogil

# Whether the text of a lexeme that leads to a state goes on with a byte that is not in a set, and with which the text after a
# separator goes on, too, if one may stand there: 1, 0 or a status.
cdef int goes_on_outside(
    Separator* s, Dfa* d, uint32_t state, uint32_t lexeme, uint32_t group, const uint32_t* bytes,
) noexcept nogil


cdef inline Dfa* lexer(Separator* s, Recognizer* m) noexcept nogil:
    """An automaton in which all lexemes of a state compete."""
    return &s.alone if m.dfa.threads.present else &m.dfa
