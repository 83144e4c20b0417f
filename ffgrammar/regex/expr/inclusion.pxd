"""Whether an expression lies in a loop, as far as its structure shows. No derivative is taken.

A pattern that is searched for, as in `.*ab.*`, becomes `.*` once it is found, beside what is left of further finds. These lie in
`.*`, and unions and intersections that know this stay small: a text in which many patterns are found has few states.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Whether all texts of `e` are known to be texts of `star`, which is a loop x*. False also if that is hard to see.
cdef bint within_star(Nodes* n, uint32_t e, uint32_t star) noexcept nogil
