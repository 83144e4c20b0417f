"""Single tokens: whether a sentence goes on after one token, and whether the pre-token can end after it."""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.followers cimport Followers
from ffgrammar.engine.canonical.leads cimport Leads
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.parts cimport MaskParts
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.sieve cimport SievePart
from ffgrammar.tokens.canonical.transitions cimport Transition
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie


@cython.final
cdef class SingleTokens:
    cdef MaskParts parts
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef Reach reach
    cdef Leads leads
    cdef Followers followers
    cdef Vec state_ends  # scratch: what Reach.ends_after says of a configuration

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method
    # returns a status; if the comment begins with "Whether", it returns 1, 0 or a status.

    # Append a token to `dead` if it is a dead end. The token comes in a part, at the place of the leads.
    cdef int judge(self, Engine engine, const SievePart* part, uint32_t token, Vec* dead) noexcept nogil

    # `judge` for a token that leads to `config`. The pre-token cannot end after this token.
    cdef int judge_at(
        self, Engine engine, const SievePart* part, const Config* config, uint32_t token, Vec* dead) noexcept nogil

    # Whether some sentence goes on after a token that comes in a part. `node` is CanonicalState.node of the part's hypothesis.
    cdef int goes_on(
        self, Engine engine, const Config* config, const SievePart* part, uint32_t node, uint32_t token) noexcept nogil

    # Set `at` to the state before a token that comes in a part. `node` is as in goes_on.
    cdef void set_start(self, CanonicalState* at, const SievePart* part, uint32_t node) noexcept nogil

    # Whether a node of the trie and a token together spell an unmergeable token, or the beginning of one. Node 0 spells nothing.
    # Returns True or False.
    cdef bint begins_unmergeable(self, uint32_t node, uint32_t token) noexcept nogil

    # Whether the pre-token can end after a token that leads to a configuration and an outcome. The caller releases the trace.
    cdef int can_end_at(
        self, Engine engine, const Transition* transition, uint32_t outcome, const Config* config) noexcept nogil

    # Whether the pre-token can end after a token that leads to a configuration and an outcome. `ends` is what Reach.ends_after
    # says of the configuration.
    cdef int can_end(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, const uint32_t* ends
    ) noexcept nogil

    # Whether an outcome and a set of hypotheses have a hypothesis in common. Returns True or False.
    cdef bint meets(self, const Transition* transition, uint32_t outcome, const uint32_t* bits) noexcept nogil
