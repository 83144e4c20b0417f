"""The bytes of tokens by id, in one piece of memory."""

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef enum:
    SLACK = 16  # how many bytes may be read from the start of any token on, even of one that is empty or shorter


@cython.final
cdef class PackedTokens:
    # The bytes of token i are blob[offsets[i]:offsets[i + 1]], which is empty for an id without bytes.
    cdef uint32_t count
    cdef uint8_t* blob
    cdef uint32_t* offsets  # count + 1

    # Allocate room for `count` tokens, all without bytes yet. Returns 0; raises MemoryError or TokenizerError.
    cdef int allocate(self, uint32_t count, uint64_t blob_bytes) except -1
