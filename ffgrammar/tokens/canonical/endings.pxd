"""How tokens may go on after which the pre-token cannot end."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.canonical.transitions cimport Transition

cdef enum:
    # An ending is three words: a token, some bytes, and their effect. The bytes are up to four: the next one is in the lowest
    # eight bits, and the word is 0 if there is no ending. Tokens of these bytes may follow, and the effect is the number
    # of an outcome of the transition, which they lead to.
    ENDING_WORDS = 3

# Fill the endings of a transition, which is that of a hypothesis and a way. They are for the tokens that end inside a character,
# and for those whose outcome is listed and has no hypothesis in common with CanonicalRules.free_ends. The effect of an ending
# has one. Returns OK or NO_MEMORY.
cdef int find_endings(CanonicalRules rules, Transition* transition, uint32_t hypothesis, uint32_t way) noexcept nogil
