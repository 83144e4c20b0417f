"""Derivatives, and the byte classes that they define.

The derivative of an expression by a byte is the expression of what may follow that byte: `ab|ac` by `a` is `b|c`. To match
a text, one takes derivatives byte by byte and asks whether the last one is nullable. Derivatives are memoized in the store.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# What may follow `byte` in a text of `e`, written to `out`; NOTHING if no text of `e` begins with it. Returns OK or the
# negative status of a constructor (nodes.pxd).
cdef int derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil

# `bits`, 8 words, is a set of bytes. Remove every byte by which `e` has another derivative than by `byte`. Bytes by which the
# derivative is the same may be removed, too, but `byte` itself stays.
cdef void same_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil

# Walk over the byte classes of `e`. `covered`, 8 words, begins as zeros and `byte` as 0. Each call moves `byte` to the first
# byte that is not covered yet, adds its class to `covered` and returns True. When all bytes are covered, it returns False.
cdef bint next_class(Nodes* n, uint32_t e, uint32_t* covered, uint32_t* byte) noexcept nogil
