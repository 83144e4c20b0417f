"""The end of a canonical sequence, which more text may change."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.canonical.coverings cimport CoveringSearch
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState


cdef class UnsettledEnd:
    cdef CoveringSearch search
    cdef uint8_t* text   # the bytes that were read
    cdef size_t room

    # Begin after settled tokens, which have led to the state `start`. Returns 0; raises MemoryError.
    cdef int begin(self, const CanonicalState* start) except -1

    # Read the bytes of a token. Returns 0; raises MemoryError, and TokenizerError if there are too many contexts.
    cdef int read(self, uint32_t token) except -1

    # Whether some token may cover the end of the bytes as open token number `i`. With `below`, only tokens that reach beyond the
    # bytes count. Sets `token` to it. Raises MemoryError.
    cdef bint may_cover(self, uint32_t i, bint below, uint32_t* token) except *

    # Whether all coverings have the same kept tokens. If not, and another way to write `token`, which was read last, may also be
    # tried at other places, this way is noted (other_ways.pxd). Raises MemoryError.
    cdef bint is_only_way(self, uint32_t token) except *

    # How many tokens all coverings of the bytes begin with, or fewer. This is found without looking for the last tokens.
    cdef uint32_t at_least_shared(self) noexcept

    # The same, exactly: see `shared_tokens`. The tokens that were read must be canonical. Raises MemoryError.
    cdef uint32_t shared(self) except? 0xFFFFFFFF

    # The context that two contexts have both begun with.
    cdef uint32_t common(self, uint32_t one, uint32_t other) noexcept

    # How many tokens a context has.
    cdef uint32_t size_of(self, uint32_t context) noexcept
