"""Canonical masks that are put together from parts. parts.pyx says what a part is, and where masks are made like this."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.room cimport Room
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.masks.mask_cache cimport MaskTable, StoredMask
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie
from ffgrammar.tokens.canonical.sieve cimport Sieve
from ffgrammar.tokens.canonical.transitions cimport Transition

cdef enum:
    SLOTS = 64          # lexer states whose verdicts are kept at a time
    MAX_VERDICTS = 256  # of a slot; tokens whose outcome has this number or a higher one are judged one by one


cdef struct Slot:
    # Verdicts about a lexer state, while one part is made: by the number of an outcome in the part's transition, whether
    # the pre-token may end after a token that leads to this state and this outcome.
    uint32_t state
    uint8_t[MAX_VERDICTS] can_end_pretoken


@cython.final
cdef class MaskParts:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef size_t max_bytes
    cdef Intern names      # of the parts that `table` has masks for
    cdef MaskTable table
    cdef Room room         # while a mask is made
    cdef Vec inside        # by token: the lexer state that it leads to from `inside_from`, or LEFT where it leaves the lexeme
    cdef uint32_t inside_from
    cdef uint32_t inside_generation
    cdef Slot[SLOTS] slots

    # All methods run with the engine's lock held and the look-ahead entered. Unless its comment says otherwise, a method
    # returns a status; if the comment begins with "Whether", it returns 1, 0 or a status. `at` is the rules' state after the
    # tokens so far, and `start` is this state with one hypothesis only. `ends` says whether the pre-token ends before the next
    # token; if not, the pre-token goes on with this token.

    # Write the mask after the tokens so far to `words`, without end-of-text tokens. `sieve` is the sieve of the state. It is None
    # inside a character, and where the text begins and the grammar allows few tokens. `successors` is the mask of the tokens that
    # merges leave beside the last token, or NULL where merges leave all tokens.
    cdef int fill(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
        uint32_t* words,
    ) noexcept

    # Add the tokens of all parts to `buffer`; inside a character, those that one walk finds. Returns a status.
    cdef int add(
        self, Engine engine, const Config* config, const CanonicalState* at, Sieve sieve, const uint32_t* successors,
    ) noexcept

    # Add the tokens of one part to `buffer`. Without `transition`, the part is made by a walk. Returns a status.
    cdef int add_part(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        const uint32_t* successors,
    ) noexcept

    # Find or make the mask of one part. The caller releases it. Whether it has tokens that are not successors is undefined. Returns
    # a status.
    cdef int find_part(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        const uint32_t* successors, StoredMask** mask,
    ) noexcept

    # Write the mask of one part to `part`. Sets `text_dependent` to True if the mask depends on values in the text. Returns a
    # status.
    cdef int make_part(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        const uint32_t* successors, bint* text_dependent,
    ) noexcept

    # Pack `part` into a mask, which the caller releases. If `keep`, the mask is stored under `name`. Returns a status.
    cdef int pack_part(self, StoredMask** mask, bint keep, uint32_t name) noexcept

    # Whether unmergeable tokens can be ignored, because none of them forbids that a pre-token ends before or after the next
    # token. Returns True or False.
    cdef bint ignores_unmergeable(self, const CanonicalState* start, bint ends) noexcept nogil

    # Make a part by walking the whole trie: set its tokens in `words`.
    cdef int walk(self, Engine engine, const Config* config, const CanonicalState* start, bint ends, uint32_t* words) noexcept nogil

    # Make a part by filtering the grammar's own mask with a boundary transition: set its tokens in `words`. Sets `text_dependent`
    # to True if the grammar's mask depends on values in the text, or if only successors were looked at.
    cdef int filter_by_pretokens(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        const uint32_t* successors, uint32_t* words, bint* text_dependent,
    ) noexcept nogil

    # Write the grammar's own mask to the room's `allowed`. Sets `text_dependent` to True if the mask depends on values in the text.
    # Returns a status.
    cdef int find_plain(self, Engine engine, const Config* config, bint* text_dependent) noexcept nogil

    # `tokens` are some of the 32 tokens of word number `word` of a mask, as bits. Returns, as bits, those of them after which the
    # pre-token may end, as far as slots already say so. `after` has the outcome of each token.
    cdef uint32_t known_tokens(self, uint32_t word, uint32_t tokens, const uint16_t* after) noexcept nogil

    # Whether one token may come.
    cdef int judge_token(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const Transition* transition,
        uint32_t token,
    ) noexcept nogil

    # Fill `inside` for a lexer state.
    cdef int walk_inside(self, Engine engine, uint32_t state) noexcept nogil

    # Whether the pre-token may end after a token that leads to a lexer state and an outcome of a transition.
    cdef int can_end_after(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t state, uint32_t outcome) noexcept nogil

    # `can_end_after` on a virtual row, where the answer may depend on the text of the token.
    cdef int can_end_after_text(
        self, Engine engine, const Config* config, const Transition* transition, uint32_t token, uint32_t outcome) noexcept nogil

    # Set `at` to the state after a token that leads to an outcome. But `at.last` becomes FIRST, whatever the token is.
    cdef void set_outcome(self, CanonicalState* at, const Transition* transition, uint32_t outcome) noexcept nogil

    # Returns the slot of a lexer state. If the slot was another state's, its verdicts are forgotten first.
    cdef Slot* slot_of(self, uint32_t state) noexcept nogil

    # Whether a token may come. The token is read byte by byte.
    cdef int try_token(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, uint32_t token) noexcept nogil

    # Whether a token may come. `config` and `at` are those after the bytes of this token.
    cdef int may_come(
        self, Engine engine, const Config* config, const CanonicalState* at, bint ends, uint32_t token) noexcept nogil
