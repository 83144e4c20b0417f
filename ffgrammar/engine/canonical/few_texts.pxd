"""Few texts: all texts that the rest of a pre-token can be, listed where the grammar leaves only few of them."""

cimport cython
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    MAX_TEXT = 64     # bytes of one text
    MAX_TRIED = 256   # bytes of all texts
    MAX_CHOICES = 12  # bytes that may come at one place


cdef struct TextStep:
    # What is known after some bytes of a text.
    Config config
    CanonicalState at
    uint32_t[8] bytes  # the bytes that may come next and are not tried yet, as bits


@cython.final
cdef class FewTexts:
    cdef Lookahead lookahead
    cdef CanonicalRules rules
    # The text that is tried: its bytes, and what is known before each of them and at its end.
    cdef uint8_t[MAX_TEXT] text
    cdef TextStep[MAX_TEXT + 1] steps
    cdef uint32_t[MAX_TEXT] tokens  # scratch: the tokens of one text

    # All methods run with the engine's lock held and the look-ahead entered.

    # Append to `found` all tokens that may come next, and after which the text can go on to a sentence, whatever token stands
    # before them. With `ends` the pre-token ends before these tokens, otherwise it goes on with them. `at.last` must be FIRST or
    # UNCONSTRAINED. `at` must not be inside a character. Returns OK; a status; or 1 if the texts are not few, so that tokens may
    # be missing from `found`. With `partial`, the method does not stop at the first place where the texts are not few: it still
    # tries the other texts. But if a text is longer than MAX_TEXT, or if all texts together are longer than MAX_TRIED, it returns
    # 1 at once, with `partial` too. The caller forgets what the call adds to the trace (trace_release).
    cdef int list_tokens(
        self, Engine engine, const Config* config, const CanonicalState* at, bint ends, bint partial, Vec* found) noexcept nogil

    # Part of list_tokens: try all texts. `whole` is as in `add_first`. Returns as list_tokens.
    cdef int try_texts(self, Engine engine, bint whole, bint partial, Vec* found) noexcept nogil

    # Try a byte after the first `depth` bytes. Returns 1; 0 if it may not come; or a status.
    cdef int try_byte(self, Engine engine, uint32_t depth, uint32_t byte) noexcept nogil

    # Find the bytes that may come after the first `depth` bytes. Returns OK; 1 if the texts are not few, or cannot be listed; or
    # a status.
    cdef int find_bytes(self, Engine engine, uint32_t depth) noexcept nogil

    # If the pre-token can end after the first `depth` bytes, do what `add_first` does with them. Returns as `add_first`, or 1 if
    # these bytes are an atom (PretokenTable.atoms) or the beginning of one; or a status.
    cdef int try_end(self, Engine engine, uint32_t depth, bint whole, size_t begin, Vec* found) noexcept nogil

    # Whether the pre-token can end after the first `depth` bytes. Returns 1, 0 or a status.
    cdef int can_end(self, Engine engine, uint32_t depth) noexcept nogil

    # Find the tokens of the first `size` bytes, and append the first of these tokens to `found`, unless `found` has it already at
    # `begin` or later. With `whole` the bytes are a pre-token, otherwise the end of a pre-token. Returns OK; 1 if a byte has no
    # token; or NO_MEMORY.
    cdef int add_first(self, uint32_t size, bint whole, size_t begin, Vec* found) noexcept nogil
