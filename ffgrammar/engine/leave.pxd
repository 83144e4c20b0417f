"""Tokens that leave a lexeme: below the places where they do, the parser is asked byte by byte."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.machine cimport Config, Machine
from ffgrammar.engine.split cimport Vocabulary
from ffgrammar.engine.viability cimport Viability

# Set the tokens that may leave at some places (see split.pxd), in a row that may be virtual. Returns a status.
cdef int leave_at(
    const Vocabulary* v, Viability* viability, Machine* m, uint32_t row, const Vec* places, uint32_t* mask,
) noexcept nogil

# Set the tokens strictly below a trie node, the plain way.
cdef int walk(
    const Vocabulary* v, Viability* viability, Machine* m, uint32_t above, const Config* config, uint32_t* mask,
) noexcept nogil
