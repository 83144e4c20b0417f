"""Lists of routes: which tokens may come at a place, whatever token stands before them."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.boundaries cimport Boundaries
from ffgrammar.engine.canonical.steps cimport SearchSteps
from ffgrammar.engine.canonical.token_walk cimport TokenWalk
from ffgrammar.engine.canonical.witnesses cimport Witnesses
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    ROUTE_WORDS = 3  # of a Route

    # in `verdict` of a route
    UNKNOWN = 0
    YES = 1
    NO = 2
    PERHAPS = 3  # it was not found, or it is being looked for

    NO_PLACE = 0xFFFFFFFF  # in `place` of a route: not found yet

    # in `listed` of a list: which routes it has
    NOTHING = 0
    HINT = 1  # a hint; if it does not help, more are listed
    FEW = 2   # those of some characters; if they do not help, all are listed
    SOME = 3  # those of some characters, or none; all of them are too many
    ALL = 4


cdef struct Route:
    # A token that may come at a place, whatever token stands before it.
    uint32_t token
    uint32_t place    # the number of the place after it, or NO_PLACE
    uint32_t verdict  # whether a sentence goes on after it


cdef struct RouteList:
    uint32_t first   # where the first route is in `routes`
    uint32_t count
    uint32_t listed


@cython.final
cdef class RouteLists:
    cdef CanonicalRules rules
    cdef SearchSteps steps
    cdef Witnesses witnesses
    cdef Vec routes        # lists of Route
    # The arrays of a walk (TokenWalk). The first entries are the place whose routes are listed: its configuration, and the rules'
    # state with the last token UNCONSTRAINED. The caller fills them in.
    cdef CanonicalState* states
    cdef Config* configs

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything. Returns nothing.
    cdef void clear(self) noexcept nogil

    # List some routes, which is fast.
    cdef int list_some(self, Engine engine, RouteList* found) noexcept nogil

    # List all routes, or some if they are too many. `found` is the list that the place has.
    cdef int list_all(self, Engine engine, RouteList* found) noexcept nogil

    # Write the bytes that may come, as bits. Returns how many they are, or a status.
    cdef int find_bytes(self, Engine engine, uint32_t* bytes) noexcept nogil

    # List the routes for some tokens that are one ASCII character. `bytes` is what find_bytes has written.
    cdef int list_characters(
        self, Engine engine, const uint32_t* bytes, uint32_t listed, RouteList* found) noexcept nogil

    # List routes whose tokens begin witnesses. `bytes` is what find_bytes has written.
    cdef int list_witnesses(self, Engine engine, const uint32_t* bytes, RouteList* found) noexcept nogil

    # Write the list of the routes from `base` on. Returns nothing.
    cdef void take_from(self, size_t base, uint32_t listed, RouteList* found) noexcept nogil

    # Begin a walk. Returns nothing.
    cdef void begin_walk(self, Engine engine, TokenWalk* walk, uint32_t* nodes_left) noexcept nogil

    # Part of list_all: append the routes. `bytes` is what find_bytes has written. Returns OK; OUT_OF_NODES; or a status.
    cdef int walk(self, Engine engine, uint32_t* nodes_left, const uint32_t* bytes) noexcept nogil

    # Append the route of the token that a walk is at.
    cdef int add_route(self, const TokenWalk* walk) noexcept nogil
