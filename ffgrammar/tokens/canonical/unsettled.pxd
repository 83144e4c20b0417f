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

    # The open token number `i` of the search has read the bytes after its context. Returns whether some token that begins with
    # these bytes may come after the context. With `below`, only longer tokens count. Sets `token` to the one that was found.
    # Raises MemoryError.
    cdef bint may_cover(self, uint32_t i, bint below, uint32_t* token) except *

    # Whether all coverings have the same kept tokens. `token` is the token that was read last. If a covering is met that has two
    # tokens in place of `token`, these two are noted (other_ways.pxd). Raises MemoryError.
    cdef bint is_only_way(self, uint32_t token) except *

    # A lower bound of `shared`, which is found without looking for the last tokens of the coverings.
    cdef uint32_t at_least_shared(self) noexcept

    # How many tokens all coverings of the bytes begin with: see `shared_tokens`. The tokens that were read must be canonical.
    # Raises MemoryError.
    cdef uint32_t shared(self) except? 0xFFFFFFFF

    # The longest context that two contexts both begin with.
    cdef uint32_t common(self, uint32_t one, uint32_t other) noexcept

    # How many tokens a context has.
    cdef uint32_t size_of(self, uint32_t context) noexcept
