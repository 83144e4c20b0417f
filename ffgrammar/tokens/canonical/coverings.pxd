"""Coverings of a byte prefix."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState


cdef struct Context:
    # A canonical token sequence that ends inside the prefix.
    CanonicalState at   # the state after the sequence
    uint32_t before     # the number of the context without the last token; NOWHERE for the first context
    uint32_t offset     # where the sequence ends in the prefix, in bytes


cdef struct OpenToken:
    # A token that is being read after a context. It is undecided whether the pre-token ends before the token or goes on.
    uint32_t context    # the number of the context
    uint32_t node       # the node of the trie that the token's bytes so far lead to
    bint may_end        # whether it is still possible that the pre-token ends before the token
    bint may_go_on      # whether it is still possible that the pre-token goes on
    CanonicalState ended    # the state inside the token, if the pre-token ended before the token
    CanonicalState went_on  # the state inside the token, if the pre-token went on


cdef class Covering:
    cdef readonly tuple kept
    cdef readonly bytes rest
    cdef uint32_t offset
    cdef CanonicalRules rules
    cdef CanonicalState at  # the state after `kept`
    cdef uint32_t node      # where `rest` leads to in the trie
    cdef bytes mask         # the mask of the candidates; None until it is asked for

    # Make the mask, if it is not made yet. Returns 0; raises MemoryError.
    cdef int find(self) except -1

    # The part of `find` for a node with many nodes below it; `count` is how many they are, with the node itself. Uses the
    # successors of the last token if making them is worth it. Sets the bits of the candidates in a mask of zeros. Returns 0;
    # raises MemoryError.
    cdef int find_many(self, uint32_t* mask, uint32_t count) except -1


cdef class CoveringSearch:
    cdef CanonicalRules rules
    cdef Context* contexts
    cdef uint32_t count
    cdef uint32_t room
    cdef uint32_t opened    # how many contexts have a token that was begun after them
    cdef uint32_t size      # how many bytes were read
    cdef OpenToken* tokens  # the tokens that are still being read, in ascending order of `context`
    cdef uint32_t token_count
    cdef uint32_t token_room

    # Begin after the tokens that have led to the state `start`. Returns 0; raises MemoryError.
    cdef int begin(self, const CanonicalState* start) except -1

    # Read bytes. Returns 0; raises MemoryError, and TokenizerError if there are too many contexts.
    cdef int read(self, bytes data) except -1

    # Read one byte. Returns and raises as `read`.
    cdef int step(self, uint32_t byte) except -1

    # A list of (context, node of the trie) for the contexts after which some token reaches the end of the prefix. The context
    # that has the most bytes comes first. Whether such a token may come is not checked yet: see `may_be_covered`.
    cdef list open_contexts(self)

    # Whether some token at or below a node may come after a context. `text` has all bytes that were read. If `mask` is not
    # NULL, the bits of all such tokens are set in it. Raises MemoryError.
    cdef bint may_be_covered(self, uint32_t context, uint32_t node, const unsigned char* text, uint32_t* mask) except *

    # The tokens of the context of this number.
    cdef tuple kept(self, uint32_t number)

    # Add a context that ends after the bytes read so far. Returns 0; raises MemoryError, and TokenizerError if there are too
    # many.
    cdef int add(self, const CanonicalState* at, uint32_t before) except -1

    # Begin a token after each new context. Returns 0; raises MemoryError.
    cdef int open_tokens(self) except -1

    # Add the context that ends with a token, if the token may come. Returns and raises as `add`.
    cdef int close_token(self, const OpenToken* read, uint32_t token) except -1
