"""Groups: the tokens that a survey lists for a lexer state, by the outcome that they lead to."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.followers cimport Followers
from ffgrammar.engine.engine cimport Engine
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.canonical.sieve cimport SievePart
from ffgrammar.tokens.canonical.transitions cimport Transition

cdef enum:
    # instead of an outcome: tokens that a list of followers says nothing about
    BY_THEMSELVES = 0xFFFFFFFF


@cython.final
cdef class Groups:
    cdef CanonicalRules rules
    cdef Followers followers
    cdef Map found        # (survey's list, hypothesis, way) -> where its groups are in `words`
    cdef Map left_by      # (group, list of followers) -> where its unfollowed tokens are in `words`
    # Groups are a count, and for each group its outcome, how many tokens it has, and these tokens. Unfollowed tokens are two
    # lists, each a count and tokens.
    cdef Vec words
    cdef Vec topic        # scratch: of a note
    cdef Vec open         # scratch: tokens of which it is not known whether they are followed
    cdef Vec outcomes     # scratch: by outcome, how many tokens lead to it; then where the next one goes

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything. Call this when the surveys, or the lists of followers, are forgotten.
    cdef int clear(self) noexcept nogil

    # Write where in `words` the groups of a part are. They have those of `count` tokens that come in the part and are not cut.
    # `listed_at` is where the tokens are in the notes.
    cdef int find(
        self, Engine engine, uint32_t state, const SievePart* part, uint32_t listed_at, const uint32_t* tokens, uint32_t count,
        uint32_t* at) noexcept nogil

    # The work of `find` for groups that are not known to this grammar: append them to `words`.
    cdef int make_shared(
        self, Engine engine, uint32_t state, const SievePart* part, const uint32_t* tokens, uint32_t count) noexcept nogil

    # Part of `find`: append the groups.
    cdef int make(self, const SievePart* part, const uint32_t* tokens, uint32_t count) noexcept nogil

    # The outcome by which `make` groups a token. Writes it to `outcome`. Returns 1; 0 if the token does not come in the part, or
    # is cut; or a status.
    cdef int outcome_of(self, const SievePart* part, uint32_t token, uint32_t* outcome) noexcept nogil

    # Write where in `words` the unfollowed tokens of a group are: those that can stand before nothing of a list or outline
    # (Followers.list_of), then those of which this is not known. `group` is where the group is in `words`. `state` is the lexer
    # state whose survey lists the tokens.
    cdef int unfollowed(
        self, Engine engine, uint32_t state, const SievePart* part, uint32_t group, uint32_t number, uint32_t* at) noexcept nogil

    # Part of `unfollowed`, for an outline: look for these tokens in the notes of the tokenizer, or find them and keep them there.
    cdef int judge_all_shared(
        self, Engine engine, uint32_t state, const SievePart* part, uint32_t group, uint32_t number) noexcept nogil

    # Part of `unfollowed`: append these tokens.
    cdef int judge_all(self, uint32_t group, uint32_t number) noexcept nogil
