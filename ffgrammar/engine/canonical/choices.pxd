"""Choices: the tokens that the grammar and the pre-tokenizer let come at a place, whatever token stands before them."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.token_walk cimport TokenWalk
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    CHOICE_WORDS = 3  # of `found`


@cython.final
cdef class Choices:
    cdef CanonicalRules rules
    cdef Intern names  # (row, lexer state, hypotheses)
    cdef Vec offsets   # by name: where its choices are in `found`, ASKED_ONCE or TOO_MANY
    cdef Vec found     # lists: a count, then for each token its number, and the row and the lexer state after it

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything. Returns OK or NO_MEMORY.
    cdef int clear(self) noexcept nogil

    # Whether choices are listed at a place. Returns True or False.
    cdef bint serves(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Find the choices at the place where a walk begins, which must be one that `serves`: write where they are in `found`. They are
    # tokens that go on with the pre-token. `bytes` has the bytes that may come, as bits. A list is made when it is asked for the
    # second time. Returns 1; 0 if there is no list; or a status. Call this with the engine's lock held.
    cdef int find(self, Engine engine, TokenWalk* walk, const uint32_t* bytes, uint32_t* offset) noexcept nogil

    # Part of `find`: append the list. Returns as `find`.
    cdef int make_list(self, Engine engine, TokenWalk* walk, const uint32_t* bytes) noexcept nogil
