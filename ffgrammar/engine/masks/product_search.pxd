"""Whether a tuple of parts (products.pxd) can be completed.

A tuple is seen to go on if a term of it has a witness, or if its tail may come. Otherwise the structure of the term often shows
whether it matches anything, and if not, a search for a witness does. The search looks at tuples as the one in emptiness.pxd looks
at expressions, but a step takes microseconds.
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

# Whether some term is seen to go on: some byte can follow in it, and a match after that. Returns 1, 0 or a status.
cdef int any_alive(Products* p, const uint32_t* parts, uint32_t width) noexcept nogil

# The intersection of a term, written to `out`. Returns OK or a status.
cdef int make_body(Products* p, Nodes* n, const uint32_t* parts, const uint32_t* term, uint32_t* out) noexcept nogil

# Whether some text that is not empty completes a term for which `any_alive` is 0. Returns 1; 0; NOT_KNOWN, if that is hard to see;
# or a status.
cdef int can_complete(Products* p, Nodes* n, const uint32_t* parts, uint32_t width) noexcept nogil
