"""The best path of a unigram model through a text."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t

from ffgrammar.tokens.bpe.ids cimport BpeStatus, Ids
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie


cdef struct PathEnd:
    # The best path from the start of a text to one of its offsets.
    double score
    uint32_t start  # the offset where its last piece begins; NOWHERE if no path ends here
    int32_t piece   # its last piece; UNKNOWN for a character that is no piece


cdef class BestPath:
    cdef readonly TokenTrie trie
    # Two tables by token. For a token that represents its bytes, `scores` has the score of the piece with these bytes (NaN if
    # there is no such piece), and `pieces` has the id of this piece.
    cdef double* scores
    cdef uint32_t* pieces
    # By two bytes: their node, or 0. Nodes of one byte have the most children to search. This table halves the time of encoding.
    cdef uint32_t* pairs
    cdef double unknown_score
    cdef int32_t unknown    # the token for a run of characters that are no pieces, or -1
    cdef bint has_bytes     # whether such characters are written with `byte_tokens`, and not with `unknown`
    cdef uint32_t[256] byte_tokens
    cdef bint single        # whether sums are rounded to 32 bits
    cdef bint by_words      # whether each space begins a new path

    # A step of the constructor: fill `pairs`.
    cdef void list_pairs(self) noexcept nogil

    # Append the tokens of a UTF-8 text. `ends` has room for `count` + 1 entries. Returns BPE_OK, BPE_NO_MEMORY, or BPE_NO_BYTE if
    # a character is no piece and there is no token for it.
    cdef BpeStatus encode_all(self, const uint8_t* text, size_t count, PathEnd* ends, Ids* out) noexcept nogil

    # Append the tokens of the best path through a text or, if `by_words`, through a word. Returns as `encode_all`.
    cdef BpeStatus encode_path(self, const uint8_t* text, uint32_t count, PathEnd* ends, Ids* out) noexcept nogil

    # Find the best path to each offset: fill ends[: count + 1].
    cdef void find_ends(self, const uint8_t* text, uint32_t count, PathEnd* ends) noexcept nogil

    # Append the tokens of the path that leads to ends[count]. Returns as `encode_all`. Overwrites `ends`.
    cdef BpeStatus spell(self, const uint8_t* text, uint32_t count, PathEnd* ends, Ids* out) noexcept nogil

    # Append the tokens of a character that is no piece. `is_first` says whether it is the first of a run of such characters.
    # Returns as `encode_all`.
    cdef BpeStatus spell_unknown(self, const uint8_t* text, uint32_t count, bint is_first, Ids* out) noexcept nogil
