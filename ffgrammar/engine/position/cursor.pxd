"""A cursor is a position in a text under a grammar. A matcher is a Python object around a cursor.

Several threads may use one cursor. If they move it, its answers are not defined, but nothing else is harmed. The functions run
with the engine's lock held, with six exceptions. `cursor_snapshot`, `cursor_fill` and `cursor_draft` take the lock themselves
where they need it. `cursor_free`, `cursor_known_mask` and `cursor_terminated` do not need it.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ffgrammar.core.threads cimport atomic_load
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.history cimport History
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.masks.mask_cache cimport StoredMask

cdef enum:
    # What cursor_fill returns if it would have to wait for the engine's lock.
    BUSY = 1

cdef struct Cursor:
    Config now            # the configuration after the text; valid if `generation` is the engine's
    uint64_t key          # of the mask of `now`, see mask_key; read and written in one piece
    uint32_t generation
    uint32_t terminated   # whether an end-of-text token was accepted; read and written atomically
    History history

# Make `cursor` a cursor at the start of a text. The caller frees it.
cdef void cursor_first(Engine engine, Cursor* cursor) noexcept nogil
cdef void cursor_free(Cursor* cursor) noexcept nogil

# Make `other` a cursor at the same point. Both share the history. The caller frees `other`.
cdef void cursor_copy(Cursor* cursor, Cursor* other) noexcept nogil

# Write to `history` a share of the cursor's history, which can be read without the lock. The caller releases it. Returns 0.
cdef int cursor_snapshot(Engine engine, Cursor* cursor, History* history) except -1

# Call this before anything that needs `now`. It drops the engine's caches if they are over a bound, and makes `now` valid.
# Returns a status.
cdef int cursor_revalidate(Engine engine, Cursor* cursor) noexcept nogil

# Move by a token, whose first `skipped` bytes are not part of the text. A token all of whose bytes are skipped is a step
# without text. Returns 1; 0 if the token is not allowed or does not exist; or a status.
cdef int cursor_take(Engine engine, Cursor* cursor, uint32_t token, uint32_t skipped) noexcept nogil

# Add a step without text. Returns 1 or a status.
cdef int cursor_push_empty(Engine engine, Cursor* cursor, uint32_t token) noexcept nogil

# Move by bytes up to the first that is not possible. Returns how many were accepted, or a status.
cdef int cursor_read(Engine engine, Cursor* cursor, const uint8_t* text, uint32_t count) noexcept nogil

# Move a configuration by bytes up to the first that is not possible. No cursor needs to be there. Returns as `cursor_read`.
cdef int config_read(Engine engine, const uint8_t* text, uint32_t count, Config* config) noexcept nogil

# Take back all steps but the first `count`. Does nothing if there are no more steps than that.
cdef void cursor_rollback(Engine engine, Cursor* cursor, size_t count) noexcept nogil

# Returns the mask if it is known, else NULL; also NULL if another thread holds the table of masks for long, as while a process is
# forked. The caller releases the mask. Do not call this after an end-of-text token.
cdef StoredMask* cursor_known_mask(Engine engine, Cursor* cursor) noexcept nogil

# Write the mask to `count` words. It is all zeros after an end-of-text token. A mask that is not known yet needs the engine's
# lock. If another thread holds this lock, the call waits if `wait` is set, and otherwise returns BUSY. Returns OK, BUSY or a
# status.
cdef int cursor_fill(Engine engine, Cursor* cursor, uint32_t* row, size_t count, bint wait) noexcept nogil

# Write the mask before each drafted token, and the mask after the last one, to rows of `count` words each. Rows after the first
# token that is not allowed become all ones. The cursor does not move. Returns how many tokens are allowed, or a status.
cdef int cursor_draft(
    Engine engine, Cursor* cursor, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count,
) noexcept nogil


cdef inline bint cursor_terminated(const Cursor* cursor) noexcept nogil:
    """Whether an end-of-text token was accepted. No lock needs to be held."""
    return atomic_load(&cursor.terminated) != 0
