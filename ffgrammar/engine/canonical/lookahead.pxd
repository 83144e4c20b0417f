"""The look-ahead: whether a text can go on to a sentence of the grammar so that the tokens taken so far stay the tokenizer's
own."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.choices cimport Choices
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.token_walk cimport TokenWalk
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.values.trace cimport VIRTUAL
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    MAX_LEVELS = 64  # how many tokens, one after another, a search tries to bring a pre-token to its end
    KEPT_BYTES = 64  # for how many configurations the next bytes are kept
    HINTS = 256      # configurations whose hint is kept


cdef struct NextBytes:
    Config config
    uint32_t[8] bytes  # the bytes that may follow, as bits


cdef struct Hint:
    Config config
    uint32_t token  # the last search from there succeeded with it


@cython.final
cdef class Lookahead:
    cdef readonly CanonicalRules rules
    cdef TokenTrie trie
    cdef Choices choices
    cdef PendingPrefix pending  # of the matcher that asks
    cdef uint32_t generation    # of the engine's caches, which the configurations belong to
    cdef size_t max_bytes
    cdef size_t dependent_answers  # how many answers of the grammar ever depended on values in the text
    cdef Intern names           # numbers for what was asked: see `name_state` and `can_reach_boundary`
    cdef Vec verdicts           # by name
    # of the current search
    cdef Vec visited            # names that it has given the verdict UNDER_WAY
    cdef uint32_t searched      # how many states it has searched from
    cdef uint32_t nodes_left    # how many nodes of the trie it may still look at
    cdef size_t answers_before  # what `dependent_answers` was when it began
    cdef bint met_virtual       # whether it met a state in a virtual row that it was searching from already
    cdef bint from_virtual      # whether it began on a virtual row
    cdef bint cut_short         # whether it met a state that it was searching from already
    # By level: the arrays of the walk that tries tokens there (TokenWalk). They are allocated when they are first needed.
    cdef CanonicalState* states[MAX_LEVELS]
    cdef Config* configs[MAX_LEVELS]
    cdef NextBytes[KEPT_BYTES] next_bytes  # of the configurations asked about last
    cdef Hint[HINTS] hints      # of the configurations searched from last
    cdef size_t listed_from     # list_followers writes followers to its caller's `found` from this index on
    cdef Vec frontier           # of a search for the end of a pre-token: row, state, hypothesis

    # All methods run with the engine's lock held. Where a comment says "whether", a method returns 1, 0 or a status.

    # Call this before the other methods. It notes the pending bytes of the matcher that asks. If what was found before does not
    # hold any more, or takes too much memory, it is forgotten. Returns a status.
    cdef int enter(self, Engine engine, PendingPrefix pending) noexcept nogil

    # Move by one byte: a pending byte, or a byte of the text. Returns 1; 0 if it may not come (`config` stays); or a
    # status.
    cdef int step(self, Engine engine, Config* config, uint32_t byte) noexcept nogil

    # Whether what was found about a configuration holds for this text only, and not for all texts in the parser's row. `answers`
    # is what `dependent_answers` was before. Returns True or False.
    cdef inline bint is_text_dependent(self, const Config* config, size_t answers) noexcept nogil:
        return config.row & VIRTUAL != 0 and self.dependent_answers != answers

    # Whether the text is a sentence.
    cdef int accepting(self, Engine engine, const Config* config) noexcept nogil

    # Whether the text can go on to a sentence so that the tokens so far stay as they are. `at` is the rules' state after them.
    cdef int has_canonical_completion(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Whether the pre-token may end after the last token, and the text can end or go on there. `at` is the state after this
    # token.
    cdef int can_end_pretoken(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Whether the pre-token can end at `config`: some text that the grammar allows next makes it end there. `hypothesis` is a
    # state of the automaton of pre-tokens.
    cdef int can_reach_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil

    # Append to `found` all tokens that may come next inside the pre-token, and after which the text can go on to a sentence,
    # whatever token stands before them. `at.last` must be UNCONSTRAINED, and `at` must not be inside a character. Returns OK; a
    # status; or 1 if these tokens are too many, or if the search would take too long.
    cdef int list_followers(self, Engine engine, const Config* config, const CanonicalState* at, Vec* found) noexcept nogil

    # Whether `token`, which is the ASCII character `byte`, is one of the tokens that list_followers finds for `config` and `at`.
    # Returns 1, 0 or a status.
    cdef int can_be_followed(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t byte) noexcept nogil

    # Forget everything. Returns a status.
    cdef int clear(self, Engine engine) noexcept nogil

    # Forget the next bytes and the hints that are kept.
    cdef void forget_hints(self) noexcept nogil

    # Write the name of a configuration and a state: a number. It is NAMELESS if the state is inside a character, or if the
    # configuration is inside the pending bytes. Returns a status.
    cdef int name_state(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t* name) noexcept nogil

    # Write the name of `count` words. From now on the name has an entry in `verdicts`. Returns a status.
    cdef int add_name(self, const uint32_t* words, uint32_t count, uint32_t* name) noexcept nogil

    # Call these before and after a search from a configuration. `status` is what the search returned. The result of the search is
    # what end_search returns.
    cdef void begin_search(self, const Config* config) noexcept nogil
    cdef int end_search(self, int status) noexcept nogil

    # Whether further tokens inside the pre-token can bring it to its end. `level` is how many such tokens were taken before.
    # The verdict is kept under the name of `config` and `at`.
    cdef int search(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil

    # Keep the verdict of a search from a configuration. It is not kept if it depends on the text of a virtual row, or if the
    # search began on a virtual row and reached a bound. `answers` is what `dependent_answers` was before the search.
    cdef void keep_verdict(self, uint32_t name, const Config* config, size_t answers, int status) noexcept nogil

    # Try the token with which the last search from this configuration succeeded. Returns 1 if the search succeeds with it again;
    # 0 if it does not, or if there is no such token; or a status.
    cdef int try_hint(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil

    # Keep the token with which a search from a configuration succeeded.
    cdef void keep_hint(self, Engine engine, const Config* config, uint32_t token) noexcept nogil

    # `search` without a look at the verdicts that are kept. `found` is as in `search_subtrees`.
    cdef int search_tokens(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level, Vec* found) noexcept nogil

    # Write the bytes that may follow a configuration to 8 words, as bits. If the row is virtual, and only the text so far rules a
    # byte out, the bit of this byte is set all the same. Returns a status.
    cdef int find_next_bytes(self, Engine engine, const Config* config, uint32_t* bytes) noexcept nogil

    # Part of find_next_bytes. The lexeme ends before the bytes of `live` whose target is LEAVE, and `after` is the configuration
    # after it; its row is PENDING if no lexeme may end there. Clear those of these bytes that are dead.
    cdef void drop_dead(self, Engine engine, const Config* config, const Config* after, uint32_t* live) noexcept nogil

    # `search_tokens` for the tokens that a walk over the trie still has to find. If `found` is NULL, the search ends when it
    # succeeds with one of them. Otherwise all tokens that it succeeds with are appended to `found`.
    cdef int search_subtrees(self, Engine engine, TokenWalk* walk, uint32_t level, Vec* found) noexcept nogil

    # `search_tokens` for the choices (Choices.found) at an offset. They are those where the walk begins, and the walk itself goes
    # no further.
    cdef int search_choices(
        self, Engine engine, TokenWalk* walk, uint32_t offset, uint32_t level, Vec* found) noexcept nogil

    # Part of search_subtrees and search_choices: try the token that the walk is at. `found` is as in `search_subtrees`. If the
    # token succeeds, it becomes the hint of the place where the walk begins.
    cdef int try_walked(self, Engine engine, TokenWalk* walk, uint32_t level, Vec* found) noexcept nogil

    # Whether the search succeeds with a token. `config` and `at` are those after the bytes of this token.
    cdef int try_token(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t level) noexcept nogil

    # `can_reach_boundary` without a look at the verdicts that are kept.
    cdef int search_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil

    # Try every ASCII character or, with `wide`, every character that is not ASCII. Returns 1 if one of them leads to a place
    # where any text may follow, or where the text can end. Returns 1 also if a bound is reached. Otherwise adds the
    # configurations after these characters to the frontier, and returns 0. Or returns a status. `ended` says whether the
    # pre-token ended before an earlier character. `steps_left` bounds the work.
    cdef int try_characters(
        self, Engine engine, const Config* config, bint wide, uint32_t hypothesis, bint ended, uint32_t* steps_left,
    ) noexcept nogil

    # `try_characters` for the characters that begin with the bytes of `part` and the byte `byte`. `live` has the classes of the
    # characters that count, as bits, as PretokenTable.live_ends has them.
    cdef int try_byte(
        self, Engine engine, const Config* config, const Utf8* part, uint32_t byte, uint64_t live, uint32_t hypothesis,
        bint ended, uint32_t* steps_left,
    ) noexcept nogil

    # Whether the automaton of pre-tokens has a successor in way `first` or a later way. `entry` is state * classes + class.
    cdef bint has_transition(self, uint32_t first, uint32_t entry) noexcept nogil

    # Whether it is sure that the text can end or go on at a place. `config` and `hypothesis` are those at this place. A pre-token
    # has ended before it, and at least one character has come since. If this is not sure, both are added to the frontier, unless
    # they are in it already or `hypothesis` is DEAD. If the frontier is full, the answer is 1.
    cdef int pass_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil
