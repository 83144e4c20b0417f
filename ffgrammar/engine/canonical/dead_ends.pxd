"""Tokens that the grammar and the rules let come, and after which no sentence goes on."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.common_followers cimport CommonFollowers
from ffgrammar.engine.canonical.doubts cimport Doubts
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.followers cimport Followers
from ffgrammar.engine.canonical.groups cimport Groups
from ffgrammar.engine.canonical.leads cimport Leads
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.parts cimport MaskParts
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.surveys cimport Surveys
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.sieve cimport SievePart
from ffgrammar.tokens.canonical.transitions cimport Transition
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    # instead of an offset in `dead`
    NOT_FOUND = 0xFFFFFFFF
    IN_PARTS = 0xFFFFFFFE  # there may be too many dead ends: the mask is made from its parts (parts.pxd)


@cython.final
cdef class DeadEnds:
    cdef MaskParts parts
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef Reach reach
    cdef Leads leads
    cdef Notes notes
    cdef Surveys surveys
    cdef Doubts doubts
    cdef CommonFollowers common
    cdef FewTexts few_texts
    cdef Followers followers
    cdef Groups groups
    cdef Intern names          # (lasting row, lexer state, hypothesis, way)
    cdef Vec offsets           # by name: where its dead ends are in `dead`, NOT_FOUND or IN_PARTS
    cdef Vec dead              # lists: a count, then the tokens in ascending order
    # Lists for a virtual row that hold for this text only are at the end of `dead`.
    cdef bint has_unkept       # whether there are any
    cdef size_t unkept         # where they begin
    # Scratch.
    # Whether the pre-token can end. In judge_leads, by configuration and outcome: 1, 0 or NOT_ASKED. In judge_surveyed, by
    # outcome: 1 or 0.
    cdef Vec verdicts
    cdef Vec state_ends        # what Reach.ends_after says of a configuration
    cdef Vec first             # tokens that may come, found by FewTexts
    cdef Vec followed          # a mask: see `doubt`
    cdef Vec is_doubtful       # by outcome of a transition: see `doubt`

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method
    # returns a status; if the comment begins with "Whether", it returns 1, 0 or a status.

    # Bytes of what is kept.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Find the dead ends of a part: write their offset in `dead`, or IN_PARTS. The caller calls forget_text when it needs the list
    # no more.
    cdef int find_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil

    # Forget what holds for this text only: the lists that are not kept, and the place that was looked at. Returns True if there
    # were such lists, otherwise False.
    cdef bint forget_text(self) noexcept nogil

    # Append the dead ends of a part to `dead`. Writes IN_PARTS to `offset` if this would take too long.
    cdef int list_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil

    # The work of list_dead where the texts are few (FewTexts.list_tokens). Returns 1; 0 if the texts or the tokens of the plain
    # mask are not few; or a status.
    cdef int list_by_texts(self, Engine engine, const Config* config, const SievePart* part) noexcept nogil

    # Part of list_dead: append the dead ends among the tokens that have leads.
    cdef int judge_leads(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of judge_leads, for a token that is not cut and that leads to the configuration `number`. `verdict` is the entry of
    # this configuration and the token's outcome in `verdicts`. The caller releases the trace.
    cdef int judge_lead(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, uint32_t* verdict) noexcept nogil

    # Whether the pre-token can end after a token that leads to a configuration and an outcome. `ends` is what Reach.ends_after
    # says of the configuration.
    cdef int can_end(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, const uint32_t* ends
    ) noexcept nogil

    # Part of list_dead: append the dead ends among the tokens that need an ending (tokens/canonical/endings.pxd) and have no
    # lead. Only the tokens that Doubts lists are judged: the others are no dead ends.
    cdef int judge_by_endings(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of list_dead: append the dead ends among all other tokens that have no lead. Writes IN_PARTS to `offset` if there are
    # too many tokens to judge.
    cdef int judge_inside(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil

    # The work of judge_inside. It takes the states of the survey of Leads.base one by one.
    cdef int judge_surveyed(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil

    # Part of judge_surveyed: fill `verdicts` for the tokens that lead to `config`. An outcome gets 1 if the pre-token can end
    # after its tokens, or if judge_by_endings judges them. It gets 0 if this was not found, or may not hold for other texts.
    # `is_exact` says whether the tokens lead to `config` itself, or to a place from which the text goes on in the same way.
    # `answers` is what Steps.dependent_answers was before `config` was found. Returns 1 if all outcomes get 1; 0; or a
    # status.
    cdef int judge_outcomes(
        self, Engine engine, const Transition* transition, const Config* config, bint is_exact, size_t answers) noexcept nogil

    # Part of judge_surveyed, where MANY tokens lead to `config`. Look at the outcomes that have 0 in `verdicts`. If the tokens of
    # an outcome are listed (Transition.is_listed), they are judged. Otherwise the outcome becomes doubtful (`doubt`). Writes
    # IN_PARTS to `offset` if it may not become doubtful. `answers` is as in judge_outcomes.
    cdef int judge_many(
        self, Engine engine, const SievePart* part, const Config* config, size_t answers, uint32_t* offset) noexcept nogil

    # Part of judge_many. Many tokens lead to this configuration and this outcome, and the pre-token cannot end after them. Mark
    # the outcome as doubtful. In `followed`, clear the bits of the tokens that no common follower can follow there.
    cdef int doubt(self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome) noexcept nogil

    # Part of judge_surveyed: judge the tokens that have no lead, lead to a doubtful outcome, and are not in `followed`.
    cdef int judge_doubtful(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of judge_surveyed: judge those of `count` tokens that have no lead and whose outcome has 0 in `verdicts`. `listed_at` is
    # where these tokens are in the notes. They lead to `config`, or to a place from which the text goes on in the
    # same way. There the pre-token cannot end with an outcome that has 0 in `verdicts`.
    cdef int judge_groups(
        self, Engine engine, const SievePart* part, uint32_t listed_at, uint32_t count, const Config* config) noexcept nogil

    # Part of judge_groups, for the tokens whose list is at `at` in the words of the groups. `all_dead` says whether they are known
    # to be dead ends.
    cdef int judge_group(
        self, Engine engine, const SievePart* part, const Config* config, uint32_t at, bint all_dead) noexcept nogil

    # Part of judge_surveyed and judge_many: of `count` tokens, judge those that have no lead and whose outcome has 0 in
    # `verdicts`.
    cdef int judge_tokens(self, Engine engine, const SievePart* part, const uint32_t* tokens, uint32_t count) noexcept nogil

    # Whether the pre-token can end after a token that leads to a configuration and an outcome. The caller releases the trace.
    cdef int can_end_at(
        self, Engine engine, const Transition* transition, uint32_t outcome, const Config* config) noexcept nogil

    # `judge` for a token that leads to `config`. The pre-token cannot end after this token.
    cdef int judge_at(self, Engine engine, const SievePart* part, const Config* config, uint32_t token) noexcept nogil

    # Whether a node of the trie and a token together spell an unmergeable token, or the beginning of one. Node 0 spells nothing.
    # Returns True or False.
    cdef bint begins_unmergeable(self, uint32_t node, uint32_t token) noexcept nogil

    # Append a token to `dead` if it is a dead end.
    cdef int judge(self, Engine engine, const SievePart* part, uint32_t token) noexcept nogil

    # Whether some sentence goes on after a token that comes in a part. `node` is CanonicalState.node of the part's hypothesis.
    cdef int goes_on(
        self, Engine engine, const Config* config, const SievePart* part, uint32_t node, uint32_t token) noexcept nogil

    # Set `at` to the state before a token that comes in a part. `node` is as in goes_on.
    cdef void set_start(self, CanonicalState* at, const SievePart* part, uint32_t node) noexcept nogil

    # Whether an outcome and a set of hypotheses have a hypothesis in common. Returns True or False.
    cdef bint meets(self, const Transition* transition, uint32_t outcome, const uint32_t* bits) noexcept nogil

    # Whether a token is in the list of dead ends at an offset in `dead`. Returns True or False.
    cdef bint is_dead(self, uint32_t offset, uint32_t token) noexcept nogil
