"""Notes on the lexer states of a grammar, shared by all grammars of a tokenizer."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine

cdef enum:
    # topics
    SURVEY = 0
    WHOLE_SURVEY = 1
    DOUBTS = 2  # the first topic of doubtful tokens: each transition has a topic of its own


@cython.final
cdef class Notes:
    cdef Map found  # (lexer state, topic) -> offset in `words`
    cdef Vec words  # the notes

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Forget everything. Call this when the engine has forgotten its lexer states.
    cdef int clear(self) noexcept nogil

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Look up the note on a state and a topic, and write the offset in `words` where it begins. Returns KEPT if it is there;
    # NOT_KEPT if the caller has to make the note and append it; or a status.
    cdef int find(self, Engine engine, uint32_t state, uint32_t topic, uint32_t* offset) noexcept nogil

    # Keep the note that was appended from `base` on, or drop it if `status` is below zero.
    cdef int keep(self, Engine engine, uint32_t state, uint32_t topic, size_t base, int status) noexcept nogil
