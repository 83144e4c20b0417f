"""Doubtful tokens: those that need an ending, where no ending shows that the pre-token can end."""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.canonical.notes cimport Notes
from ffgrammar.engine.canonical.reach cimport Reach
from ffgrammar.engine.engine cimport Engine
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.canonical.transitions cimport Transition

cdef enum:
    DEAD_END = 0x80000000  # flag of a doubtful token: it is a dead end, whatever the grammar is


@cython.final
cdef class Doubts:
    cdef CanonicalRules rules
    cdef Reach reach
    cdef Notes notes
    cdef Vec ways_on      # scratch: for each token with a way on, three words (`WayOn` in doubts.pyx)

    # All methods run with the engine's lock held. Unless its comment says otherwise, a method returns OK or a status.

    # Write where in the notes the doubtful tokens of a transition are: how many there are, and these tokens. The transition is that
    # of a hypothesis and a way. A token is doubtful if it stays inside the lexeme and needs an ending
    # (tokens/canonical/endings.pxd), but no ending was found, or the ending does not show that the pre-token can end. A token
    # that may never come has the flag DEAD_END. Then come groups of other tokens. The ways on of the tokens of a group lead to one
    # place. There is the number of groups, and for each the number of its tokens, and the indices of their endings in the
    # transition.
    cdef int find(
        self, Engine engine, uint32_t state, const Transition* transition, uint32_t hypothesis, uint32_t way, uint32_t* offset
    ) noexcept nogil

    # The work of `find`: append the tokens and the groups.
    cdef int list_doubtful(self, Engine engine, uint32_t state, const Transition* transition) noexcept nogil

    # Part of list_doubtful: append the groups, which `ways_on` lists.
    cdef int write_groups(self) noexcept nogil

    # Write the state that a token and its ending lead to. Returns 1; 2 if the token leaves the lexeme; 0 if the token stays and the
    # ending does not; or a status.
    cdef int follow(self, Engine engine, const uint32_t* ending, uint32_t* state) noexcept nogil

    # Whether the ending of a token leads to a state where it shows that the pre-token can end. Returns 1, 0 or a status.
    cdef int can_end_in(self, Engine engine, uint32_t state, const Transition* transition, const uint32_t* ending) noexcept nogil
