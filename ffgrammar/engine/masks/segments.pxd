"""Masks where lexemes end often: segments of tokens, each read by one lexer state.

In a program most tokens begin where a name or a space has just ended, so a token runs through several lexemes. Walking the trie
with lexer and parser together costs much for each node, and does it anew in every row. What the lexer does between two ends of
lexemes is the same in all rows, though. So a token is cut where lexemes end:

- A *tail* (segment_walk.pxd) is what is left of the tokens at places of the trie where a lexeme has ended, the same lexemes at all.
- A *segment* is what one lexer state makes of one tail: the tokens that it reads to their end, and further tails, one for each
  set of lexemes that end. It depends on the lexer only, and is kept for all rows.

A mask follows from segments by asking the parser once for each set of lexemes that end, instead of once for each node: from the
row and the lexemes follows the next row, from this row the lexer state in which its lexemes begin, and from this state and the
tail the next segment.

A tail of the root's children needs no segment. It is there where the current lexeme can end before a token's first byte, and what
may come then is the mask of the configuration after the lexeme.

In grammars in which a text may be lost to longest match (completability.pxd), each lexer state that tokens reach is asked once
for each row whether the text can be completed from it, unless the state is safe in all rows (separator.pxd).

A lexer state in which a lexeme ends with most characters has no segments, because they would be a byte long. There the walk over
configurations (config_walk.pxd) goes on.

Rows are plain here: grammars with checks of values do not use this file.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.config_walk cimport ConfigTable
from ffgrammar.engine.masks.segment_walk cimport SegmentWalk
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.recognizer.completability cimport Completability
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

cdef struct Segments:
    Owner owner
    SegmentWalk walk
    Intern tails
    Map index           # state << 32 | tail -> offset of a segment in `words`
    Map own             # row << 32 | offset of a segment -> offset of the one that holds in this row, where not all of it does
    Vec words           # the segments, one after another
    Map begin           # tail of the root's children -> offset in `words` of a mask: the tokens that begin with one of its bytes
    Vec everywhere      # per number of a lexer state: whether lexemes end there with most characters; above 1: not known
    Vec places          # scratch
    ConfigTable* configs

# `vocab` and `configs` must live as long as the segments. Returns OK or NO_MEMORY. Free them with owner_free in either case.
cdef int segments_init(Segments* s, const Vocabulary* vocab, ConfigTable* configs) noexcept nogil

# Forget everything.
cdef void segments_clear(Segments* s) noexcept nogil

# Point the walk to its grammar. Call this before any of the functions below.
cdef void segments_bind(Segments* s, Completability* c, Recognizer* m) noexcept nogil

# Whether the current lexeme of a state can end before a token's first byte: 1, 0 or a status. If it can, writes the lexemes that
# end there, and the tail.
cdef int ends_at_root(Segments* s, uint32_t state, uint32_t* lexset, uint32_t* tail) noexcept nogil

# Add to `mask` the tokens of `after`, a mask, that begin with a byte of a tail of the root's children. Returns OK or NO_MEMORY.
cdef int add_begins(Segments* s, uint32_t tail, const uint32_t* after, uint32_t* mask) noexcept nogil

# Add to `mask` the tokens of the trie that may come in a configuration, but for those before which the current lexeme ends. Returns
# OK or a status.
cdef int add_segments(Segments* s, const Config* config, uint32_t* mask) noexcept nogil
