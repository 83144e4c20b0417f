"""A cursor stands in a text under a grammar: it is what a matcher moves, without the Python object.

Several threads may use one cursor. Its functions run with the engine's lock held, but for `cursor_free`, `cursor_snapshot`,
`cursor_known_mask`, `cursor_fill` and `cursor_draft`: these take it themselves where they need it. (A known mask is found without.)
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.history cimport History
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.masks.mask_cache cimport StoredMask

cdef enum:
    # What cursor_fill returns where it would have to wait for the engine's lock.
    BUSY = 1

cdef struct Cursor:
    Config now            # the configuration after the text; valid if the engine is of the same generation
    uint32_t plain        # the parser's row of `now`
    uint32_t generation
    bint terminated       # an end-of-sequence token was accepted
    History history

# A cursor at the start of a text. The caller frees it.
cdef void cursor_first(Engine engine, Cursor* cursor) noexcept nogil
cdef void cursor_free(Cursor* cursor) noexcept nogil

# Make `other` a cursor at the same point. Both share the history. The caller frees it.
cdef void cursor_copy(Cursor* cursor, Cursor* other) noexcept nogil

# Write a share of the history, which can be read without the lock. The caller releases it.
cdef int cursor_snapshot(Engine engine, Cursor* cursor, History* history) except -1

# To be called before anything that needs `now`: bounds the caches, and makes `now` valid. Returns a status.
cdef int cursor_revalidate(Engine engine, Cursor* cursor) noexcept nogil

# Move by a token, whose first `skipped` bytes are not part of the text: 1, 0 where it is not allowed or no such token exists, or
# a status. A token of which nothing is left is a step without text.
cdef int cursor_take(Engine engine, Cursor* cursor, uint32_t token, uint32_t skipped) noexcept nogil

# Add a step without text: 1 or a status.
cdef int cursor_push_empty(Engine engine, Cursor* cursor, uint32_t token) noexcept nogil

# Move by bytes up to the first that is not possible: how many were accepted, or a status.
cdef int cursor_read(Engine engine, Cursor* cursor, const uint8_t* text, uint32_t count) noexcept nogil

# Go back to `count` steps. Does nothing where there are no more than that.
cdef void cursor_rollback(Engine engine, Cursor* cursor, size_t count) noexcept nogil

# The mask if it is known, else NULL. The caller releases it. The text must not have terminated.
cdef StoredMask* cursor_known_mask(Engine engine, Cursor* cursor) noexcept nogil

# Write the mask to `count` words; all zeros where the text has terminated. OK, a status, or BUSY where another thread holds the
# engine's lock and `wait` is not set.
cdef int cursor_fill(Engine engine, Cursor* cursor, uint32_t* row, size_t count, bint wait) noexcept nogil

# Write the masks before each drafted token, and the one after the last, to rows of `count` words. Rows after a token that is not
# allowed become all ones. The cursor does not move. Returns how many tokens are allowed, or a status.
cdef int cursor_draft(
    Engine engine, Cursor* cursor, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count,
) noexcept nogil
