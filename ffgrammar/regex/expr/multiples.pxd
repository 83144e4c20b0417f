"""Digit strings by the remainder of their value: what `multipleOf` asks for.

Two kinds of node, where t is what is still to come, read as a number in units of 10 ** -places:

    MULT lo span places divisor carry
        lo to lo + span digits (NO_BOUND: no upper bound), and a point with more digits if it wants, unless places is
        NO_POINT. With n digits before the point, carry * 10 ** (n - lo) + t is a multiple of the divisor.
    PART places divisor carry
        digits after the point, of which only zeros lie beyond `places`: carry + t is a multiple of the divisor.

The carry is what the digits already read come to, moved to the place of the shortest rest that makes a multiple. So
there are as few states before the point as can be: 10 for the multiples of 10 ** 9. A node always matches something.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    # MULT without a point
    NO_POINT = 0xFFFFFFFF
    # of words of a node
    MULT_LEN = 8
    PART_LEN = 6


cdef inline uint64_t two_words(const uint32_t* words) noexcept nogil:
    return words[0] | <uint64_t>words[1] << 32


cdef int make_multiples(
    Nodes* n, uint64_t divisor, uint64_t carry, uint32_t lo, uint32_t span, uint32_t places, uint32_t* out,
) noexcept nogil
cdef int make_part(Nodes* n, uint64_t divisor, uint64_t carry, uint32_t places, uint32_t* out) noexcept nogil
cdef int multiples_derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil
cdef void multiples_class(const Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil
