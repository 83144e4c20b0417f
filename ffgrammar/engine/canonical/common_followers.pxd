"""Common followers: a few tokens that can follow nearly every token."""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie


@cython.final
cdef class CommonFollowers:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    # Scratch.
    cdef Vec words       # a mask: the predecessors of the followers
    cdef Vec followers

    # All methods run with the engine's lock held and the look-ahead entered. They return OK or a status.

    # In the mask `followed`, keep only those tokens that some common follower can follow. The common followers are looked for in
    # the configuration `config`, with the hypotheses of `at`. `at.last` must be UNCONSTRAINED, and `at` must
    # not be inside a character.
    cdef int keep_followed(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t* followed) noexcept nogil

    # Part of keep_followed: append to `followers` a few tokens that may come next, each of which is one ASCII character.
    cdef int list_characters(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Part of keep_followed: add the predecessors of a token to `words`.
    cdef int add_predecessors(self, uint32_t token) noexcept with gil
