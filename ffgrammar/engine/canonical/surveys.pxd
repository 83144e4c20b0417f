"""Surveys: to which lexer states the tokens of a vocabulary lead from a lexer state. States in which the pre-token can certainly
end (*open* states, see surveys.pyx) are left out.
"""

cimport cython
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.surroundings cimport Surroundings
from ffgrammar.engine.engine cimport Engine
from ffgrammar.tokens.canonical.rules cimport CanonicalRules

cdef enum:
    # The most lexer states in a survey, apart from those of the surroundings in a whole survey. (With 64, canonical masks in
    # strings whose words are counted took 1.5 times the instructions.)
    MAX_SURVEYED = 256
    MAX_LISTED = 1024   # the most tokens that are listed for one lexer state of a survey
    # instead of the number of states in a survey: tokens lead to more than MAX_SURVEYED
    TOO_MANY = 0xFFFFFFFF
    # instead of the number of tokens that lead to a state: there are more than MAX_LISTED
    MANY = 0xFFFFFFFF
    IS_WAY = 0x80000000  # flag of an example: it is no token


cdef inline uint32_t way_words(uint32_t size) noexcept nogil:
    """How many words of a survey a way of `size` bytes takes."""
    return (size + 3) >> 2


@cython.final
cdef class Surveys:
    cdef CanonicalRules rules
    cdef Notes notes
    cdef Surroundings near
    # Scratch, while a survey is made.
    cdef Vec numbers          # by lexer state: its number in the survey, or PASSED
    cdef Vec examples         # by number: a token that leads there
    cdef Vec counts           # by number: how many tokens lead there
    cdef Vec pairs            # (number, token)
    cdef bint is_done         # whether the walk over the rest of the trie would find nothing more

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Write where in the notes the survey of a lexer state begins. A survey begins with the number of its states, or with TOO_MANY.
    # Its states are those that tokens lead to inside the lexeme and that are not open. For each state it has an example of a
    # token that leads there, how many tokens lead there, and a list of these tokens. If more than MAX_LISTED tokens lead there,
    # MANY stands in place of their number, and there is no list. A token that ends inside a character does not count. With
    # `whole`, the states that are open are in the survey, too, and have MANY: this is for sieves with a transition that lacks
    # endings. Of such a state it may not be known whether a token leads there. Then the example is a number of bytes with the flag
    # IS_WAY, and the bytes take the place of the list (way_words).
    cdef int survey(self, Engine engine, uint32_t state, bint whole, uint32_t* offset) noexcept nogil

    # The steps of `survey` follow. Append the survey of a state.
    cdef int make_survey(self, Engine engine, uint32_t state) noexcept nogil

    # Part of make_survey, where few bytes may come, or where much is listed for the turning bytes: walk the whole trie. Fills
    # `examples`, `counts` and `pairs`. Returns as walk_turning.
    cdef int walk_all(self, Engine engine, uint32_t state) noexcept nogil

    # Part of make_survey: do what walk_all does, and walk only the parts of the trie that the surroundings show.
    cdef int walk_some(self, Engine engine, uint32_t state) noexcept nogil

    # Part of make_survey: append the survey that `examples`, `counts` and `pairs` make. Changes `counts`.
    cdef int write_survey(self) noexcept nogil

    # Part of write_survey: append an example and the number of tokens. With IS_WAY, the example is the index of a place.
    cdef int write_example(self, uint32_t example, uint32_t count) noexcept nogil

    # Add the places of the surroundings to a whole survey.
    cdef int add_places(self, Engine engine) noexcept nogil

    # Add a state, with an example, to a whole survey. The state has MANY.
    cdef int add_passed(self, uint32_t state, uint32_t example) noexcept nogil

    # Walk below the nodes of the trie that turning bytes lead to. Returns OK; 1 if there are TOO_MANY states; or a status.
    cdef int walk_turning(self, Engine engine, uint32_t state) noexcept nogil

    # Walk at and below one such node. Returns as walk_turning.
    cdef int walk_node(self, Engine engine, uint32_t state, uint32_t node) noexcept nogil

    # Walk the nodes from `at` to `stop`. `state` is that before the byte of the first node, and `missing` is how many bytes of a
    # character are missing there. With `rest`, the walk visits only what walk_turning leaves and what is at least
    # Surroundings.deep. Fills `examples`, `counts` and `pairs`. Returns as walk_turning.
    cdef int walk(
        self, Engine engine, uint32_t state, uint8_t missing, uint32_t at, uint32_t stop, bint rest) noexcept nogil

    # Record that a token, whose last byte is `byte`, leads to a state that is not PASSED in `numbers`. Returns as walk_turning.
    cdef int record(self, Engine engine, uint32_t state, uint32_t token, uint32_t byte) noexcept nogil

    # Part of record: whether all states in Surroundings.shut are PASSED. Returns True or False.
    cdef bint has_passed_all(self) noexcept nogil
