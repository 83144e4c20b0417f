"""The look-ahead: whether a text can go on to a sentence of the grammar so that the tokens taken so far stay the tokenizer's
own."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.boundaries cimport Boundaries
from ffgrammar.engine.canonical.choices cimport Choices
from ffgrammar.engine.canonical.hints cimport Hints
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.outlines cimport Outlines
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.routes cimport Routes
from ffgrammar.engine.canonical.steps cimport SearchSteps
from ffgrammar.engine.canonical.token_walk cimport TokenWalk
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    MAX_LEVELS = 64  # how many tokens, one after another, a search tries to bring a pre-token to its end

    # What a byte does: it ends the lexeme, or leads to another state of the lexer, or to the same state.
    LEXEME_ENDS = 0
    STATE_MOVES
    STATE_STAYS
    BYTE_KINDS


@cython.final
cdef class Lookahead:
    cdef readonly CanonicalRules rules
    cdef TokenTrie trie
    cdef Choices choices
    cdef SearchSteps steps
    cdef Boundaries boundaries
    cdef Hints hints
    cdef Reach reach
    cdef Outlines outlines
    cdef Routes routes
    cdef uint32_t generation    # of the engine's caches, which the configurations belong to
    cdef size_t max_bytes
    cdef Intern names           # numbers for what was asked: see `name_state`
    cdef Vec verdicts           # by name
    # of the current search
    cdef Vec visited            # names that it has given the verdict UNDER_WAY
    cdef uint32_t searched      # how many states it has searched from
    cdef uint32_t nodes_left    # how many nodes of the trie it may still look at
    cdef size_t answers_before  # what SearchSteps.dependent_answers was when it began
    cdef bint met_virtual       # whether it met a state in a virtual row that it was searching from already
    cdef bint gave_up           # whether it reached a bound, so that it took a sentence for granted
    cdef uint32_t deepest       # how many tokens, one after another, it tries on virtual rows
    cdef bint is_shallow        # whether it only tries tokens after which the pre-token can end
    cdef bint from_virtual      # whether it began on a virtual row
    cdef bint cut_short         # whether it met a state that it was searching from already
    # By level: the arrays of the walk that tries tokens there (TokenWalk). They are allocated when they are first needed.
    cdef CanonicalState* states[MAX_LEVELS]
    cdef Config* configs[MAX_LEVELS]
    cdef uint32_t tried[MAX_LEVELS]           # by level: how many tokens the walk has tried
    cdef const uint32_t* beside[MAX_LEVELS]   # by level: the successors of the last token, as a mask; or NULL
    cdef list successors                      # by level: what `beside` points to
    cdef size_t listed_from     # list_followers writes followers to its caller's `found` from this index on

    # All methods run with the engine's lock held. Where a comment says "whether", a method returns 1, 0 or a status.

    # Call this before the other methods. It notes the pending bytes of the matcher that asks. If what was found before does not
    # hold any more, or takes too much memory, it is forgotten. Returns a status.
    cdef int enter(self, Engine engine, PendingPrefix pending) noexcept nogil

    # Whether the text can go on to a sentence so that the tokens so far stay as they are. `at` is the rules' state after them.
    cdef int has_canonical_completion(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Append to `found` all tokens that may come next inside the pre-token, and after which the text can go on to a sentence,
    # whatever token stands before them. `at.last` must be UNCONSTRAINED, and `at` must not be inside a character. Returns OK; a
    # status; or 1 if these tokens are too many, or if the search would take too long.
    cdef int list_followers(self, Engine engine, const Config* config, const CanonicalState* at, Vec* found) noexcept nogil

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything. Returns a status.
    cdef int clear(self, Engine engine) noexcept nogil

    # Write the name of a configuration and a state: a number. It is NAMELESS if the state is inside a character, or if the
    # configuration is inside the pending bytes. Returns a status.
    cdef int name_state(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t* name) noexcept nogil

    # Write the name of `count` words. From now on the name has an entry in `verdicts`. Returns a status.
    cdef int add_name(self, const uint32_t* words, uint32_t count, uint32_t* name) noexcept nogil

    # has_canonical_completion on a virtual row, but at most NEAR tokens are tried, one after another, on virtual rows. Returns 1 if
    # a sentence has been found, else 0; or a status. The caller releases the trace.
    cdef int ends_soon(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Call these before and after a search from a configuration. `status` is what the search returned. The result of the search is
    # what end_search returns.
    cdef void begin_search(self, const Config* config) noexcept nogil
    cdef int end_search(self, int status) noexcept nogil

    # Part of the ends of searches: give names that are UNDER_WAY a verdict.
    cdef void forget_visited(self, uint32_t verdict) noexcept nogil

    # What a search returns where it reaches a bound: 1, as if it had found a sentence. Sets `gave_up`.
    cdef int give_up(self) noexcept nogil

    # Whether further tokens inside the pre-token can bring it to its end. `level` is how many such tokens were taken before.
    # The verdict is kept under the name of `config` and `at`.
    cdef int search(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil

    # Part of `search`: ask the routes from the place, then its outline. Returns 1; 0; NOT_KNOWN; or a status.
    cdef int judge_by_routes(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Keep the verdict of a search from a configuration. It is not kept if it depends on the text of a virtual row, or if the
    # search began on a virtual row and reached a bound. `answers` is what SearchSteps.dependent_answers was before the search.
    cdef void keep_verdict(self, uint32_t name, const Config* config, size_t answers, int status) noexcept nogil

    # Try the token with which the last search from this configuration succeeded, then one that came after the last token elsewhere.
    # Returns 1 if the search succeeds with one of them; 0 if it does not, if there are none, or if the row is virtual; or a status.
    cdef int try_hints(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil

    # Part of try_hints: try one token.
    cdef int try_hint(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t level) noexcept nogil

    # `search` without a look at the verdicts that are kept. `found` is as in `search_subtrees`.
    cdef int search_tokens(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level, Vec* found) noexcept nogil

    # Begin a walk of a search at this level. Returns a status.
    cdef int begin_walk(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level, TokenWalk* walk) noexcept nogil

    # `search_tokens` for the tokens that begin with some bytes, given as bits. The walk has just begun. On a virtual row, bytes
    # that end the lexeme come first, and those that leave the lexer's state unchanged come last.
    cdef int search_roots(
        self, Engine engine, TokenWalk* walk, const uint32_t* bytes, uint32_t level, Vec* found) noexcept nogil

    # Part of search_roots: sort bytes by what they do to the lexeme (LEXEME_ENDS and so on), as bits. Returns a status.
    cdef int sort_bytes(
        self, Engine engine, const Config* config, const uint32_t* bytes, uint32_t[BYTE_KINDS][8] by_kind) noexcept nogil

    # Part of search_roots: `search_subtrees` for the tokens that begin with some bytes, given as bits.
    cdef int search_bytes(
        self, Engine engine, TokenWalk* walk, const uint32_t* bytes, uint32_t level, Vec* found) noexcept nogil

    # `search_tokens` for the tokens that a walk over the trie still has to find. If `found` is NULL, the search ends when it
    # succeeds with one of them. Otherwise all tokens that it succeeds with are appended to `found`.
    cdef int search_subtrees(self, Engine engine, TokenWalk* walk, uint32_t level, Vec* found) noexcept nogil

    # Part of search_subtrees: find the successors of the last token, for the walk at this level. Returns a status.
    cdef int find_successors(self, uint32_t token, uint32_t level) noexcept with gil

    # `search_tokens` for the choices (Choices.found) at an offset. They are those where the walk begins, and the walk itself goes
    # no further.
    cdef int search_choices(
        self, Engine engine, TokenWalk* walk, uint32_t offset, uint32_t level, Vec* found) noexcept nogil

    # Part of search_subtrees and search_choices: try the token that the walk is at. `found` is as in `search_subtrees`. If the
    # token succeeds, it becomes the hint of the place where the walk begins.
    cdef int try_walked(self, Engine engine, TokenWalk* walk, uint32_t level, Vec* found) noexcept nogil

    # Note that a token came after another one, for all grammars.
    cdef void note_follower(self, uint32_t token, uint32_t follower) noexcept nogil

    # Whether the search succeeds with a token. `config` and `at` are those after the bytes of this token.
    cdef int try_token(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t level) noexcept nogil
