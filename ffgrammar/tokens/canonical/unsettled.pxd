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

    # Of how many contexts some token may cover the end of the bytes; 2 if there are more. Raises MemoryError.
    cdef uint32_t ways(self) except? 2

    # How many tokens all coverings of the bytes begin with; perhaps fewer, but found without looking for the last tokens.
    cdef uint32_t at_least_shared(self) noexcept

    # The same, exactly: see `shared_tokens`. Raises MemoryError.
    cdef uint32_t shared(self) except? 0xFFFFFFFF

    # The context that two contexts have both begun with.
    cdef uint32_t common(self, uint32_t one, uint32_t other) noexcept

    # How many tokens a context has.
    cdef uint32_t size_of(self, uint32_t context) noexcept
