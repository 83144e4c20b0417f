"""What may come after a place in a pre-token, as far as pre-tokens decide."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules

cdef enum:
    MAX_STATES = 256  # of an automaton for which there are ways


cdef class BoundaryTransition:
    cdef uint32_t* mask   # the tokens whose characters may come; n_words, and one more for nodes without a token
    cdef uint32_t* cut    # those of them that end inside a character
    cdef uint8_t* after   # by token: the state of the automaton after it, if it does not


cdef class BoundaryTransitions:
    cdef readonly CanonicalRules rules
    cdef dict kept        # (state of the automaton, whether the pre-token ends there) -> BoundaryTransition
    cdef size_t max_count

    cdef BoundaryTransition find(self, uint32_t hypothesis, bint ends)
    cdef int fill(self, BoundaryTransition transition, uint32_t hypothesis, bint ends) noexcept nogil


# The ways of the hypotheses of a place, two each: where the pre-token ends, and where it goes on. None where they do not tell
# enough.
cdef list transitions_from(CanonicalRules rules, const CanonicalState* at)
