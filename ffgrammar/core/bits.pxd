"""Sets of small numbers as bits: number n is bit `n & 31` of 32-bit word `n >> 5`.

Token masks, sets of bytes and sets of lexemes are all laid out like this. Every inline function here takes a few
instructions.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

cdef extern from *:
    # The number of the lowest bit that is set in a word. The word must not be 0.
    uint32_t lowest_bit "__builtin_ctz"(uint32_t word) noexcept nogil

    # The same for a word of 64 bits.
    uint32_t lowest_bit64 "__builtin_ctzll"(uint64_t word) noexcept nogil

    # How many bits of a word are set. (Without -mpopcnt the compiler calls a library function.)
    uint32_t bit_count "__builtin_popcount"(uint32_t word) noexcept nogil


cdef inline size_t bit_words(size_t count) noexcept nogil:
    """How many words hold the numbers below `count`."""
    return (count + 31) >> 5


cdef inline bint bit_test(const uint32_t* words, uint32_t number) noexcept nogil:
    """Whether a set contains a number."""
    return (words[number >> 5] >> (number & 31)) & 1


cdef inline void bit_set(uint32_t* words, uint32_t number) noexcept nogil:
    """Add a number to a set."""
    words[number >> 5] |= <uint32_t>1 << (number & 31)


cdef inline void bit_clear(uint32_t* words, uint32_t number) noexcept nogil:
    """Take a number out of a set."""
    words[number >> 5] &= ~(<uint32_t>1 << (number & 31))
