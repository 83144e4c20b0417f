"""What may come after a place in a piece, as far as pieces decide."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.canon cimport Canon, CanonRules

cdef enum:
    MOST_STATES = 256  # of an automaton for which there are ways


cdef class Way:
    cdef uint32_t* mask   # the tokens whose characters may come; n_words, and one more for nodes without a token
    cdef uint32_t* cut    # those of them that end inside a character
    cdef uint8_t* after   # by token: the state of the automaton after it, if it does not


cdef class Ways:
    cdef readonly CanonRules rules
    cdef dict kept        # (state of the automaton, whether the piece ends there) -> Way
    cdef size_t max_count

    cdef Way find(self, uint32_t guess, bint ends)
    cdef int fill(self, Way way, uint32_t guess, bint ends) noexcept nogil


# The ways of the guesses of a place, two each: where the piece ends, and where it goes on. None where they do not tell enough.
cdef list ways_from(CanonRules rules, const Canon* at)
