"""The part of a matcher that counts its tokens."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.budget.token_costs cimport TokenCosts
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.cursor cimport Cursor

cdef class TokenBudget:
    cdef Engine engine
    cdef TokenCosts costs
    cdef readonly Py_ssize_t max_tokens
    cdef list byte_steps  # which steps are bytes without a token, ascending

    # Whether the tokens that are left complete the text of a cursor. The engine's lock is held. Raises LimitError, MemoryError.
    cdef bint suffices(self, Cursor* cursor) except -1

    # How many tokens may still come after the steps of a cursor. The engine's lock is held.
    cdef Py_ssize_t left(self, const Cursor* cursor) noexcept

    # In the methods below, `cursor` is the cursor of the matcher. They take the lock, and raise LimitError and MemoryError.

    # Take a token. Returns 1, or 0 if it may not come. After 0 the cursor is as before.
    cdef int take(self, Cursor* cursor, uint32_t token) except -1

    # Write to `row`, which has `count` words, the tokens that may come. Returns 0.
    cdef int fill(self, Cursor* cursor, uint32_t* row, size_t count) except -1

    # Note that the last step of the cursor was bytes. Returns whether the tokens that are left suffice after it.
    cdef bint note_bytes(self, Cursor* cursor) except -1

    # Forget the steps after the first `steps`. Returns 0.
    cdef int cut(self, size_t steps) except -1

    cdef TokenBudget copy(self)


# How many tokens complete the text of a cursor, as a `FewestTokens`. Takes the engine's lock. Raises MatcherError if no tokens do,
# UnsupportedError if the grammar has checks, LimitError and MemoryError.
cdef object fewest_tokens(Engine engine, Cursor* cursor)
