"""The canonical policy of a matcher: it lets only the tokenizer's own tokens come."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.engine.canonical.caches cimport CanonicalCaches
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.masks cimport CanonicalMasks
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.token_history cimport TokenHistory
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.masks.compute cimport Bounds
from ffgrammar.engine.position.cursor cimport Cursor
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef class CanonicalPolicy:
    cdef Engine engine
    cdef CanonicalRules rules
    cdef CanonicalCaches caches
    cdef Lookahead lookahead
    cdef TokenHistory tokens
    # The work of one call is bounded as that of a mask is. The bound is set from `begin` to `leave`.
    cdef uint64_t spent    # work of the current call, up to the last `leave`
    cdef uint64_t began    # the work of all calls at the last `begin`
    cdef Bounds before     # what bounded the recognizer before the last `begin`

    # In all methods `cursor` is the cursor of the matcher. `pending` has the pending bytes of the matcher's prompt; without a
    # prompt there are none. Unless its comment says otherwise, a method takes the engine's lock itself, and raises LimitError,
    # MemoryError and what an encoder raises.

    # Take a token. Returns 1, or 0 if it may not come. After 0 the cursor is as before.
    cdef int take(self, Cursor* cursor, PendingPrefix pending, uint32_t token) except -1

    # Write to `row`, which has `count` words, the mask of the tokens that may come. Returns a status.
    cdef int fill(self, Cursor* cursor, PendingPrefix pending, uint32_t* row, size_t count) except? -1

    # Part of `fill`, where the text begins: whether the grammar allows only few tokens. (A sieve is about the whole vocabulary. To
    # make the one at the start of a text takes 2 to 13 ms, once for a tokenizer.)
    cdef bint begins_with_few(self, CanonicalMasks masks, Cursor* cursor, PendingPrefix pending) except? True

    # Whether the tokens so far are what the tokenizer makes of a text that ends here. Call this only if no byte of a
    # prompt is pending.
    cdef bint is_whole(self, Cursor* cursor) except? True

    # The ids of the tokens that must come.
    cdef list forced_tokens(self, Cursor* cursor, PendingPrefix pending)

    # A policy for a fork of the matcher.
    cdef CanonicalPolicy copy(self)

    # Call this before a search, with the engine's lock held. It revalidates the cursor and the look-ahead, and writes to `config`
    # where the search begins. Returns a status.
    cdef int enter(self, Cursor* cursor, PendingPrefix pending, Config* config) noexcept nogil

    # Call `enter`, and bound the work of the current call. Returns a status. Whatever it is, `leave` must follow.
    cdef int begin(self, Cursor* cursor, PendingPrefix pending, Config* config) noexcept nogil

    # End what `begin` has begun, and release the engine's lock. Returns nothing.
    cdef void leave(self) noexcept nogil

    # Write to `at` the state of the rules after the cursor's tokens. Sets `given` to True if the last step came as bytes or if
    # there is no step, else to False. Returns 0.
    cdef int follow(self, Cursor* cursor, CanonicalState* at, bint* given) except -1

    # Write the state, as `follow` does. But if the last token came as bytes or in a prompt, and no sentence goes on after it,
    # write a state in which the next token need not fit the last one. Returns 0.
    cdef int find_state(self, Cursor* cursor, PendingPrefix pending, CanonicalState* at) except -1

    # Take a token that the rules allow; `before` and `at` are their states before it and after it. Returns 1, 0 or a status. Call
    # this with the engine's lock held; `leave` must follow.
    cdef int take_bytes(
        self, Cursor* cursor, PendingPrefix pending, uint32_t token, const CanonicalState* before, const CanonicalState* at
    ) noexcept nogil
