"""Sieves: the tokens that the rules let follow a state."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.transitions cimport Transition
from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES


cdef struct SievePart:
    # The tokens that come in one way after one hypothesis.
    const Transition* transition
    uint32_t hypothesis
    uint32_t way
    uint32_t index  # the index of the hypothesis in the state
    bint whole      # whether some transition of the sieve lacks endings (Transition.lacks_endings)


cdef class Sieve:
    cdef uint32_t number                         # no other sieve of the tokenizer ever has the same number
    # The sieve that has the same dead ends among its tokens, in whatever grammar; or None, if it is this one itself.
    cdef Sieve judged_as
    cdef list kept                               # the transitions of the parts, which must live as long as the sieve
    cdef uint32_t count                          # how many parts there are
    cdef SievePart[2 * MAX_HYPOTHESES] parts
    cdef uint32_t* alone                         # the union of the parts that end the pre-token or begin the text; or NULL
    cdef uint32_t* beside                        # the union of the parts that go on with the pre-token; or NULL
    # The words of these two masks in which some token may stand alone, or some token may not go on with the pre-token. NULL if they
    # are not few: then it takes less time to look at all words.
    cdef uint32_t* mixed
    cdef uint32_t mixed_count


# The sieve after a state, which must not be inside a character. Raises MemoryError.
cdef Sieve sieve_after(CanonicalRules rules, const CanonicalState* at)
