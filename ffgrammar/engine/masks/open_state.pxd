"""Open states: a lexer state without the lexemes that are read only beside others (ir.Template.beside).

A lexeme that is read beside another one matches some of its texts. So whether a token stays inside the lexemes of a state, dies or
exits depends on its *open state* alone. Which lexemes end at an exit depends on all of them, and few tokens exit.

    a string            | the open state of a place where a string comes
    a string with "a"   | read beside it: which of the letters has a text? 20 letters make 2^20 states,
    a string with "b"   | but only the tokens that end the string are read with them
    …
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# Find or make the open state of a state, and write it to `found`. It is `state` itself where no lexeme is read beside another one.
# `scratch` is overwritten. Returns OK or a status.
cdef int open_state(Dfa* dfa, uint32_t state, Vec* scratch, uint32_t* found) noexcept nogil

# Turn the exits of the open state of a state into those of the state: put in the sets of lexemes that end there. Returns OK or a
# status.
cdef int close_exits(Dfa* dfa, const Vocabulary* v, uint32_t state, Vec* exits) noexcept nogil
