"""Whether a sentence goes on, whatever values the text has."""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalState


@cython.final
cdef class Repeats:
    cdef Lookahead lookahead
    cdef Vec tokens          # tokens of letters that can stand beside themselves; none if the grammar asks for equal values
    cdef bint is_listed      # whether `tokens` has been filled

    # All methods run with the engine's lock held and the look-ahead entered.

    # Whether some token of letters can come any number of times at a place, so that a sentence goes on. Then a sentence goes on
    # there whatever the text before the place is, as long as the parser's row and the lexer state are the same. "No" means only
    # that none was found. `config` may be on a virtual row. `at` is the rules' state after the last token, not inside a character.
    # Returns 1, 0 or a status.
    cdef int goes_on(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil

    # Part of goes_on: fill `tokens`. Returns OK or NO_MEMORY.
    cdef int list_tokens(self, Engine engine) noexcept nogil

    # Part of list_tokens: whether a token is 1 to MAX_LETTERS of the 26 letters from `first` on, and represents its bytes.
    # Returns True or False.
    cdef bint has_letters(self, uint32_t token, uint32_t first) noexcept nogil

    # Part of goes_on: whether a token can come twice, the second time leads back to where it came from, and a sentence goes on
    # after the first. Returns 1, 0 or a status.
    cdef int repeats(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token) noexcept nogil
