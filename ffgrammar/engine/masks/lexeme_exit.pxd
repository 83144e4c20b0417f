"""Tokens that leave a lexeme: below the exits where they do, the parser is asked byte by byte."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.recognizer.completability cimport Completability

# Set the tokens that may leave at some exits (see trie_walk.pxd), in a row that may be virtual. Returns a status.
cdef int walk_exits(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t row, const Vec* exits, uint32_t* mask,
) noexcept nogil

# Set the tokens strictly below a trie node, the plain way.
cdef int walk(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t above, const Config* config, uint32_t* mask,
) noexcept nogil
