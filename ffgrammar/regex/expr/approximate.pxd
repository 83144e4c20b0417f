"""How expressions resemble each other, so that the mask of one can be made from the mask of another.

A string of at most 40 characters and one of at most 39 are different expressions, but hardly any token tells them apart.
`relaxed` gives many such expressions one simpler expression in common, whose mask is worth keeping. A token that is shorter than
the `min_distinguishing_length` of the two expressions has the same bit in that mask as in the expression's own.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Write to `out` a simpler expression that `e` resembles, or `e` itself where nothing can be simplified. Loops whose count may
# vary lose their upper bound. The loop at the start of `e` also loses a small lower bound. Intersections lose their
# complements. So `[a-z]{1,7}"` becomes `[a-z]*"`. Loops inside intersections and inside other loops stay as they are. The
# result matches all that `e` matches. Returns OK or the negative status of a constructor (nodes.pxd).
cdef int relaxed(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil

# Write to `out` an expression that matches all that `e` matches, and has few derivatives: high counts are no bounds any more, and
# intersections lose their complements. If it matches nothing, neither does `e`. Returns OK or the negative status of a
# constructor.
cdef int widened(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil

# A lower bound, in bytes, of the length of a text that tells `a` from `b`. A shorter text is matched by both or by neither, and
# is the beginning of a match of both or of neither. Both expressions must match something. Returns at most FAR, and 0 when
# nothing is known.
cdef uint32_t min_distinguishing_length(const Nodes* n, uint32_t a, uint32_t b) noexcept nogil
