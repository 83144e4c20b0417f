"""Whether a text can go on so that it becomes a sentence of the grammar and the tokens taken stay the tokenizer's own."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.token_walk cimport TokenWalk
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    MAX_LEVELS = 64  # tokens that a search tries one after another to bring a pre-token to its end


@cython.final
cdef class Lookahead:
    cdef readonly CanonicalRules rules
    cdef TokenTrie trie
    cdef PendingPrefix pending  # of the matcher that asks
    cdef uint32_t generation    # of the engine's caches, which the configurations belong to
    cdef size_t max_bytes
    cdef size_t dependent_answers  # how many answers of the grammar ever depended on values in the text
    cdef Intern names           # of what was asked: see `name_state` and `can_reach_boundary`
    cdef Vec verdicts           # by name
    # of the search under way
    cdef Vec visited            # names it has met
    cdef uint32_t searched      # how many states it has searched from
    cdef uint32_t nodes_left    # how many nodes of the trie it may still look at
    cdef bint cut_short         # whether it met a state that it was searching from already
    cdef CanonicalState* states[MAX_LEVELS]  # of the walk for each token it tries, made when first needed
    cdef Config* configs[MAX_LEVELS]
    cdef Vec frontier           # of a search for the end of a pre-token: row, state, hypothesis

    # All methods run with the engine's lock held. Where a comment says "whether", a method returns 1, 0 or a status.

    # To be called before the others: for whom to search, and whether what was found before still holds. Returns a status.
    cdef int enter(self, Engine engine, PendingPrefix pending) noexcept nogil

    # Move by one byte, pending or of the text: 1, 0 where it may not come (then `config` stays), or a status.
    cdef int step(self, Engine engine, Config* config, uint32_t byte) noexcept nogil

    # Whether the text is a sentence.
    cdef int accepting(self, Engine engine, const Config* config) noexcept nogil

    # Whether the text can go on to a sentence so that the tokens taken stay as they are. `at` is the rules' state after them.
    cdef int has_canonical_completion(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Whether the pre-token may end after the last token.
    cdef int can_end_pretoken(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Whether the text can go on so that a pre-token ends here. `hypothesis` is a state of the automaton of pre-tokens.
    cdef int can_reach_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil

    # Forget everything. Returns a status.
    cdef int clear(self, Engine engine) noexcept nogil

    # Write the name of a configuration and a state, NAMELESS where it would mean something else the next time. Returns a status.
    cdef int name_state(self, const Config* config, const CanonicalState* at, uint32_t* name) noexcept nogil

    # Write the name of `count` words; it has a verdict from now on. Returns a status.
    cdef int add_name(self, const uint32_t* words, uint32_t count, uint32_t* name) noexcept nogil

    # Whether tokens that go on with the pre-token bring it to its end: 1, 0 or a status. `level` of them were tried before. A
    # verdict that is found is kept under the name of configuration and state.
    cdef int search(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil

    # The same without the verdicts that are kept.
    cdef int search_tokens(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil

    # The same by tokens below the node where a walk of the trie stands.
    cdef int search_subtrees(self, Engine engine, TokenWalk* walk, uint32_t level) noexcept nogil

    # Whether a token leads on, whose bytes have led to `config` and `at`.
    cdef int try_token(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t level) noexcept nogil

    # `can_reach_boundary` without the verdicts.
    cdef int search_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil

    # Go on with every character, ASCII or `wide`: whether one leads where any text will do. Other configurations that it leads to
    # are added to the frontier. `ended` says whether the pre-token ended at an earlier character; `steps_left` bounds the work.
    cdef int try_characters(
        self, Engine engine, const Config* config, bint wide, uint32_t hypothesis, bint ended, uint32_t* steps_left,
    ) noexcept nogil

    # The same with the bytes low..high of a character that `part` has begun.
    cdef int try_bytes(
        self, Engine engine, const Config* config, const Utf8* part, uint32_t low, uint32_t high, uint32_t hypothesis, bint ended,
        uint32_t* steps_left,
    ) noexcept nogil

    # Whether the automaton has a transition, from number `first` on, at an entry of its tables.
    cdef bint has_transition(self, uint32_t first, uint32_t entry) noexcept nogil

    # A configuration after the end of a pre-token: whether it is sure that the text goes on. Else it is added to the frontier.
    cdef int pass_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil
