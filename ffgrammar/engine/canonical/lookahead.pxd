"""Whether a text can go on so that it is a sentence of the grammar, and the tokens taken are the tokenizer's own."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules
from ffgrammar.tokens.pretokenize.table cimport Utf8
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    # The row of a configuration that still owes the end of a prompt; its state says how many bytes are paid.
    PENDING = 0x7FFFFFFF
    MAX_LEVELS = 64  # tokens that are looked for, one after another, to bring a pre-token to its end


cdef struct PendingPrefix:
    const uint8_t* data  # bytes of a prompt that the first tokens must spell; the caller keeps them
    uint32_t count       # 0 where there is no prompt
    uint32_t consumed    # how many of them have come


cdef inline Config search_start(PendingPrefix pending, Config now) noexcept nogil:
    """Where a search begins: inside the pending bytes while some of them are missing, else at the text's configuration."""
    cdef Config config = now
    if pending.consumed < pending.count:
        config.row = PENDING
        config.state = pending.consumed
    return config


cdef class Lookahead:
    cdef readonly CanonicalRules rules
    cdef TokenTrie trie
    cdef PendingPrefix pending            # of the matcher that asks
    cdef uint32_t generation  # of the engine, which configurations are of
    cdef size_t max_bytes
    cdef Intern names         # of what was asked: see `name_place`, `name_break`
    cdef Vec verdicts         # by name
    cdef Vec visited          # names that the search of the moment has met
    cdef uint32_t entered     # how many places it has been at
    cdef uint32_t nodes_left  # how many nodes of the trie it may still look at
    cdef bint tainted         # whether it was cut short at a place that it had met before
    cdef CanonicalState* states[MAX_LEVELS]    # by the depth in the trie, each for one token of a search
    cdef Config* configs[MAX_LEVELS]
    cdef Vec trail            # of a search for the end of a pre-token: row, state, hypothesis

    # All that follows runs with the engine's lock held.

    # Before all else: whose text it is, and whether what was found before still holds. Returns a status.
    cdef int enter(self, Engine engine, PendingPrefix pending) noexcept nogil

    # One byte, as in engine/recognizer/completability.pxd; and whether the text is a sentence.
    cdef int step(self, Engine engine, Config* config, uint32_t byte) noexcept nogil
    cdef int accepting(self, Engine engine, const Config* config) noexcept nogil

    # Whether the text after some tokens can go on so that it is a sentence and they stay as they are: 1, 0 or a status.
    cdef int has_canonical_completion(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    cdef int clear(self, Engine engine) noexcept nogil
    cdef int name_place(self, const Config* config, const CanonicalState* at, uint32_t* name) noexcept nogil
    cdef int can_end_pretoken(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil
    cdef int search(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil
    cdef int over_tokens(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t level) noexcept nogil
    cdef int over_nodes(
        self, Engine engine, CanonicalState* states, Config* configs, uint32_t node, uint32_t stop, uint32_t level) noexcept nogil
    cdef int meet(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token, uint32_t level) noexcept nogil
    cdef int can_reach_boundary(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil
    cdef int find_break(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil
    cdef int over_characters(
        self, Engine engine, const Config* config, bint wide, uint32_t hypothesis, bint goes_on, uint32_t* left) noexcept nogil
    cdef int over_bytes(
        self, Engine engine, const Config* config, const Utf8* part, uint32_t low, uint32_t high, uint32_t hypothesis, bint goes_on,
        uint32_t* left) noexcept nogil
    cdef int reach(self, Engine engine, const Config* config, uint32_t hypothesis) noexcept nogil
