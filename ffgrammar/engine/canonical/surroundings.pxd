"""The surroundings of a lexer state: to which states bytes lead from there, as far as tokens may go on without turning
(surveys.pyx).
"""

cimport cython
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.engine cimport Engine
from ffgrammar.tokens.canonical.rules cimport CanonicalRules

cdef enum:
    PLACE_WORDS = 6     # of a `Place`
    MAX_SHUT = 4        # states in `shut`


cdef struct Arrival:
    uint32_t state      # a lexer state that a byte leads to
    uint32_t missing    # how many bytes of the character are missing after the byte
    uint32_t character  # the byte's class if it is an ASCII character


cdef struct Place:
    uint32_t state    # a lexer state that tokens lead to: it is open, or inside a character
    uint32_t missing  # how many bytes of the character are missing there
    uint32_t depth    # how many bytes lead there at least
    uint32_t before   # the index of the place before the last of these bytes
    uint32_t byte     # one that leads there from `before`
    # Whether every byte that leads to the place counts as turning: then a byte that is not listed leads from there to a state that
    # is not open.
    uint32_t turned


cdef inline uint8_t missing_after(uint8_t missing, uint32_t byte) noexcept nogil:
    """How many bytes of a character are missing after a byte, if `missing` were missing before it."""
    if byte < 0x80:
        return 0
    if byte < 0xC0:
        return missing - (missing > 0)
    return 1 + (byte >= 0xE0) + (byte >= 0xF0)


@cython.final
cdef class Surroundings:
    cdef CanonicalRules rules
    cdef Reach reach
    cdef bint whole           # whether the survey is whole (Surveys.survey)
    cdef Vec places           # what `explore` has met (`Place`); the first one is the state itself
    cdef Vec place_of         # by lexer state: the index of its place, or ABSENT
    cdef uint32_t[8] turning  # the turning bytes that CanonicalRules.nodes_by_byte lists, as bits
    cdef uint32_t deep        # the least depth of the nodes to which turning bytes may lead that are not in `turning`, or ABSENT
    # Bytes that turn only after FAR bytes or more, as bits, and the least depth of the nodes that they may lead to, or ABSENT.
    cdef uint32_t[8] far_turning
    cdef uint32_t far
    # In a whole survey: at least the states that are not wide to which bytes lead that are not in `turning`. If `is_closed`, all of
    # these are here, and only bytes in `turning` go on from them; and `places` has all wide states.
    cdef uint32_t[MAX_SHUT] shut
    cdef uint32_t shut_count
    cdef bint is_closed
    cdef uint32_t nodes_left  # how many nodes of the trie the calls of find_example may still look at

    # All methods run with the engine's lock held.

    # Find the places around a lexer state, and the turning bytes of the tokens that begin there: fill the fields above. Returns OK
    # or a status.
    cdef int explore(self, Engine engine, uint32_t state) noexcept nogil

    # Part of `explore`: look at the states that one byte leads to from a place. `number` is its index in `places`. Returns OK or a
    # status.
    cdef int meet_next(self, Engine engine, const Place* place, uint32_t number) noexcept nogil

    # Part of meet_next: look at the state that a byte leads to. `before` is the index of the place before the byte. Adds the state
    # to `places` if it is new, tokens may go on from it, and there is room. Returns 1 if another byte that leads there need not be
    # looked at; 0; or a status.
    cdef int meet(self, Engine engine, const Arrival* now, uint32_t before, uint32_t byte) noexcept nogil

    # Part of meet: a frequent byte leads from this place to a state that is not open, as letters do inside an escape. Have every
    # byte that leads to the place count as turning. Returns True, or False if one of these bytes is not listed.
    cdef bint turn_into(self, Engine engine, uint32_t number) noexcept nogil

    # Part of meet: have another byte that leads to a place with `turned` count as turning. Returns nothing.
    cdef void turn(self, uint32_t byte, uint32_t depth) noexcept nogil

    # Part of meet: add to `shut`, or give up `is_closed`.
    cdef void note_shut(self, uint32_t state) noexcept nogil

    # Part of `explore`, at its end: whether only bytes in `turning` go on from the states in `shut`. Returns True or False.
    cdef bint is_shut(self, Engine engine) noexcept nogil

    # Part of `explore`, at its end: add the bytes in `far_turning` to `turning`, or let `deep` cover them.
    cdef void settle_far(self) noexcept nogil

    # Whether the nodes of the trie that are listed for some bytes, given as bits, are so many that a walk over the whole trie takes
    # less time. Returns True or False.
    cdef bint lists_many(self, const uint32_t* bytes) noexcept nogil

    # Write a token that leads to a place on the way on which `explore` has found it. `number` is the index of the place. Returns 1;
    # 0 if no such token is found; or a status.
    cdef int find_example(self, Engine engine, uint32_t number, uint32_t* token) noexcept nogil

    # Write the bytes of this way to `bytes`, which has room for MAX_TOKEN_BYTES. Returns how many they are.
    cdef uint32_t write_way(self, uint32_t number, uint8_t* bytes) noexcept nogil

    # Whether a lexer state is open after a byte (Reach.ends_freely). In a whole survey, the wide states are open. Returns 1, 0 or
    # a status.
    cdef int is_open(self, Engine engine, uint32_t state, uint32_t byte) noexcept nogil

    # Whether a lexer state is wide: many printable ASCII characters may come. Returns 1, 0 or a status.
    cdef int is_wide(self, Engine engine, uint32_t state) noexcept nogil
