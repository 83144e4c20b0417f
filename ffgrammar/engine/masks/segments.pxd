"""Masks at the places where lexemes end often: segments of tokens, each read by one lexer state.

In a program most tokens begin where a name or a space has just ended, so a token runs through several lexemes. Walking the trie
with lexer and parser together takes microseconds a node, and does it anew in every row. What the lexer does between two ends of
lexemes is the same in all rows, though. So a token is cut where lexemes end:

- A *tail* is a set of places in the trie where a lexeme has ended, always the same lexemes: what is left of the tokens there.
- A *segment* is what one lexer state makes of one tail: the tokens that it reads to their end, and further tails, one for each
  set of lexemes that end. It depends on the lexer only, and is kept for all rows.

A mask follows from segments by asking the parser once for each set of lexemes that end, instead of once for each node: from the
row and the lexemes follows the next row, from this row the lexer state in which its lexemes begin, and from this state and the
tail the next segment.

A tail at the root of the trie needs no segment. It is left where a token begins with what ends the current lexeme, and what may
follow is the mask of the next row.

In grammars in which a text may be lost to longest match (completability.pxd), each lexer state that tokens reach is asked once
for each row whether the text can be completed from it, unless the state is safe in all rows (separator.pxd).

Rows are plain here: grammars with checks of values do not use this file.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.recognizer.completability cimport Completability
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

cdef struct Segments:
    Owner owner
    Intern tails        # a tail: nodes of the trie, see segments.pyx
    Map index           # state << 32 | tail -> offset of a segment in `words`
    Vec words           # the segments, one after another
    Map begin           # tail at the root -> offset in `words` of the tokens that begin with one of its bytes, as a mask
    # scratch
    Vec exits
    Vec tokens
    Vec reached
    Vec stamps          # per number of a lexer state: the epoch in which it was reached
    Vec mask            # a mask and a spare word, all zero between calls
    uint32_t epoch

# `n_words` is that of a mask. Returns OK or NO_MEMORY. Free it with owner_free in either case.
cdef int segments_init(Segments* s, uint32_t n_words) noexcept nogil

# Forget everything.
cdef void segments_clear(Segments* s) noexcept nogil

# Whether tokens may begin with what ends the current lexeme of a state: 1, 0 or a status. If they may, writes the lexemes that end
# there, and the tail.
cdef int ends_at_root(
    Segments* s, const Vocabulary* v, Completability* c, Recognizer* m, uint32_t state, uint32_t* lexset, uint32_t* tail,
) noexcept nogil

# Add to `mask` the tokens of `after`, a mask, that begin with a byte of a tail at the root. Returns OK or a status.
cdef int add_begins(Segments* s, const Vocabulary* v, uint32_t tail, const uint32_t* after, uint32_t* mask) noexcept nogil

# Add to `mask` the tokens of the trie that may come in a configuration, but for those of the tail at the root. Returns OK or a
# status.
cdef int add_segments(
    Segments* s, const Vocabulary* v, Completability* c, Recognizer* m, const Config* config, uint32_t* mask,
) noexcept nogil
