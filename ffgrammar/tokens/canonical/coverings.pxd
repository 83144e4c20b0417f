"""Coverings of a byte prefix."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState


cdef struct Context:
    # A canonical token sequence that ends inside the prefix.
    CanonicalState at   # after it
    uint32_t before     # the context without its last token; NOWHERE for the first one
    uint32_t offset     # in the prefix: where it ends


cdef struct OpenToken:
    # A token that is being read after a context. Its border is undecided: the pre-token may end before it, or go on.
    uint32_t context
    uint32_t node       # of the trie: its bytes so far
    bint may_end
    bint may_go_on
    CanonicalState ended    # the state inside the token, if the pre-token ended before it,
    CanonicalState went_on  # and if it went on


cdef class Covering:
    cdef readonly tuple kept
    cdef readonly bytes rest
    cdef uint32_t offset
    cdef CanonicalRules rules
    cdef CanonicalState at  # after `kept`
    cdef uint32_t node      # where `rest` leads to in the trie
    cdef bytes mask         # the candidates; None before they are asked for

    # Make the mask. Returns 0; raises MemoryError.
    cdef int find(self) except -1

    # The same by the successors of the last token, where `count` nodes are below. Takes them away from a full mask.
    cdef int find_many(self, uint32_t* mask, uint32_t count) except -1


cdef class CoveringSearch:
    cdef CanonicalRules rules
    cdef Context* contexts
    cdef uint32_t count
    cdef uint32_t room
    cdef uint32_t opened    # contexts after which a token was begun
    cdef uint32_t size      # bytes that were read
    cdef OpenToken* tokens  # those that have all bytes since their context; the context that keeps least comes first
    cdef uint32_t token_count
    cdef uint32_t token_room

    # Begin after some tokens. Raises MemoryError, and TokenizerError where there are too many contexts.
    cdef int begin(self, const CanonicalState* start) except -1

    # Read bytes, all of them or one. Raises as `begin`.
    cdef int read(self, bytes data) except -1
    cdef int step(self, uint32_t byte) except -1

    # [(context, node of the trie)] where some token reaches the end of the prefix, from the one that keeps most to the one that
    # keeps least. Whether that token may come is not checked yet: see `may_be_covered`.
    cdef list open_contexts(self)

    # Whether a token below a node may come after a context, `text` being all that was read. With a mask, all their bits are set.
    # Raises MemoryError.
    cdef bint may_be_covered(self, uint32_t context, uint32_t node, const unsigned char* text, uint32_t* mask) except *

    # The tokens of a context.
    cdef tuple kept(self, uint32_t number)

    # Add a context that ends here. Raises MemoryError and TokenizerError.
    cdef int add(self, const CanonicalState* at, uint32_t before) except -1

    # Begin a token after each new context. Raises MemoryError.
    cdef int open_tokens(self) except -1

    # Add the context after a token, if that may come. Raises as `add`.
    cdef int close_token(self, const OpenToken* read, uint32_t token) except -1


cdef class GrowingPrefix:
    cdef CoveringSearch search
    cdef bytearray data
