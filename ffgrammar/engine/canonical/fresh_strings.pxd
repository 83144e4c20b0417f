"""Strings that are unlike all strings of the text."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.values.trace cimport TraceMark
from ffgrammar.tokens.canonical.rules cimport CanonicalState


@cython.final
cdef class FreshStrings:
    cdef Lookahead lookahead
    cdef Vec alike  # scratch: strings of the text, by number

    # All methods run with the engine's lock held and the look-ahead entered. `config` is on a virtual row.

    # Whether the pre-token can end at a place inside a string, whatever this string is, as long as it is fresh. "No" means only
    # that this was not found. `at` is the rules' state. SearchSteps.dependent_answers stays as it was. Returns 1, 0 or a status.
    cdef int can_end(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # The same, whether a token can come and a sentence goes on after it. The last token is UNCONSTRAINED.
    cdef int can_follow(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token) noexcept nogil

    # Part of can_end and can_follow: from now on no string counts as fresh. Returns nothing.
    cdef void end(self, Engine engine, const TraceMark* mark, size_t answers) noexcept nogil

    # Set the bits of the tokens after which the string may still equal one in the text. `config` is the configuration before the
    # token. Returns 1; 0 as trace_alike does; or a status.
    cdef int mark_alike(self, Engine engine, const Config* config, uint32_t* words) noexcept nogil

    # Part of mark_alike: the tokens after which the string may equal one that goes on with these bytes. Returns nothing.
    cdef void mark_along(self, const uint8_t* bytes, size_t count, uint32_t* words) noexcept nogil

    # Part of mark_alike and mark_along: the tokens that go on with an escape after a node of the trie. Returns nothing.
    cdef void mark_escapes(self, uint32_t node, uint32_t* words) noexcept nogil
