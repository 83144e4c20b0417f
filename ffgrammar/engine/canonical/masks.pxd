"""Masks of the tokens that a grammar allows and that are the tokenizer's own."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.masks.mask_cache cimport MaskTable, StoredMask
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie
from ffgrammar.tokens.canonical.transitions cimport MAX_STATES, BoundaryTransition

cdef enum:
    SLOTS = 64


cdef struct Slot:
    # what is known of a lexer state, by the hypothesis about pre-tokens: see `rest_after`
    uint32_t state
    uint8_t[MAX_STATES] can_end_pretoken


cdef class CanonicalMasks:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef size_t max_bytes
    cdef Intern names      # of what `table` has masks for
    cdef MaskTable table
    cdef Vec buffer        # one mask and a spare word, in whole blocks; all zero between calls
    cdef Vec part          # the same
    cdef Vec plain         # the grammar's mask
    cdef Vec scratch       # for table_pack
    cdef Vec inside        # by token: the lexer state after it, or LEFT; for `inside_from`
    cdef uint32_t inside_from
    cdef uint32_t inside_generation
    cdef Slot[SLOTS] slots
    cdef readonly size_t misses

    # Write the mask after some tokens to `count` words, end of text included. `ways` are those of the hypotheses, two each
    # (tokens/canonical/transitions.pxd), or None; `successors` is what merges leave beside the last token, or NULL where it does
    # not matter. With the engine's lock held, and the lookahead entered. Returns a status.
    cdef int fill(
        self, Engine engine, const Config* config, const CanonicalState* at, list transitions, const uint32_t* successors,
        uint32_t* words, size_t count,
    ) noexcept

    cdef int add(
        self, Engine engine, const Config* config, const CanonicalState* at, list transitions, const uint32_t* successors,
    ) noexcept
    cdef int add_way(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, BoundaryTransition transition, const
        uint32_t* successors,
    ) noexcept
    cdef int find_way(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, BoundaryTransition transition,
        StoredMask** mask,
    ) noexcept
    cdef int walk(self, Engine engine, const Config* config, const CanonicalState* start, bint ends, uint32_t* words) noexcept nogil
    cdef int comes(
        self, Engine engine, const Config* config, const CanonicalState* at, bint ends, uint32_t token) noexcept nogil
    cdef int filter_by_pretokens(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, const uint32_t* mask, const uint32_t*
        cut, const uint8_t* after, uint32_t* words,
    ) noexcept nogil
    cdef bint is_free(self, const CanonicalState* start, bint ends) noexcept nogil
    cdef int walk_inside(self, Engine engine, uint32_t state) noexcept nogil
    cdef int rest_after(self, Engine engine, const Config* config, uint32_t state, uint32_t hypothesis) noexcept nogil
    cdef int rest_after_text(self, Engine engine, const Config* config, uint32_t token, uint32_t hypothesis) noexcept nogil
    cdef Slot* slot_of(self, uint32_t state) noexcept nogil
    cdef int try_token(
        self, Engine engine, const Config* config, const CanonicalState* start, bint ends, uint32_t token) noexcept nogil
