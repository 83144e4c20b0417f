"""Tokens that the grammar and the rules let come, and after which no sentence goes on."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.common_followers cimport CommonFollowers
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.followers cimport Followers
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.parts cimport MaskParts
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
    cdef Surveys surveys
    cdef CommonFollowers common
    cdef FewTexts few_texts
    cdef Followers followers
    cdef Intern names          # (lasting row, lexer state, hypothesis, way)
    cdef Vec offsets           # by name: where its dead ends are in `dead`, NOT_FOUND or IN_PARTS
    cdef Vec dead              # lists: a count, then the tokens in ascending order
    # Lists for a virtual row that hold for this text only are at the end of `dead`.
    cdef bint has_unkept       # whether there are any
    cdef size_t unkept         # where they begin
    # The place that was looked at last.
    cdef Config place          # a configuration
    cdef bint has_place
    cdef Config start          # where the leads begin: `place`; or, if its lexeme must end there, the configuration after it
    cdef uint32_t base         # see masks_explain (engine/masks/compute.pxd)
    cdef Vec plain             # the grammar's own mask
    cdef Vec led               # a mask: the same tokens as in `tokens`
    cdef Vec leads             # what masks_explain writes; a lead says where a token leads (engine/masks/trie_walk.pxd)
    cdef Vec tokens            # the tokens of the plain mask that have leads, each once
    cdef Vec led_to            # for each of `tokens`: the number of the configuration that it leads to
    cdef Vec configs           # by number: the lasting row and the lexer state of the configuration
    cdef Map config_numbers    # configuration (config_key) -> its number
    cdef Vec ends              # by number: what Reach.ends_after says of the configuration
    # Scratch.
    cdef Vec verdicts          # by outcome (for leads, by configuration and outcome): whether the pre-token can end
    cdef Vec state_ends        # what Reach.ends_after says of two configurations
    cdef Vec first             # tokens that may come, found by FewTexts
    cdef Vec followed          # a mask: see `doubt`
    cdef Vec is_doubtful       # by outcome of a transition: see `doubt`

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method
    # returns a status; if the comment begins with "Whether", it returns 1, 0 or a status.

    # Bytes of what is kept.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Find the dead ends of a part: write their offset in `dead`, or IN_PARTS. Afterwards the caller calls drop_unkept.
    cdef int find_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil

    # Forget the lists that are not kept.
    cdef void drop_unkept(self) noexcept nogil

    # Append the dead ends of a part to `dead`. Writes IN_PARTS to `offset` if this would take too long.
    cdef int list_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil

    # The work of list_dead where the texts are few (FewTexts.list_tokens). Returns 1; 0 if the texts or the tokens of the plain
    # mask are not few; or a status.
    cdef int list_by_texts(self, Engine engine, const Config* config, const SievePart* part) noexcept nogil

    # Find out where the tokens of a configuration lead.
    cdef int look_at(self, Engine engine, const Config* config) noexcept nogil

    # Part of `look_at`: fill `tokens`, `led_to`, `configs` and `ends`.
    cdef int sort_leads(self, Engine engine) noexcept nogil

    # Part of `sort_leads`: add a configuration of a lead to `configs` and `ends`. Returns 1; 0, if what Reach.ends_after says
    # depends on the text, so that it holds for `token` alone; or a status.
    cdef int add_config(self, Engine engine, const Config* config, uint32_t token) noexcept nogil

    # Write the configuration after `token`, which leads from `place` to `known`. If the row of `known` is a lasting one of
    # virtual rows, the token's bytes are stepped through, and the caller releases the trace. Returns 1; 0, if the token may not
    # come; or a status.
    cdef int go_to(self, Engine engine, const Config* known, uint32_t token, Config* config) noexcept nogil

    # Part of list_dead: append the dead ends among the tokens that have leads.
    cdef int judge_leads(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of judge_leads, for a token that is not cut, and leads to the configuration `number`. `verdict` is the entry of this
    # configuration and the token's outcome in `verdicts`.
    cdef int judge_lead(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, uint32_t* verdict) noexcept nogil

    # Whether the pre-token can end after a token that leads to a configuration and an outcome. `ends` is what Reach.ends_after
    # says of the configuration.
    cdef int can_end(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome, const uint32_t* ends
    ) noexcept nogil

    # Part of list_dead: append the dead ends among the tokens that need an ending (tokens/canonical/endings.pxd) and have no
    # lead. Only the tokens that Surveys.doubtful lists are judged: the others are no dead ends.
    cdef int judge_cut(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of list_dead: append the dead ends among all other tokens that have no lead. Writes IN_PARTS to `offset` if there are
    # too many tokens to judge.
    cdef int judge_inside(self, Engine engine, const SievePart* part, uint32_t* offset) noexcept nogil

    # The work of judge_inside, with the survey of the lexer state `base`. The survey begins at the offset `survey` of
    # Surveys.words.
    cdef int judge_surveyed(
        self, Engine engine, const SievePart* part, uint32_t survey, uint32_t* offset) noexcept nogil

    # Part of judge_surveyed. Many tokens lead to this configuration and this outcome, and the pre-token cannot end after them.
    # Mark the outcome as doubtful. In `followed`, clear the bits of the tokens that no common follower can follow there.
    cdef int doubt(self, Engine engine, const Config* config, const Transition* transition, uint32_t outcome) noexcept nogil

    # Part of judge_surveyed: judge the tokens that have no lead, lead to a doubtful outcome, and are not in `followed`.
    cdef int judge_doubtful(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of judge_surveyed: of `count` tokens, judge those that have no lead and whose outcome has 0 in `verdicts`. If
    # `cannot_end` is not NULL, all `count` tokens lead to this configuration, and the pre-token cannot end there if the outcome
    # has 0 in `verdicts`.
    cdef int judge_tokens(
        self, Engine engine, const SievePart* part, const uint32_t* tokens, uint32_t count, const Config* cannot_end
    ) noexcept nogil

    # Whether a token stays inside the lexeme, and the pre-token can end after it. Writes the lexer state after the token to
    # `config`; if the token leaves the lexeme, this state is above LAST_STATE.
    cdef int can_end_after(
        self, Engine engine, const Transition* transition, uint32_t token, Config* config) noexcept nogil

    # Write the lexer state that the bytes of a token lead to from `start`. Returns 1; 0 if the token leaves the lexeme; or a
    # status.
    cdef int follow(self, Engine engine, uint32_t start, uint32_t token, uint32_t* state) noexcept nogil

    # `judge` for a token that leads to `config`. The pre-token cannot end after this token.
    cdef int judge_at(self, Engine engine, const SievePart* part, const Config* config, uint32_t token) noexcept nogil

    # Whether a token's bytes are the beginning of an unmergeable token. Returns True or False.
    cdef bint begins_unmergeable(self, uint32_t token) noexcept nogil

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
