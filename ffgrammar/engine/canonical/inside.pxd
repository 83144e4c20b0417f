"""Dead ends among the tokens that stay inside the lexeme."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.common_followers cimport CommonFollowers
from ffgrammar.engine.canonical.followers cimport Followers
from ffgrammar.engine.canonical.groups cimport Groups
from ffgrammar.engine.canonical.leads cimport Leads
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.single_tokens cimport SingleTokens
from ffgrammar.engine.canonical.surveys cimport Surveys
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.sieve cimport SievePart
from ffgrammar.tokens.canonical.transitions cimport Transition
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    IN_PARTS = 0xFFFFFFFE  # instead of an offset: there may be too many dead ends, so the mask is made from its parts (parts.pxd)


@cython.final
cdef class InsideTokens:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef Leads leads
    cdef Notes notes
    cdef Surveys surveys
    cdef CommonFollowers common
    cdef Followers followers
    cdef Groups groups
    cdef SingleTokens single
    cdef Vec* dead        # where dead ends are appended; it must live as long as this object
    # Scratch.
    cdef Vec verdicts     # by outcome: 1 if the pre-token can end, or if the tokens are judged elsewhere; or 0
    cdef Vec is_settled   # by outcome: whether all its tokens are judged: they were, or judge_by_endings judges them
    cdef Vec asked        # by outcome: whether tokens of the list that is judged lead to it
    cdef Vec proven       # tokens that can come next at the place of a group, and after which a sentence goes on
    cdef Vec unfollowed   # a mask: see `doubt`
    cdef Vec is_doubtful  # by outcome of a transition: see `doubt`
    cdef int alike        # what find_alike returns for the place, or NOT_ASKED

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method
    # returns a status; if the comment begins with "Whether", it returns 1, 0 or a status.

    # Append the dead ends among all other tokens that have no lead. Writes IN_PARTS to `offset` if there are
    # too many tokens to judge.
    cdef int judge(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil

    # The work of judge. It takes the states of the survey of Leads.base one by one.
    cdef int judge_surveyed(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil

    # Part of judge_surveyed: fill `asked` for the `count` tokens that are at `listed_at` in the notes. If they are MANY, all
    # outcomes are asked for.
    cdef int find_asked(self, Engine engine, const SievePart* part, uint32_t listed_at, uint32_t count) noexcept nogil

    # Part of judge_surveyed: whether those of `count` tokens that have no lead all lead to one lexer state. If so, `config` gets
    # this state, and the tokens can be judged together although the survey is that of a base. No row is virtual.
    cdef int lead_together(
        self, Engine engine, const uint32_t* tokens, uint32_t count, Config* config) noexcept nogil

    # Part of judge_surveyed: fill `verdicts` for the tokens that lead to `config`. An outcome gets 1 if the pre-token can end
    # after its tokens, if it is settled, or if it is not in `asked`. It gets 0 if this was not found, or may not
    # hold for other texts. `is_exact` says whether the tokens lead to `config` itself, or to a place from which the text goes on
    # in the same way. `answers` is what SearchSteps.dependent_answers was before `config` was found. Returns 1 if all outcomes get
    # 1; 0; or a status.
    cdef int judge_outcomes(
        self, Engine engine, const Transition* transition, const Config* config, bint is_exact, size_t answers) noexcept nogil

    # Part of judge_outcomes, where the base is an open state (Leads.has_open_base): write the hypotheses with which the pre-token
    # can end in a lexer state to `ends`. Only characters inside the lexeme count.
    cdef int ends_inside(self, Engine engine, uint32_t state, uint32_t* ends) noexcept nogil

    # Part of judge_surveyed, where MANY tokens lead to `config`. Look at the outcomes that have 0 in `verdicts`. If an outcome has
    # few tokens, they are judged, and it is settled. Otherwise it becomes doubtful (`doubt`). Where it may not, its tokens are
    # judged if they are listed (Transition.is_listed), and else IN_PARTS is written to `offset`.
    cdef int judge_many(self, Engine engine, const SievePart* part, const Config* config, uint32_t* offset) noexcept nogil

    # Part of judge_many. Many tokens lead to this configuration and this outcome, and the pre-token cannot end after them. Mark
    # the outcome as doubtful, unless common followers can follow all these tokens. In `unfollowed`, set the bits of the tokens that
    # none can follow there. On a virtual row, this may hold for fresh strings only: then the tokens that find_alike marks are among
    # them. Returns 1; 0 if too few common followers were found, or if they may be others for other texts; or a status.
    cdef int doubt(self, Engine engine, const SievePart* part, const Config* config, uint32_t outcome) noexcept nogil

    # Part of doubt and find_alike: make `is_doubtful` and `unfollowed`, with nothing set, unless they are made. Returns OK or
    # NO_MEMORY.
    cdef int begin_doubts(self, const SievePart* part) noexcept nogil

    # Part of doubt, where the place is on a virtual row: set the bits in `unfollowed` that FreshStrings.mark_alike sets for the
    # place, once. Returns as mark_alike.
    cdef int find_alike(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of judge_surveyed: judge the tokens that have no lead, lead to a doubtful outcome, and are in `unfollowed`.
    cdef int judge_doubtful(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of judge_surveyed: judge those of `count` tokens that have no lead and whose outcome has 0 in `verdicts`. `listed_at` is
    # where these tokens are in the notes. They lead to `config`, or to a place from which the text goes on in the
    # same way. There the pre-token cannot end with an outcome that has 0 in `verdicts`.
    cdef int judge_groups(
        self, Engine engine, const SievePart* part, uint32_t listed_at, uint32_t count, const Config* config) noexcept nogil

    # Part of judge_groups, where Routes serves `config`, for the group that is at `group` in the words of the groups.
    cdef int judge_by_routes(self, Engine engine, const SievePart* part, const Config* config, uint32_t group) noexcept nogil

    # Part of judge_by_routes: whether a token can stand before one of `proven`, so that it is no dead end.
    cdef int precedes_proven(self, uint32_t token) noexcept nogil

    # Part of judge_by_routes, after a search. Take the last token with which a search from `config` succeeded. If a sentence goes
    # on after it here, too, whatever token of the group stands before it, add it to `proven`. `at` is the place of the group, where
    # `at.last` is UNCONSTRAINED. Returns OK or a status.
    cdef int add_proven(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Part of judge_groups, for the tokens whose list is at `at` in the words of the groups. `all_dead` says whether they are known
    # to be dead ends.
    cdef int judge_group(
        self, Engine engine, const SievePart* part, const Config* config, uint32_t at, bint all_dead) noexcept nogil

    # Part of judge_surveyed and judge_many: of `count` tokens, judge those that have no lead and whose outcome has 0 in
    # `verdicts`.
    cdef int judge_tokens(self, Engine engine, const SievePart* part, const uint32_t* tokens, uint32_t count) noexcept nogil


# An InsideTokens that appends to `dead`. Raises MemoryError.
cdef InsideTokens inside_tokens(SingleTokens single, Notes notes, Vec* dead)
