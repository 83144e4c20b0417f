"""Endings: bytes that bring a pre-token to its end, for tokens after which it cannot end at once."""

from libc.stdint cimport uint32_t, uint64_t

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
    # Flag of the outcome: the bytes are no ending but a way on. The last of them is an ASCII character with a token of its own,
    # which the further tokens end with. The pre-token need not be able to end after it.
    WAY_ON = 0x80000000


cdef inline uint32_t last_byte(const uint32_t* ending) noexcept nogil:
    """The last byte of an ending."""
    cdef uint64_t bytes = ending[1] | <uint64_t>ending[2] << 32
    while bytes >> 8:
        bytes >>= 8
    return <uint32_t>bytes


# Fill the endings of the transition of a hypothesis and a way. Two kinds of tokens need an ending: those that end inside a
# character, and those whose outcome is listed and has no hypothesis of CanonicalRules.free_ends. The outcome of an ending has
# a hypothesis of free_ends. Where no ending is found, a way on is looked for, if there are no unmergeable tokens. Returns OK or
# NO_MEMORY.
cdef int find_endings(CanonicalRules rules, Transition* transition, uint32_t hypothesis, uint32_t way) noexcept nogil
