"""Whether a tuple of parts (products.pxd) can be completed by one part after another.

Of 20 patterns that each ask for an even number of one letter, a text may leave any combination open. No witness serves two of
these combinations, and a search looks at 256 bytes in each step. But a text that completes one part mostly leaves the others where
they are. So the parts are completed one by one. Each knows the next byte on its own way to a match (regex/dfa/part_ways.pxd).
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.masks.products cimport Products

# Whether a text is found that is not empty and completes a term. The text becomes a witness, if it is short enough. Returns 1; 0,
# which says nothing; or a status.
cdef int repair_terms(Products* p, const uint32_t* parts) noexcept nogil
