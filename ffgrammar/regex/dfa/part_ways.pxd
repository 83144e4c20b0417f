"""The shortest way from a part (parts.pxd) to one that matches the empty text, and to one that does not."""

from libc.stdint cimport uint32_t

from ffgrammar.regex.dfa.parts cimport Parts

cdef enum:
    NO_WAY = 256  # in the place of a byte: there is no way, or a short search does not find it

# Write the next byte on the shortest way from `part` to a part that matches the empty text, or to one that does not if
# `complemented`. `part` itself is no such part. The byte is remembered. Returns OK or a status.
cdef int find_way(Parts* p, uint32_t part, bint complemented, uint32_t* byte) noexcept nogil
