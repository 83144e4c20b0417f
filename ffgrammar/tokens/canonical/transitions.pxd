"""What each token does to a hypothesis about pre-token boundaries."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.pretokenize.table cimport PretokenTable
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    MAX_STATES = 256  # an automaton with more states has no transitions, because `after` holds a state in a byte


cdef class BoundaryTransition:
    cdef uint32_t* mask   # the tokens whose characters may come; n_words words, and one more for nodes without a token
    cdef uint32_t* cut    # those of these tokens that end inside a character; as many words
    cdef uint8_t* after   # by token: the state of the automaton after it, if it does not end inside a character


cdef class BoundaryTransitions:
    cdef TokenTrie trie
    cdef PretokenTable pretokens
    cdef dict kept        # (state of the automaton, whether the pre-token ends there) -> BoundaryTransition
    cdef size_t max_count  # how many transitions are kept

    # The transition from a state of the automaton. `ends` says whether the pre-token ends before the token. Raises MemoryError.
    cdef BoundaryTransition find(self, uint32_t hypothesis, bint ends)

    # Fill an empty transition.
    cdef void fill(self, BoundaryTransition transition, uint32_t hypothesis, bint ends) noexcept nogil


# Whether a pre-tokenizer has transitions. It has them if its automaton is small and has no atoms, and if no hypothesis becomes
# several on the way through a token.
cdef bint has_transitions(PretokenTable pretokens) noexcept nogil
