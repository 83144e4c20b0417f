"""The shortest way from a part (parts.pxd) to one that matches the empty text, and to one that does not."""

from libc.stdint cimport uint32_t

from ffgrammar.regex.dfa.parts cimport Parts

cdef enum:
    NO_WAY = 256  # in the place of a byte: there is no way, or none that is found soon

# Write the next byte on the shortest way to a part that matches the empty text, or if `complemented`, to one that does not. `part`
# itself is none. The byte is remembered. Returns OK or a status.
cdef int find_way(Parts* p, uint32_t part, bint complemented, uint32_t* byte) noexcept nogil
