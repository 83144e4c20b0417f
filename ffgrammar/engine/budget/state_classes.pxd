"""Sets of tokens, and the tokens that stay inside a lexeme, grouped by the lexer state that they lead to.

These groups belong to the lexer state alone, so all rows share them. Inside a JSON string nearly all tokens lead back to the same
state: then one set stands for them all.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine

cdef class TokenSet:
    # Tokens as a list, if it is at most a quarter as long as a mask, or as the words of a mask.
    cdef bint dense
    cdef bytes words
    cdef uint32_t count  # of `words`

    # Add the tokens to a mask.
    cdef void add_to(self, uint32_t* mask) noexcept


cdef class StateClasses:
    cdef list states   # lexer states
    cdef list sets     # for each the tokens that lead to it
    cdef Vec exits     # (node of the trie, the state above it): the lexeme ends before or with the node's byte

    # Bytes of the sets.
    cdef size_t size(self)


# The set of the `count` tokens at `tokens`.
cdef TokenSet set_of_list(const uint32_t* tokens, size_t count, uint32_t n_words)

# The set of the tokens of a mask.
cdef TokenSet set_of_mask(const uint32_t* mask, uint32_t n_words)

# The classes of a lexer state. Runs with the engine's lock held. Raises LimitError and MemoryError.
cdef StateClasses classes_of(Engine engine, uint32_t state)
