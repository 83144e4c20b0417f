"""Masks of the tokens that a grammar allows and that are the tokenizer's own."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.lookahead cimport Lookahead
from ffgrammar.engine.machine cimport Config
from ffgrammar.engine.stored cimport MaskTable, StoredMask
from ffgrammar.tokens.canon cimport Canon, CanonRules
from ffgrammar.tokens.trie cimport TokenTrie
from ffgrammar.tokens.ways cimport MOST_STATES, Way

cdef enum:
    SLOTS = 64


cdef struct Slot:
    # what is known of a lexer state, by the guess about pieces: see `rest_after`
    uint32_t state
    uint8_t[MOST_STATES] rests


cdef class CanonicalMasks:
    cdef Lookahead lookahead
    cdef CanonRules rules
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

    # Write the mask after some tokens to `count` words, end of text included. `ways` are those of the guesses, two each (ways.pxd),
    # or None; `successors` is what merges leave beside the last token, or NULL where it does not matter. With the engine's lock
    # held, and the lookahead entered. Returns a status.
    cdef int fill(
        self, Engine engine, const Config* config, const Canon* at, list ways, const uint32_t* successors, uint32_t* words,
        size_t count) noexcept

    cdef int add(self, Engine engine, const Config* config, const Canon* at, list ways, const uint32_t* successors) noexcept
    cdef int add_way(
        self, Engine engine, const Config* config, const Canon* start, bint ends, Way way, const uint32_t* successors) noexcept
    cdef int find_way(
        self, Engine engine, const Config* config, const Canon* start, bint ends, Way way, StoredMask** mask) noexcept
    cdef int walk(self, Engine engine, const Config* config, const Canon* start, bint ends, uint32_t* words) noexcept nogil
    cdef int comes(
        self, Engine engine, const Config* config, const Canon* at, bint ends, uint32_t token) noexcept nogil
    cdef int sift(
        self, Engine engine, const Config* config, const Canon* start, bint ends, const uint32_t* mask, const uint32_t* cut,
        const uint8_t* after, uint32_t* words) noexcept nogil
    cdef bint is_free(self, const Canon* start, bint ends) noexcept nogil
    cdef int walk_inside(self, Engine engine, uint32_t state) noexcept nogil
    cdef int rest_after(self, Engine engine, const Config* config, uint32_t state, uint32_t guess) noexcept nogil
    cdef int rest_after_text(self, Engine engine, const Config* config, uint32_t token, uint32_t guess) noexcept nogil
    cdef Slot* slot_of(self, uint32_t state) noexcept nogil
    cdef int try_token(
        self, Engine engine, const Config* config, const Canon* start, bint ends, uint32_t token) noexcept nogil


# The ones that all matchers of a grammar share.
cdef CanonicalMasks masks_of(Engine engine, Lookahead lookahead)
