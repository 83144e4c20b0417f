"""A mask of tokens for each token, made when it is first asked for, and kept."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.tokens.bpe.merges cimport Merges


cdef class TokenMasks:
    cdef Merges merges
    cdef object lock             # held while a mask is made, and while tables for masks are made
    cdef dict kept               # mask by token: those asked for last
    cdef dict older              # mask by token: those asked for before
    cdef readonly size_t max_bytes

    # The mask of a token that merges make. Raises MemoryError, and what the handler of a signal raises while this waits.
    cdef bytes find(self, uint32_t one)

    # `find` for callers that cannot raise. Returns None and sets the status to NO_MEMORY or INTERRUPTED instead.
    cdef object find_or_status(self, uint32_t one, int* status)

    # Drop a mask if there is no room for one more of `size` bytes. Call this and `keep` with the lock held. Both return 0.
    cdef int make_room(self, size_t size) except -1

    # Keep the mask of a token.
    cdef int keep(self, uint32_t one, object mask) except -1

    # The mask of any token: all zeros if merges do not make it. Raises TokenizerError if the id is out of range.
    cdef bytes find_any(self, token)

    # Write the mask of the token `one` to all words of `mask`. Each subclass has its own version of this method. It runs with the
    # lock held. Returns OK or NO_MEMORY.
    cdef int write(self, uint32_t one, uint32_t* mask) noexcept nogil
