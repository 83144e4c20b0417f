"""Approximate states: a lexer state whose partition is likely to be known, and nearly that of the state at hand.

A string of at most 40 characters, or one with 30 names excluded, treats almost every token as any string does. So its partition
is made from that of any string, and only the few tokens that tell the two apart are walked (trie_walk.pxd). Which state to start
from is a guess that affects cost only: the result is exact whatever the base is.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# Find the base of a state, written to `base`: the state of those of its lexemes that begin with a loop, without the bounds of
# their loops and without what they must not be. It is `state` itself where there is none, or where starting from it would not
# pay. `base_states` caches the answers; `scratch` is overwritten. Returns OK or a status.
cdef int base_state(Dfa* dfa, uint32_t state, Map* base_states, Vec* scratch, uint32_t* base) noexcept nogil
