"""Endings: bytes that bring a pre-token to its end, for tokens after which it cannot end at once."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.canonical.transitions cimport Transition

cdef enum:
    # An ending is four words. The first is a token. The next two are up to eight bytes that further tokens after it can spell; the
    # byte that comes first is in the lowest eight bits of the second word. The fourth is the outcome that these further tokens
    # lead to, by its number in the transition. If no ending was found for the token, the second word is 0.
    ENDING_WORDS = 4
    # In place of the outcome, if no ending was found: the pre-token cannot end after the token, and no token may go on with it.
    # So the token may never come.
    NEVER = 1

# Fill the endings of the transition of a hypothesis and a way. Two kinds of tokens need an ending: those that end inside a
# character, and those whose outcome is listed and has no hypothesis of CanonicalRules.free_ends. The outcome of an ending has
# a hypothesis of free_ends. Returns OK or NO_MEMORY.
cdef int find_endings(CanonicalRules rules, Transition* transition, uint32_t hypothesis, uint32_t way) noexcept nogil
