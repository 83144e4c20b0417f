"""Tokens that the grammar and the rules let come, and after which no sentence goes on."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.doubts cimport Doubts
from ffgrammar.engine.canonical.few_texts cimport FewTexts
from ffgrammar.engine.canonical.followers cimport Followers
from ffgrammar.engine.canonical.inside cimport InsideTokens
from ffgrammar.engine.canonical.leads cimport Leads
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.parts cimport MaskParts
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.single_tokens cimport SingleTokens
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.canonical.sieve cimport SievePart
from ffgrammar.tokens.canonical.transitions cimport Transition
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    # instead of an offset in `dead`
    NOT_FOUND = 0xFFFFFFFF
    SORTED = 0x80000000  # flag of a count in `dead`


@cython.final
cdef class DeadEnds:
    cdef MaskParts parts
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef Reach reach
    cdef Leads leads
    cdef Notes notes
    cdef Doubts doubts
    cdef FewTexts few_texts
    cdef Followers followers
    cdef SingleTokens single
    cdef InsideTokens inside
    # The caller sets this: the last token, if tokens that cannot stand beside it need not be found where the pre-token goes on;
    # otherwise UNCONSTRAINED.
    cdef uint32_t last
    # The caller sets this, too: the successors of `last` as a mask, or NULL.
    cdef const uint32_t* beside
    cdef Intern names          # (lasting row, lexer state, hypothesis, way, `last` if the pre-token goes on)
    cdef Vec offsets           # by name: where its dead ends are in `dead`, NOT_FOUND or IN_PARTS
    cdef Vec dead              # lists: a count, then the tokens; in ascending order if the count has the flag SORTED
    # Lists for a virtual row that hold for this text only are at the end of `dead`.
    cdef bint has_unkept       # whether there are any
    cdef size_t unkept         # where they begin
    # Scratch.
    # By configuration of the leads and outcome: whether the pre-token can end; or NOT_ASKED; or, if it cannot end, PLACE plus the
    # number of a place of Routes.
    cdef Vec verdicts
    cdef Vec first             # tokens that may come, found by FewTexts
    cdef Vec asked             # tokens of the plain mask that come in a part

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method
    # returns a status; if the comment begins with "Whether", it returns 1, 0 or a status.

    # Bytes of what is kept.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Find the dead ends of a part: write their offset in `dead`, or IN_PARTS. The caller calls forget_text when it needs the list
    # no more.
    cdef int find_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil

    # Forget what holds for this text only: the lists that are not kept, and the place that was looked at.
    cdef void forget_text(self) noexcept nogil

    # Append the dead ends of a part to `dead`. Writes IN_PARTS to `offset` if this would take too long.
    cdef int list_dead(self, Engine engine, const Config* config, const SievePart* part, uint32_t* offset) noexcept nogil

    # The work of list_dead where the texts are few (FewTexts.list_tokens). Returns 1; 0 if the texts or the tokens of the plain
    # mask are not few; or a status.
    cdef int list_by_texts(self, Engine engine, const Config* config, const SievePart* part) noexcept nogil

    # Part of list_by_texts, for the tokens in `asked`. Returns as list_by_texts.
    cdef int ask_texts(self, Engine engine, const Config* config, const SievePart* part) noexcept nogil

    # Part of list_dead: append the dead ends among the tokens that have leads.
    cdef int judge_leads(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of judge_leads, for a token that is not cut and that leads to the configuration `number`. `verdict` is the entry of
    # this configuration and the token's outcome in `verdicts`. The caller releases the trace.
    cdef int judge_lead(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, uint32_t* verdict) noexcept nogil

    # Part of judge_lead, where Routes serves `config` and nothing is known of it: find whether the pre-token can end, and if not,
    # judge the token.
    cdef int judge_first(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, const Config* config, uint32_t* verdict
    ) noexcept nogil

    # Part of judge_lead, for a token that leads to a place of Routes where the pre-token cannot end.
    cdef int judge_from(
        self, Engine engine, const SievePart* part, uint32_t number, uint32_t token, uint32_t place) noexcept nogil

    # Part of list_dead: append the dead ends among the tokens that need an ending (tokens/canonical/endings.pxd) and have no
    # lead. Only the tokens that Doubts lists are judged: the others are no dead ends.
    cdef int judge_by_endings(self, Engine engine, const SievePart* part) noexcept nogil

    # Part of judge_by_endings, for the groups of Doubts.find, which begin at `groups` in the notes.
    cdef int judge_ways_on(self, Engine engine, const SievePart* part, uint32_t groups) noexcept nogil

    # Part of judge_ways_on: judge the tokens of a group one by one. From the place itself their ways on lead to few states. Where a
    # sentence goes on after one token, it does so after all whose ways on lead to the same state.
    cdef int judge_each(self, Engine engine, const SievePart* part, uint32_t group) noexcept nogil

    # Part of judge_ways_on: whether a sentence goes on after the way on of a token, from a lexer state of the place: `leads.base`
    # or `leads.start.state`. On a virtual row, and where the way on does not show it, the answer is 0. Otherwise it is 1 or a
    # status.
    cdef int goes_on_by(
        self, Engine engine, const Transition* transition, const uint32_t* ending, uint32_t state) noexcept nogil

    # How many tokens the list of dead ends at an offset in `dead` has.
    cdef inline uint32_t count(self, uint32_t offset) noexcept nogil:
        return self.dead.data[offset] & ~<uint32_t>SORTED

    # Whether a token is in the list of dead ends at an offset in `dead`. Returns True or False.
    cdef bint is_dead(self, uint32_t offset, uint32_t token) noexcept nogil
