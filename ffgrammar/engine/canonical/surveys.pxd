"""Surveys: to which lexer states the tokens of a vocabulary lead from a lexer state. States in which the pre-token can certainly
end (*open* states, see surveys.pyx) are left out.
"""

cimport cython
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.engine cimport Engine
from ffgrammar.tokens.canonical.rules cimport CanonicalRules

cdef enum:
    # The most lexer states in a survey. (With 64, canonical masks in strings whose words are counted took 1.5 times the
    # instructions.)
    MAX_SURVEYED = 256
    MAX_LISTED = 1024   # the most tokens that are listed for one lexer state of a survey
    # instead of the number of states in a survey: tokens lead to more than MAX_SURVEYED
    TOO_MANY = 0xFFFFFFFF
    # instead of the number of tokens that lead to a state: there are more than MAX_LISTED
    MANY = 0xFFFFFFFF
    ANY_BYTE = 0x80     # instead of a byte: what holds after a byte beyond ASCII holds after every byte


cdef struct Arrival:
    uint32_t state      # a lexer state that a byte leads to
    uint32_t missing    # how many bytes of the character are missing after the byte
    uint32_t character  # the byte's class if it is an ASCII character


cdef struct Place:
    uint32_t state    # a lexer state that tokens lead to: it is open, or inside a character
    uint32_t missing  # how many bytes of the character are missing there
    uint32_t depth    # how many bytes lead there at least
    uint32_t before   # the index of the place before the last of these bytes
    uint32_t joined   # whether another place than `before` was found that leads there, too


@cython.final
cdef class Surveys:
    cdef CanonicalRules rules
    cdef Reach reach
    cdef Notes notes
    # Scratch, while a survey is made.
    # By lexer state: its number in the survey, or PASSED. In `explore`: the index of its place.
    cdef Vec numbers
    cdef Vec examples         # by number: a token that leads there
    cdef Vec counts           # by number: how many tokens lead there
    cdef Vec pairs            # (number, token)
    cdef Vec around           # what `explore` has met: places (`Place`)
    cdef uint32_t[8] turning  # the turning bytes that CanonicalRules.nodes_by_byte lists, as bits
    # Bytes that turn only after FAR bytes or more, as bits, and the least depth of the nodes that they may lead to, or ABSENT.
    cdef uint32_t[8] far_turning
    cdef uint32_t far
    cdef bint whole           # see `survey`
    cdef uint32_t deep        # the least depth of the nodes to which turning bytes may lead that are not in `turning`, or ABSENT

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Write where in the notes the survey of a lexer state begins. A survey begins with the number of its states, or with TOO_MANY.
    # Its states are those that tokens lead to inside the lexeme and that are not open. For each state it has an example of a
    # token that leads there, how many tokens lead there, and a list of these tokens. If more than MAX_LISTED tokens lead there,
    # MANY stands in place of their number, and there is no list. A token that ends inside a character does not count. With
    # `whole`, the states that are open are in the survey, too, and have MANY: this is for sieves with a transition that lacks
    # endings.
    cdef int survey(self, Engine engine, uint32_t state, bint whole, uint32_t* offset) noexcept nogil

    # The steps of `survey` follow. Append the survey of a state.
    cdef int make_survey(self, Engine engine, uint32_t state) noexcept nogil

    # Part of make_survey, after `explore`: add the bytes in `far_turning` to `turning`, or let `deep` cover them.
    cdef void settle_far(self) noexcept nogil

    # Part of make_survey: whether so many nodes of the trie are listed for some bytes, given as bits, that walk_all takes less time.
    # Returns True or False.
    cdef bint lists_many(self, const uint32_t* bytes) noexcept nogil

    # Part of make_survey, where few bytes may come, or where much is listed for turning bytes: walk the whole trie. Fills `examples`, `counts` and
    # `pairs`. Returns as walk_turning.
    cdef int walk_all(self, Engine engine, uint32_t state) noexcept nogil

    # Part of make_survey: do what walk_all does, and walk only the parts of the trie that `explore` has found.
    cdef int walk_some(self, Engine engine, uint32_t state) noexcept nogil

    # Part of make_survey: append the survey that `examples`, `counts` and `pairs` make. Changes `counts`.
    cdef int write_survey(self) noexcept nogil

    # Whether a lexer state is open after a byte (`ends_freely`). In a whole survey, the wide states are open. Returns 1, 0 or a
    # status.
    cdef int is_open(self, Engine engine, uint32_t state, uint32_t byte) noexcept nogil

    # Whether the pre-token can end in a lexer state with each hypothesis of CanonicalRules.free_ends that a byte can lead to.
    # Returns 1, 0 or a status.
    cdef int ends_freely(self, Engine engine, uint32_t state, uint32_t byte) noexcept nogil

    # Whether a lexer state is wide: many printable ASCII characters may come. Returns 1, 0 or a status.
    cdef int is_wide(self, Engine engine, uint32_t state) noexcept nogil

    # Add the states that `explore` has met to a whole survey.
    cdef int add_places(self, Engine engine) noexcept nogil

    # Part of add_places: whether all ways to a place of `around` that `explore` has found lead through the same places. Returns True or
    # False.
    cdef bint has_one_way(self, uint32_t number) noexcept nogil

    # Part of add_places: write a token that leads to a place of `around`, on the way on which `explore` has found it. `number` is
    # the index of the place, and `nodes_left` is how many nodes of the trie may still be looked at. Returns 1; 0 if no such token
    # is found; or a status.
    cdef int find_example(self, Engine engine, uint32_t number, uint32_t* nodes_left, uint32_t* token) noexcept nogil

    # Add a state, with a token that leads there, to a whole survey. The state has MANY.
    cdef int add_passed(self, uint32_t state, uint32_t token) noexcept nogil

    # Find the turning bytes of the tokens that begin in a lexer state: fill `turning` and `deep`.
    cdef int explore(self, Engine engine, uint32_t state) noexcept nogil

    # Part of `explore`: look at the states that one byte leads to from a place. `number` is its index in `around`.
    cdef int meet_next(self, Engine engine, const Place* place, uint32_t number) noexcept nogil

    # Part of meet_next: look at the state that a byte leads to. `before` is the index of the place before the byte. Adds the state
    # to `around` if it is new, tokens may go on from it, and there is room. Returns 1 if another byte that leads there need not be
    # looked at; 0; or a status.
    cdef int meet(self, Engine engine, const Arrival* now, uint32_t before, uint32_t byte) noexcept nogil

    # Walk below the nodes of the trie that bytes in `turning` lead to. Returns OK; 1 if there are TOO_MANY states; or a status.
    cdef int walk_turning(self, Engine engine, uint32_t state) noexcept nogil

    # Walk at and below one such node. Returns as walk_turning.
    cdef int walk_node(self, Engine engine, uint32_t state, uint32_t node) noexcept nogil

    # Walk the nodes from `at` to `stop`. `state` is that before the byte of the first node, and `missing` is how many bytes of a
    # character are missing there. With `rest`, the walk visits only what walk_turning leaves and what is at least `deep`. Fills
    # `examples`, `counts` and `pairs`. Returns as walk_turning.
    cdef int walk(
        self, Engine engine, uint32_t state, uint8_t missing, uint32_t at, uint32_t stop, bint rest) noexcept nogil

    # Record that a token, whose last byte is `byte`, leads to a state that is not PASSED in `numbers`. Returns as walk_turning.
    cdef int record(self, Engine engine, uint32_t state, uint32_t token, uint32_t byte) noexcept nogil
