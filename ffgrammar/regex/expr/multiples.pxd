"""Digit strings whose value is a multiple: what `multipleOf` asks for.

A finished automaton for the multiples of 999,999 would have that many states, one for each remainder. Here a state is
arithmetic: a node holds the divisor and the remainder so far, and its derivative computes the next remainder.

There are two kinds of node. A node matches the rest of a digit string. Let t be this rest, read as a number in units of
10 ** -places (in units of 1 with NO_POINT):

    MULT lo span places divisor carry
        lo to lo + span digits (span = NO_BOUND: no upper bound), then optionally a point and more digits, unless places is
        NO_POINT. With n digits before the point, carry * 10 ** (n - lo) + t is a multiple of the divisor.
    PART places divisor carry
        Digits after the point; behind the first `places` of them there are only zeros. carry + t is a multiple of the divisor.

The carry of a MULT is the value of the digits already read, followed by `lo` zeros. It is in units of 10 ** -places, as t is,
and modulo the divisor. Where no text with `lo` digits before the point makes a multiple, `lo` is raised. That keeps the states
before the point as few as possible: 10 for the multiples of 10 ** 9.

A node always matches something. Divisors are below 2 ** 63, so that sums of two remainders fit in 64 bits.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    # The value of `places` in a MULT without a point
    NO_POINT = 0xFFFFFFFF
    # How many words a node has
    MULT_LEN = 8
    PART_LEN = 6


# The number that lies in two words, the low one first.
cdef inline uint64_t two_words(const uint32_t* words) noexcept nogil:
    return words[0] | <uint64_t>words[1] << 32


# Write the id of a MULT to `out`, or NOTHING if it would match nothing. Returns OK or the negative status of a constructor
# (nodes.pxd). 0 < divisor < 2 ** 63, carry < divisor.
cdef int make_multiples(
    Nodes* n, uint64_t divisor, uint64_t carry, uint32_t lo, uint32_t span, uint32_t places, uint32_t* out,
) noexcept nogil

# Write the id of a PART to `out`, or that of a simpler node that matches the same, or NOTHING. Conditions and statuses are
# those of `make_multiples`.
cdef int make_part(Nodes* n, uint64_t divisor, uint64_t carry, uint32_t places, uint32_t* out) noexcept nogil

# What may follow `byte` in a text of a MULT or PART, written to `out`. Returns OK or the negative status of a constructor.
cdef int multiples_derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil

# Narrow `bits`, 8 words, to bytes by which a MULT or PART has the same derivative as by `byte`.
cdef void multiples_class(const Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil

# Whether an intersection surely matches something, because its members are multiples and complements of such, without an upper
# bound of digits, which do not rule each other out. False says nothing.
cdef bint multiples_meet(Nodes* n, uint32_t e) noexcept nogil
