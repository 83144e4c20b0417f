"""The steps of a text, shared by the forks that have them in common.

A history is a chain of chunks, the last one first. Chunks are counted; a chunk that more than one history holds is not
written any more (but for the configurations of its steps, which are found anew when the caches were dropped: by whoever
needs them first, for all). So a fork holds one chunk more and copies nothing; and who goes on from a shared chunk begins one
of its own.

All but `history_release` and reading bytes and tokens is done with the engine's lock held.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.recognizer.recognizer cimport Config

cdef enum:
    # the token of a step (or one of these)
    NO_TOKEN = 0xFFFFFFFF      # bytes that came without a token
    EOS_STEP = 0x80000000      # flag: the token ended the sequence
    MAX_TEXT = 0x7FFFFFFF      # bytes; offsets are 32 bits

cdef struct Step:
    Config config  # after it
    uint32_t end   # length of the text with it
    uint32_t token

cdef struct Chunk:
    Chunk* before         # what its steps follow, as far as `first` says; NULL where the text begins
    size_t first          # steps before it
    uint32_t first_byte   # bytes before it
    uint32_t refs
    uint32_t count        # steps in it
    uint32_t generation   # of the configurations of the first `valid` steps
    uint32_t valid
    uint32_t room         # for steps
    uint32_t text_room
    Step* steps
    uint8_t* text

cdef struct History:
    Chunk* tail
    uint32_t used         # steps of `tail` that are part of it: some, unless it is empty

# To begin with, an empty history is two zeros.
cdef void history_share(const History* h, History* other) noexcept nogil
cdef void history_release(History* h) noexcept nogil

# One more step, whose text is `count` bytes. Returns a status; the history is as before if it is one of failure.
cdef int history_add(
    History* h, Config config, uint32_t generation, const uint8_t* text, uint32_t count, uint32_t token,
) noexcept nogil

# Go back to `count` steps.
cdef void history_cut(History* h, size_t count) noexcept nogil

# Copies of what the steps are. `text` and `tokens` have room for them.
cdef void history_text(const History* h, uint8_t* text) noexcept nogil
cdef void history_tokens(const History* h, uint32_t* tokens) noexcept nogil


cdef inline size_t history_len(const History* h) noexcept nogil:
    """How many steps there are."""
    return h.tail.first + h.used if h.tail != NULL else 0


cdef inline Step* history_last(const History* h) noexcept nogil:
    """The last step; NULL if there is none."""
    return h.tail.steps + h.used - 1 if h.used else NULL


cdef inline uint32_t history_bytes(const History* h) noexcept nogil:
    """The length of the text."""
    return h.tail.steps[h.used - 1].end if h.used else 0
