"""What the encoders that cut a text into pre-tokens and merge each of them have in common."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.bpe.ids cimport BpeStatus, Ids
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie, index_find


cdef class PretokenEncoder:
    cdef readonly TokenTrie trie
    cdef readonly Merges merges

    # Each encoder has its own version of the next three. They are about text[:count], which is UTF-8.

    # Where the pre-token ends that starts at the offset `at` below `count`, or 0 if that is not known. `stops` and `atom` are as
    # in PretokenTable.next_end.
    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil

    # Append the tokens of a pre-token. Returns BPE_OK, BPE_NO_BYTE or BPE_NO_MEMORY.
    cdef BpeStatus encode_one(self, const uint8_t* text, size_t count, bint atom, Ids* out) noexcept nogil

    # Whether a pre-token with the bytes of a token becomes this token. False may also mean that this is not known.
    cdef bint is_pretoken(self, uint32_t token, bint atom) noexcept nogil

    # Whether the tokens of text[:count] are ids[:size]. The text must have the bytes of these. `made` is scratch.
    cdef bint makes(
        self, const uint8_t* text, size_t count, const uint32_t* ids, size_t size, Ids* made) noexcept nogil

    # Whether a pre-token, `text` of `count` bytes, has the first of ids[:size] as its tokens, by what is known of pairs of tokens.
    # Returns how many tokens these are, and at least two. Returns 0 if it has others, or if this is not known.
    cdef size_t side_by_side(self, const uint8_t* text, size_t count, const uint32_t* ids, size_t size) noexcept nogil

    # The same for any pre-token, by encoding it. If it has these tokens, that is kept of each pair.
    cdef size_t encoded(
        self, const uint8_t* text, size_t count, bint atom, const uint32_t* ids, size_t size, Ids* made) noexcept nogil

    # The same as `makes`, for a text that is not known to be UTF-8: see `writes`.
    cdef bint makes_part(self, const uint32_t* ids, size_t size, Ids* made, object is_known) except -1

    # Whether a token is the one that is written for its bytes. Of several tokens with the same bytes that is only one.
    cdef inline bint represents(self, uint32_t token) noexcept nogil:
        cdef const uint32_t* offsets = self.trie.offsets
        return not self.trie.alias_count or token == <uint32_t>index_find(
            &self.trie.index, self.trie.blob + offsets[token], offsets[token + 1] - offsets[token])
