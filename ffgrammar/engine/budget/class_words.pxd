"""The tokens that stay inside a lexeme, grouped by the lexer state that they lead to, as they are kept for all grammars.

The classes of a state depend on what its partition depends on, and are kept beside it (engine/masks/partition_cache.pxd). Grammars
number their states differently. So a class is kept with one of its tokens, which leads any grammar to the state of the class.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine

cdef class ClassWords:
    # - Whether some state inside the lexeme is complete.
    # - How many states stand above exits. For each of them a token and a length: that many bytes of the token lead to it.
    # - How many exits there are. For each of them its node in the trie, and which of these states is above it.
    # - For each class one of its tokens, then the set of them (token_set.pxd).
    cdef Vec words

# Take a byte inside a lexeme. Write the state after it, or DEAD if the lexeme does not go on; `exits` then tells whether it ends,
# before or with the byte. A lexeme that is complete and cannot go on ends, too. `state` may be DEAD. Returns a status.
cdef int inside_step(Engine engine, uint32_t state, uint32_t byte, uint32_t* target, bint* exits) noexcept nogil

# The classes of a lexer state, found or made. Runs with the engine's lock held. Raises LimitError and MemoryError.
cdef ClassWords words_of(Engine engine, uint32_t state)
