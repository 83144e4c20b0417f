"""A place in a text under a grammar: what a matcher is, without the object.

Several threads may use one place. All of this but `place_free`, `place_known`, `place_fill` and `place_draft` is called with the
engine's lock held; these four ask for it themselves if they need it. (A mask that is known is found without.)
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.history cimport History
from ffgrammar.engine.machine cimport Config
from ffgrammar.engine.stored cimport StoredMask

cdef enum:
    # what place_fill returns where it would have to wait
    BUSY = 1

cdef struct Place:
    Config now            # where the engine is of the same generation
    uint32_t plain        # the parser's row of `now`
    uint32_t generation
    bint terminated
    History history

# Where a text begins. To be freed.
cdef void place_first(Engine engine, Place* place) noexcept nogil
cdef void place_free(Place* place) noexcept nogil

# Another place, where the text is the same so far.
cdef void place_copy(Place* place, Place* other) noexcept nogil

# Before anything else that needs `now`: bounds the caches, and makes `now` valid. Returns a status.
cdef int place_enter(Engine engine, Place* place) noexcept nogil

# Move by a token, whose first `skipped` bytes are not part of the text: 1, 0 if it is not allowed (so is a number that is
# none), or a status. A token of which nothing is left is a step without text.
cdef int place_take(Engine engine, Place* place, uint32_t token, uint32_t skipped) noexcept nogil

# Note a step without text.
cdef int place_stay(Engine engine, Place* place, uint32_t token) noexcept nogil

# Move by bytes up to the first that is not possible: how many they are, or a status.
cdef int place_read(Engine engine, Place* place, const uint8_t* text, uint32_t count) noexcept nogil

# Go back to `count` steps, if there are more.
cdef void place_back(Engine engine, Place* place, size_t count) noexcept nogil

# The mask if it is known, else NULL; to be released. Not to be asked for where the text has terminated.
cdef StoredMask* place_known(Engine engine, Place* place) noexcept nogil

# Write the mask to `count` words: OK or a status; or BUSY where another thread holds the engine's lock and `wait` is not set.
cdef int place_fill(Engine engine, Place* place, uint32_t* row, size_t count, bint wait) noexcept nogil

# Write the masks along drafted tokens to their rows, and one after the last; the rows after a token that is not allowed
# become all ones. The place does not move. How many tokens are allowed, or a status.
cdef int place_draft(
    Engine engine, Place* place, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count,
) noexcept nogil
