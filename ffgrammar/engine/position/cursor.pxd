"""A place in a text under a grammar: what a matcher is, without the object.

Several threads may use one place. All of this but `cursor_free`, `cursor_known_mask`, `cursor_fill` and `cursor_draft` is called
with the engine's lock held; these four ask for it themselves if they need it. (A mask that is known is found without.)
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.history cimport History
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.masks.mask_cache cimport StoredMask

cdef enum:
    # what cursor_fill returns where it would have to wait
    BUSY = 1

cdef struct Cursor:
    Config now            # where the engine is of the same generation
    uint32_t plain        # the parser's row of `now`
    uint32_t generation
    bint terminated
    History history

# Where a text begins. To be freed.
cdef void cursor_first(Engine engine, Cursor* cursor) noexcept nogil
cdef void cursor_free(Cursor* cursor) noexcept nogil

# Another place, where the text is the same so far.
cdef void cursor_copy(Cursor* cursor, Cursor* other) noexcept nogil

# Share the history, to be read without the lock; to be released. Takes the lock itself.
cdef int cursor_snapshot(Engine engine, Cursor* cursor, History* history) except -1

# Before anything else that needs `now`: bounds the caches, and makes `now` valid. Returns a status.
cdef int cursor_revalidate(Engine engine, Cursor* cursor) noexcept nogil

# Move by a token, whose first `skipped` bytes are not part of the text: 1, 0 if it is not allowed (so is a number that is
# none), or a status. A token of which nothing is left is a step without text.
cdef int cursor_take(Engine engine, Cursor* cursor, uint32_t token, uint32_t skipped) noexcept nogil

# Note a step without text.
cdef int cursor_push_empty(Engine engine, Cursor* cursor, uint32_t token) noexcept nogil

# Move by bytes up to the first that is not possible: how many they are, or a status.
cdef int cursor_read(Engine engine, Cursor* cursor, const uint8_t* text, uint32_t count) noexcept nogil

# Go back to `count` steps, if there are more.
cdef void cursor_rollback(Engine engine, Cursor* cursor, size_t count) noexcept nogil

# The mask if it is known, else NULL; to be released. Not to be asked for where the text has terminated.
cdef StoredMask* cursor_known_mask(Engine engine, Cursor* cursor) noexcept nogil

# Write the mask to `count` words: OK or a status; or BUSY where another thread holds the engine's lock and `wait` is not set.
cdef int cursor_fill(Engine engine, Cursor* cursor, uint32_t* row, size_t count, bint wait) noexcept nogil

# Write the masks along drafted tokens to their rows, and one after the last; the rows after a token that is not allowed
# become all ones. The place does not move. How many tokens are allowed, or a status.
cdef int cursor_draft(
    Engine engine, Cursor* cursor, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count,
) noexcept nogil
