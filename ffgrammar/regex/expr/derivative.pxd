"""Derivatives, and the byte classes that they define.

The derivative of an expression by a byte is the expression of what may follow that byte: `ab|ac` by `a` is `b|c`. Matching
a text is taking derivatives byte by byte and asking whether the last one is nullable. Derivatives are memoized in the
store, so an automaton is a table of ids.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# What may follow `byte` in a text of `e`, written to `out`; NOTHING when no text goes on so. Returns OK or the negative
# status of a constructor (nodes.pxd).
cdef int derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil

# Remove from `bits`, 8 words, bytes whose derivative of `e` may differ from that of `byte`. All that are left have the same
# derivative; some that would have it, too, may be removed. `byte` stays.
cdef void same_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil

# Walk over the byte classes of `e`. `covered`, 8 words, begins as zeros and `byte` as 0. Each call moves `byte` to the first
# byte of a class that was not met yet and covers that class; it returns False when there is none.
cdef bint next_class(Nodes* n, uint32_t e, uint32_t* covered, uint32_t* byte) noexcept nogil
