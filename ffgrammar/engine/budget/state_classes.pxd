"""Sets of tokens, and the tokens that stay inside a lexeme, grouped by the lexer state that they lead to.

The groups belong to the lexer state alone, so all rows share them. Inside a JSON string nearly all tokens lead back to the same
state: then one set stands for them all.

Other grammars of the vocabulary share the groups, too: they are kept beside the partitions (engine/masks/partition_cache.pxd).
Other grammars number their states differently. So a group is kept with one of its tokens, which leads any grammar to the group's
state. On fresh grammars this makes masks under a budget six times as fast.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine

cdef class StateClasses:
    cdef Vec words      # what is kept for all grammars (state_classes.pyx)
    cdef list states    # by class, its lexer state
    cdef list starts    # by class, where its set begins in `words`
    cdef Vec exits      # (node of the trie, the state above it): the lexeme ends before or with the node's byte

    # Bytes of the sets.
    cdef size_t size(self)


# A set of tokens is a count of words and these words: the tokens, if they are at most a quarter as many as a mask has words, or
# else a mask. Add a set to a mask.
cdef void add_set(const uint32_t* set_words, uint32_t n_words, uint32_t* mask) noexcept nogil

# The classes of a lexer state. Runs with the engine's lock held. Raises LimitError and MemoryError.
cdef StateClasses classes_of(Engine engine, uint32_t state)
