"""Whether a text that members of an intersection ask for is longer than another member allows, as far as structure shows.

Texts of ten searches for different letters have ten letters at least. Without this, a search for a shorter text tries all sets of
letters.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.regex.expr.nodes cimport Nodes

# Whether no text of `e` begins another one. So a text is a sequence of texts of `e` in one way at most. False also if that is hard
# to see.
cdef bint is_code(const Nodes* n, uint32_t e) noexcept nogil

# Whether an intersection matches nothing, because all its texts are sequences of at most `most` texts of `unit`, and its other
# members ask for more. False says nothing.
cdef bint is_crowded(Nodes* n, uint32_t e, uint32_t unit, uint64_t most) noexcept nogil
