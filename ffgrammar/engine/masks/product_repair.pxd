"""Whether a tuple of parts (products.pxd) can be completed by one part after another.

Of 20 patterns that each ask for an even number of one letter, any combination may be left open. No witness serves two of them, and
a search looks at 256 bytes in each step. But a text that brings one part to a match mostly leaves the others where they are. So the
parts are completed one by one, and each knows the next byte of its own way (regex/dfa/part_ways.pxd).
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.masks.products cimport Products

# Whether a text that is not empty is found that completes a term; it is a witness then. Returns 1, 0 (which says nothing) or a
# status.
cdef int repair_terms(Products* p, const uint32_t* parts) noexcept nogil
