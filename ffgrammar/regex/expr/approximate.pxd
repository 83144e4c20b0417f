"""How expressions resemble each other, so that one mask can be made from another's.

A string of at most 40 characters and one of at most 39 are different expressions, but hardly any token tells them apart.
`relaxed` gives many such expressions one simpler expression in common, whose mask is worth keeping, and
`min_distinguishing_length` says for which tokens that mask is already the answer.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Write to `out` a simpler expression that `e` resembles: the loops that a text is in lose their bounds, and intersections
# lose their complements. `[a-z]{1,7}"` becomes `[a-z]*"`. It is `e` itself where there is nothing to simplify, and it matches
# all that `e` matches. Returns OK or the negative status of a constructor (nodes.pxd).
cdef int relaxed(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil

# A lower bound of the length of texts that tell `a` from `b`, both of which match something. Of shorter texts the two match the
# same, and can complete the same. At most FAR; 0 when nothing is known.
cdef uint32_t min_distinguishing_length(const Nodes* n, uint32_t a, uint32_t b) noexcept nogil
