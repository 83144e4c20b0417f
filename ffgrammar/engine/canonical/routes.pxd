"""Routes: which tokens can come after a token inside a pre-token, and whether a sentence goes on with them."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.boundaries cimport Boundaries
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.canonical.route_lists cimport RouteLists
from ffgrammar.engine.canonical.steps cimport SearchSteps
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.bpe.known_predecessors cimport ROWS, KnownPredecessors
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    PLACE_WORDS = 6   # of a Place
    NOTES_BEFORE = 8  # how many tokens must be found to go on at a place before it gets a row


cdef struct Place:
    uint32_t ends     # whether the pre-token can end here, or NOT_ASKED
    # The list of its routes, as RouteList has it. It is empty if the pre-token can end.
    uint32_t routes
    uint32_t count
    uint32_t listed
    uint32_t noted    # how many tokens were found to go on here, up to NOTES_BEFORE
    # the row of a token that may come here, and after which a sentence goes on; ROWS if there is none
    # (tokens/bpe/known_predecessors.pyx)
    uint32_t row


@cython.final
cdef class Routes:
    cdef CanonicalRules rules
    cdef SearchSteps steps
    cdef Boundaries boundaries
    cdef Reach reach
    cdef RouteLists lists
    cdef KnownPredecessors known
    cdef Intern names      # by place: (row, lexer state, hypotheses)
    cdef Vec places        # by place, a Place
    # Scratch.
    cdef uint32_t room     # how many more places the current question may open
    cdef uint32_t guesses  # how many more hints the current question may try
    cdef Vec ends          # what Reach.ends_after says of a place

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything.
    cdef int clear(self) noexcept nogil

    # Call this before a question: before one call of `judge`, or all calls of one search.
    cdef void begin(self) noexcept nogil

    # Whether a sentence goes on after a token that leads to `config`. `at` is the rules' state after it, apart from the token
    # itself. Merges make the token. Returns 1; 0; NOT_KNOWN; or a status.
    cdef int judge(self, Engine engine, const Config* config, const CanonicalState* at, uint32_t token) noexcept nogil

    # Whether questions about a configuration are answered. Otherwise `judge` returns NOT_KNOWN. Returns True or False.
    cdef bint serves(self, Engine engine, const Config* config) noexcept nogil

    # Whether the pre-token can end at a place. Returns 1, 0 or a status.
    cdef int can_end_at(self, Engine engine, uint32_t number) noexcept nogil

    # Write the number of a place.
    cdef int find_place(self, const Config* config, const CanonicalState* at, uint32_t* number) noexcept nogil

    # Write the configuration and the rules' state of a place. The last token is UNCONSTRAINED.
    cdef void read_place(self, uint32_t number, Config* config, CanonicalState* at) noexcept nogil

    # `judge` for a token that leads to a place.
    cdef int goes_on(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil

    # Part of goes_on: ask whether the pre-token can end, and then each route.
    cdef int ask_routes(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil

    # Part of goes_on: whether a sentence goes on with the hint of a token. Returns 1; NOT_KNOWN; or a status.
    cdef int try_hint(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil

    # Note that `route` may come after `token` at a place, and a sentence goes on: as a hint for any grammar, and in the place's
    # row. Returns nothing.
    cdef void note(self, uint32_t number, uint32_t token, uint32_t route) noexcept nogil

    # Whether goes_on is known to return 1 for a token at a place. If not, it may still return 1. Returns True or False.
    cdef inline bint is_known(self, uint32_t number, uint32_t token) noexcept nogil:
        cdef uint32_t row = (<const Place*>self.places.data)[number].row
        return row < <uint32_t>ROWS and self.known.has(row, token)

    # Part of goes_on: whether a sentence goes on after a token with one of the routes that are listed. Returns as `judge`.
    cdef int try_listed(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil

    # Part of try_listed: the same for the routes without a verdict.
    cdef int try_unknown(self, Engine engine, uint32_t number, uint32_t token) noexcept nogil

    # Write the number of the place that a token leads to from a place. Returns 1; 0 if the token may not come there, or leads to a
    # virtual row; or a status.
    cdef int find_next_place(self, Engine engine, uint32_t number, uint32_t token, uint32_t* next) noexcept nogil

    # Part of goes_on: list some routes of a place or, with `more`, all of them if they are not too many.
    cdef int list_routes(self, Engine engine, uint32_t number, bint more) noexcept nogil

    # Part of can_end_at: find the answer.
    cdef int can_end(self, Engine engine, const Config* config, const CanonicalState* at) noexcept nogil
