"""Sorting tokens by their bytes."""

from libc.stdint cimport uint8_t, uint32_t


# Sort ids of tokens by their bytes. Tokens with equal bytes stay in the order that they have.
#
#   blob, offsets  the bytes of token i are blob[offsets[i]:offsets[i + 1]]; SLACK bytes can be read after the last token
#   order          the ids; sorted in place
#   count          how many ids there are
#
# Returns 0, or -1 if there is no memory.
cdef int sort_by_bytes(const uint8_t* blob, const uint32_t* offsets, uint32_t* order, uint32_t count) noexcept nogil
