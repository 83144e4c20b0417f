"""Hints: the tokens with which searches succeeded."""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.boundaries cimport Boundaries
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalState

cdef enum:
    HINTS = 256  # configurations whose hint is kept


cdef struct Hint:
    Config config
    uint32_t token


@cython.final
cdef class Hints:
    cdef Boundaries boundaries
    cdef Hint[HINTS] kept  # of the configurations searched from last

    # All methods run with the engine's lock held.

    # Forget all hints.
    cdef void forget(self) noexcept nogil

    # Keep the token with which a search from a configuration succeeded.
    cdef void keep(self, Engine engine, const Config* config, uint32_t token) noexcept nogil

    # The hint for a configuration, or NULL.
    cdef const Hint* of(self, Engine engine, const Config* config) noexcept nogil

    # Whether a sentence is found to go on by one hint after another, without a search. `at` is the rules' state after the last
    # token. Returns 1, 0 or a status.
    cdef int follow(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil
