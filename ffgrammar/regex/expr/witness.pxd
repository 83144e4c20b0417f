"""Whether an intersection matches something, as far as its structure shows. No derivative is taken.

An intersection of searches `.*a.*`, `.*b.*`, ... and of lengths `.{8,64}` matches the text that has what each search asks for, one
after the other, and then as many characters as the lengths ask for. If that is too long, it may still be seen that no shorter
text serves (crowding.pyx).
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# What is seen of an intersection: ALIVE, DEAD_END, or 0 if it is neither.
cdef uint32_t judge(Nodes* n, uint32_t e) noexcept nogil
