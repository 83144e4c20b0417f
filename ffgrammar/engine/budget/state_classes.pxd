"""The tokens that stay inside a lexeme, grouped by the lexer state that they lead to, with the states of one grammar.

The groups belong to the lexer state alone, so all rows share them. Inside a JSON string nearly all tokens lead back to the same
state: then one set stands for them all.

A walk over the whole trie finds the classes of a state (class_words.pxd). It is not needed where another grammar has made it, where
states differ in the count of a loop (counted_loop.pxd), and where a state hardly differs from its base (class_patch.pxd). On 99
fresh schemas of MaskBench's development set, these three together bring the average mask under an ample budget from 292 us to 32.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.budget.class_words cimport ClassWords
from ffgrammar.engine.engine cimport Engine

cdef enum:
    NO_CLASS = 0xFFFFFFFF

cdef class StateClasses:
    cdef ClassWords kept
    cdef uint32_t root  # the state whose classes were patched; the state itself if there are no patches
    cdef Vec states     # by class, its lexer state
    cdef Vec starts     # by class, where its set begins in the words of `kept`; classes of patched tokens have none
    cdef Vec patched    # (token, its class, or NO_CLASS): tokens that are not in the class whose set has them, if one has
    # (node of the trie, the state above it): the lexeme may end before or with the node's byte. Where the classes are those of a
    # longer loop, it cannot end at some of these nodes.
    cdef Vec exits

    # About how many bytes it takes beside `kept`.
    cdef size_t size(self)


# The classes that a grammar knows. `bytes` is about how many bytes they take.
cdef class ClassTable:
    cdef dict by_state    # lexer state -> StateClasses
    cdef dict words       # lexer state -> ClassWords, which several states may share
    cdef size_t bytes

    cdef void clear(self) noexcept

    # The classes of a lexer state, found or made. Runs with the engine's lock held. Raises LimitError and MemoryError.
    cdef StateClasses find(self, Engine engine, uint32_t state)

    cdef StateClasses make(self, Engine engine, uint32_t state)

    # The classes of a state that has a base; None if a walk of its own takes less time.
    cdef StateClasses patch(self, Engine engine, uint32_t state, uint32_t base)

    # What is kept of a state for all grammars.
    cdef ClassWords kept_words(self, Engine engine, uint32_t state)
