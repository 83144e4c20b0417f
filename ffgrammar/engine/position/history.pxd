"""The steps of a text, shared by the forks that have them in common.

A history is a linked list of chunks, the last one first. Chunks are reference-counted. While more than one history holds a
chunk, only the configurations of its steps may be written: after the caches were dropped, the first cursor that needs these
configurations finds them for all cursors. So a fork copies nothing and holds one more reference. A history that goes on from a
shared chunk begins a chunk of its own.

Call these functions with the engine's lock held. For a history that only the caller has (`cursor_snapshot`), `history_release`
and the functions that only read need no lock.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Config

cdef enum:
    # The token of a step is NO_TOKEN or an id. The id of a token that has ended the text has the flag EOS_STEP, and that of a
    # special token that was a lexeme has the flag LEXEME_STEP.
    NO_TOKEN = 0xFFFFFFFF      # the step is bytes that came without a token
    EOS_STEP = 0x80000000
    LEXEME_STEP = 0x40000000
    STEP_FLAGS = 0xC0000000
    MAX_TEXT = 0x7FFFFFFF      # the most bytes that a text may have; offsets are 32 bits wide

cdef struct Step:
    Config config  # after the step
    uint32_t end   # how many bytes the text has after the step
    uint32_t token

cdef struct Chunk:
    Chunk* before         # the previous chunk, or NULL; of that chunk, only the steps below number `first` are part of this text
    size_t first          # how many steps of the text are before the chunk
    uint32_t first_byte   # how many bytes of the text are before the chunk
    uint32_t refs
    uint32_t count        # how many steps are in it
    uint32_t generation   # of the configurations of the first `valid` steps
    uint32_t valid        # how many steps, from the first one on, have a usable configuration
    uint32_t room         # for how many steps there is memory
    uint32_t text_room    # for how many bytes
    Step* steps
    uint8_t* text

cdef struct History:
    Chunk* tail
    uint32_t used         # how many steps of `tail` are part of the history; 0 only if the history is empty

# Make `other` the same history. The struct of an empty history is two zeros.
cdef void history_share(const History* h, History* other) noexcept nogil

# Give a history up: chunks that no other history has are freed.
cdef void history_release(History* h) noexcept nogil

# Add a step, whose text is `count` bytes. `config` is the configuration after the step, and `generation` is that of the
# configuration. Returns OK or NO_MEMORY; on failure the history is as before.
cdef int history_add(
    History* h, Config config, uint32_t generation, const uint8_t* text, uint32_t count, uint32_t token,
) noexcept nogil

# Take back all steps but the first `count`. There must be at least that many.
cdef void history_cut(History* h, size_t count) noexcept nogil

# Copy the bytes of all steps; the caller has made room for history_bytes of them.
cdef void history_text(const History* h, uint8_t* text) noexcept nogil

# How many bytes of the text are before its last piece: what follows the last special token that was a lexeme.
cdef uint32_t history_piece(const History* h) noexcept nogil

# Copy the tokens of all steps; the caller has made room for history_len of them.
cdef void history_tokens(const History* h, uint32_t* tokens) noexcept nogil

# Append to `pairs` the special tokens that were lexemes, the last one first: for each, its id and how many bytes of the text are
# before it. Returns OK or NO_MEMORY.
cdef int history_special(const History* h, Vec* pairs) noexcept nogil


cdef inline size_t history_len(const History* h) noexcept nogil:
    """How many steps there are."""
    return h.tail.first + h.used if h.tail != NULL else 0


cdef inline Step* history_last(const History* h) noexcept nogil:
    """The last step; NULL if there is none."""
    return h.tail.steps + h.used - 1 if h.used else NULL


cdef inline uint32_t history_bytes(const History* h) noexcept nogil:
    """The length of the text."""
    return h.tail.steps[h.used - 1].end if h.used else 0
