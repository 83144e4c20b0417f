"""Base states: for a lexer state, another one whose partition is likely to be known and nearly the same.

Inside a JSON string of at most 40 characters, or inside a key that must be none of 30 names, almost every token does the same as
inside a string without restrictions. So the partition of the restricted string is made from that of the unrestricted one, and
only the few tokens that tell the two apart are walked (trie_walk.pxd). The choice of the base is a guess that affects only the
cost: the result is exact whatever the base is.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# Find the base of a state, and write it to `base`. The base has those lexemes of the state that begin with a loop or that
# `relaxed` (regex/expr/approximate.pxd) makes simpler. `relaxed` drops bounds of loops, and what a lexeme must not be. If there
# is no base, or if starting from it would not pay, `base` becomes `state` itself. `base_states` caches the answers; `scratch` is
# overwritten. Returns OK or a status.
cdef int base_state(Dfa* dfa, uint32_t state, Map* base_states, Vec* scratch, uint32_t* base) noexcept nogil
