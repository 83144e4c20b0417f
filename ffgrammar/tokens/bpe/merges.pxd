"""Which two tokens the merges of byte-pair encoding leave side by side."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t

from ffgrammar.tokens.bpe.merge_loop cimport BpeStatus, Ids
from ffgrammar.tokens.bpe.merge_list cimport MergeIndex, MergeList
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    # what takes the place of a part where a token has none
    WHOLE = 0xFFFFFFFF      # a single byte, or what the vocabulary's merges begin with
    UNKNOWN = 0xFFFFFFFE    # not looked for yet
    UNREACHED = 0xFFFFFFFD  # its bytes give other tokens
    NO_TOKEN = 0xFFFFFFFF   # of a byte
    NO_BYTE = -2            # instead of a number of tokens: a byte is no token


cdef inline uint32_t rank_of(const uint32_t* rank, uint32_t token) noexcept nogil:
    """The rank of a token's last merge; without a table the token is the rank."""
    return token if rank == NULL else rank[token]


cdef class Merges:
    cdef readonly TokenTrie trie
    cdef readonly MergeList pairs
    cdef const MergeIndex* listed  # of `pairs`; NULL if ids are ranks
    cdef readonly bint by_characters  # whether merges begin with characters
    cdef uint32_t ranks     # all ranks are below
    # by token: the parts of its last merge
    cdef uint32_t* left
    cdef uint32_t* right
    cdef uint8_t* out_of_order      # whether its merges do not come in the order of ranks
    cdef uint32_t* rank     # of that merge, where merges are listed
    cdef uint8_t* is_byte   # the same: whether it stands for a byte of a character that is no token
    cdef uint32_t[256] byte_token

    # Find the parts of a token. -1 if there is no memory.
    cdef int split(self, uint32_t token) noexcept nogil
    cdef int find_parts(self, uint32_t token, uint32_t* left, uint32_t* right) noexcept nogil
    cdef int find_listed_parts(
        self, uint32_t token, const uint8_t* text, uint32_t count, uint32_t* left, uint32_t* right) noexcept nogil

    # Whether a token's bytes give that token. -1 if there is no memory.
    cdef int reached(self, uint32_t token) noexcept nogil

    # Whether the merges leave two tokens, each of which is reached, as they are when they stand side by side in a pre-token. -1
    # if there is no memory. The second one does so with the bytes of both in a row, which it needs only if ids are ranks.
    cdef int pair(self, uint32_t one, uint32_t other) noexcept nogil
    cdef int side_by_side(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil
    cdef bint is_late(self, uint32_t part, uint32_t token) noexcept nogil
    cdef int merged_apart(self, const uint8_t* text, uint32_t border, uint32_t count) noexcept nogil
    cdef int listed_apart(self, const uint8_t* text, uint32_t count, uint32_t one, uint32_t other) noexcept nogil

    # The tokens that merges begin with, where merges are listed; no more than there are bytes. How many, or NO_BYTE.
    cdef int64_t first_tokens(self, const uint8_t* text, size_t count, uint32_t* ids) noexcept nogil
    cdef int64_t merge_text(self, const uint8_t* text, size_t count, uint32_t* ids, uint32_t least) noexcept nogil

    # Append the tokens of one pre-token of fewer than 2**32 - 2 bytes. `whole`: a pre-token that is a token is that token,
    # whatever the merges make of it (always so if ids are ranks).
    cdef BpeStatus encode(self, const uint8_t* text, size_t count, bint whole, Ids* out) noexcept nogil
