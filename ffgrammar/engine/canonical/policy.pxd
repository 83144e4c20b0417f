"""The policy beside a cursor that lets only the tokenizer's own tokens come."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.caches cimport CanonicalCaches
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.token_history cimport TokenHistory
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.cursor cimport Cursor
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef class CanonicalPolicy:
    cdef Engine engine
    cdef CanonicalRules rules
    cdef CanonicalCaches caches
    cdef Lookahead lookahead
    cdef TokenHistory tokens

    # In all of these `cursor` is the matcher's, and `pending` is what is missing of its prompt (count 0 where it has none). They
    # take the engine's lock themselves, and raise LimitError and MemoryError.

    # Take a token: 1, or 0 where it may not come; then the cursor is as before.
    cdef int take(self, Cursor* cursor, PendingPrefix pending, uint32_t token) except -1

    # Write the mask of the tokens that may come to `count` words. Returns a status.
    cdef int fill(self, Cursor* cursor, PendingPrefix pending, uint32_t* row, size_t count) except? -1

    # Whether the tokens so far are what the tokenizer makes of a text that ends here. Nothing may be pending.
    cdef bint is_whole(self, Cursor* cursor) except? True

    # The ids of the tokens that must come.
    cdef list forced_tokens(self, Cursor* cursor, PendingPrefix pending)

    # A policy for a fork of the matcher.
    cdef CanonicalPolicy copy(self)

    # Before a search, with the engine's lock held: revalidates the cursor and the look-ahead, and writes where the search begins
    # to `config`. Returns a status.
    cdef int enter(self, Cursor* cursor, PendingPrefix pending, Config* config) noexcept nogil

    # The state of the rules after the cursor's tokens, as they are.
    cdef int follow(self, Cursor* cursor, CanonicalState* at, bint* given) except -1

    # The same; it makes up for a last token that no sentence has.
    cdef int find_state(self, Cursor* cursor, PendingPrefix pending, CanonicalState* at) except -1

    # Take a token whose rules are checked: 1, 0 or a status. `at` is the state after it. With the engine's lock held.
    cdef int take_bytes(
        self, Cursor* cursor, PendingPrefix pending, uint32_t token, const CanonicalState* at) noexcept nogil
