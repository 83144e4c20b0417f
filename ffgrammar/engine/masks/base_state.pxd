"""Lexer states that resemble each other: hardly a token tells them apart."""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# A state whose partition is likely to be known and hardly differs from that of `state`: with those of its lexemes only that begin
# with a loop, without what bounds their loops and without what they must not be. It is `state` itself where there is none.
# `likes` remembers the answers. Returns a status.
cdef int base_state(Dfa* dfa, uint32_t state, Map* base_states, Vec* scratch, uint32_t* other) noexcept nogil
