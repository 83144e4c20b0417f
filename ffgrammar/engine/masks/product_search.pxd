"""Whether a tuple of parts (products.pxd) can be completed.

A tuple goes on if the parts of a term have a witness in common, or if they match the empty text and a tail follows. Otherwise the
structure of the terms often shows whether one of them matches anything. If it does not, a search for a witness may. The search
looks at tuples as the one in emptiness.pxd looks at expressions, but a step takes microseconds.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.masks.products cimport Products
from ffgrammar.regex.expr.nodes cimport Nodes

cdef enum:
    NOT_KNOWN = 2

# Whether the parts of a term match the empty text.
cdef bint is_met(const Products* p, const uint32_t* parts, const uint32_t* term) noexcept nogil

# Whether some term matches the empty text; it is `hint` then.
cdef bint any_met(Products* p, const uint32_t* parts) noexcept nogil

# Whether one part of a term alone shows that it matches nothing.
cdef bint is_dead(const Products* p, const uint32_t* parts, const uint32_t* term) noexcept nogil

# Whether the term that was last seen to go on does so again: some byte can follow in it, and a match after that. Returns 1, 0 or a
# status.
cdef int hint_alive(Products* p, const uint32_t* parts, uint32_t width) noexcept nogil

# Whether another term is seen to go on, after `hint_alive` returned 0 for the same tuple. Returns 1, 0 or a status.
cdef int others_alive(Products* p, const uint32_t* parts) noexcept nogil

# Write the intersection of a term to `out`. Returns OK or a status.
cdef int make_body(Products* p, Nodes* n, const uint32_t* parts, const uint32_t* term, uint32_t* out) noexcept nogil

# Whether some text that is not empty completes a term of a tuple for which `hint_alive` and `others_alive` are 0. Returns 1; 0;
# NOT_KNOWN, if that is hard to see; or a status.
cdef int can_complete(Products* p, Nodes* n, const uint32_t* parts, uint32_t width) noexcept nogil
