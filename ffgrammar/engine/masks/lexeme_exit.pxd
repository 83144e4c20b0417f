"""Lexeme exits: the tokens in which the current lexeme ends, and something else may begin.

The trie walk has found the nodes where the lexeme can end (trie_walk.pxd). Here the parser is asked at each of them which row
comes next, and the trie below is walked byte by byte with lexer and parser together. Per node, this is some ten times slower
than with the lexer alone, but there is little to walk: most exits die at once.

In a virtual row an answer may depend on values in the text. The functions here report this through `text_dependent`, like those
of recognizer.pxd.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.recognizer.completability cimport Completability

# Set in `mask` the tokens at or below `exits` (pairs of words, see trie_walk.pxd) that may come if the current lexeme ends at
# the exit. `row` is that of the configuration before the tokens, and may be virtual. `leads` (trie_walk.pxd) may be NULL. Returns
# OK or a status.
cdef int walk_exits(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t row, const Vec* exits, uint32_t* mask,
    Vec* leads, bint* text_dependent,
) noexcept nogil
