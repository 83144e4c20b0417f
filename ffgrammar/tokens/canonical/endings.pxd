"""What may follow those tokens after which the pre-token cannot end."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.canonical.transitions cimport Transition

cdef enum:
    # An ending is three words: a token, up to four bytes, and their effect. Further tokens, made of these bytes, may follow the
    # token. The effect is the outcome that they lead to, by its number in the transition. The byte that comes first is in the
    # lowest eight bits. If the token has no ending, the second word is 0.
    ENDING_WORDS = 3

# Fill the endings of a transition, which is that of a hypothesis and a way. Two kinds of tokens need an ending: those that end
# inside a character, and those whose outcome is listed and has no hypothesis in common with CanonicalRules.free_ends. The effect
# of an ending does have one in common. Returns OK or NO_MEMORY.
cdef int find_endings(CanonicalRules rules, Transition* transition, uint32_t hypothesis, uint32_t way) noexcept nogil
