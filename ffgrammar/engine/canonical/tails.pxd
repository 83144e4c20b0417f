"""Tails: all texts that the rest of a pre-token can be, as far as they are few, as one number."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.boundaries cimport Boundaries
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.steps cimport SearchSteps
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    OPEN = 0         # the number of the tail of which nothing is known
    # bits of the first word of a tail
    CAN_END = 1      # the pre-token can end here
    MANY = 2         # too many bytes may come next, so they are left out
    ANYTHING = 4     # nothing is known of what may come
    FREE = 8         # with MANY: some bytes lead to free text

cdef enum:
    FREE_WORDS = 6   # words of a tail with FREE before its hypotheses


@cython.final
cdef class Tails:
    cdef CanonicalRules rules
    cdef SearchSteps steps
    cdef Boundaries boundaries
    cdef Reach reach
    cdef Intern names    # (row, lexer state, hypotheses)
    cdef Vec found       # by name: its tail
    # A tail is a word of the bits above; then, for each byte that may come next and goes on with the pre-token, this byte and the
    # tail after it. With FREE, four words have the ASCII characters that lead to free text, as bits. The next word says whether
    # this is the place itself, so that any number of them may come; otherwise only one may. The other words are the hypotheses.
    cdef Intern tails
    cdef uint32_t room   # how many more places the current call of `find` may look at

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Write the tail of a configuration and the rules' state there. The text so far ends after a token.
    cdef int find(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t* tail) noexcept nogil

    # Part of `find`. `depth` is how many bytes come before the place.
    cdef int find_at(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t depth, uint32_t* tail) noexcept nogil

    # Part of find_at: make the tail.
    cdef int make(
        self, Engine engine, const Config* config, const CanonicalState* at, uint32_t depth, uint32_t* tail) noexcept nogil

    # Part of `make`: whether the pre-token can end at a place, where some bytes may come next, given as bits. Returns 1, 0 or a
    # status.
    cdef int can_end(
        self, Engine engine, const Config* config, const CanonicalState* at, const uint32_t* bytes) noexcept nogil

    # Part of `make`, where too many bytes may come. If some lead to a state where the pre-token can end in free text, write
    # the words of a tail with FREE, and how many they are.
    cdef int describe_free(
        self, Engine engine, uint32_t state, const CanonicalState* at, uint32_t* words, uint32_t* used) noexcept nogil

    # Part of `make`: of the next bytes, keep those with which the pre-token may go on.
    cdef void keep_going_on(self, const CanonicalState* at, uint32_t* bytes) noexcept nogil
