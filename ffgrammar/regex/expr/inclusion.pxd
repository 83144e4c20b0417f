"""Whether an expression lies in a loop, as far as its structure shows. No derivative is taken.

A pattern that is searched for, as in `.*ab.*`, becomes `.*` once it is found, beside what is left of further finds. These lie in
`.*`, and unions and intersections that know this stay small: a text in which many patterns are found has few states.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Whether all texts of `e` are known to be texts of `star`, which is a loop x*. False also if that is hard to see.
cdef bint within_star(Nodes* n, uint32_t e, uint32_t star) noexcept nogil

# Whether all texts of `e` are texts of `whole`. Usually both are characters: sets, literals, concatenations and unions of bytes.
# False also if that is hard to see.
cdef bint part_within(Nodes* n, uint32_t e, uint32_t whole) noexcept nogil

# Whether each byte of a set is a text of `inner`. False also if that is hard to see.
cdef bint set_within(const Nodes* n, uint32_t e, uint32_t inner) noexcept nogil

# The length of a text of `e` that `text` begins with, or -1 if none was found. One is found where `e` is made of bytes, literals,
# concatenations and unions, and no text of it begins another one, as in UTF-8.
cdef int prefix_length(const Nodes* n, uint32_t e, const uint8_t* text, uint32_t length) noexcept nogil
