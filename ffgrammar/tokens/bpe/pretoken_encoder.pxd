"""The base of the encoders that cut a text into pre-tokens and merge the bytes of each pre-token."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.bpe.ids cimport BpeStatus, Ids
from ffgrammar.tokens.bpe.merges cimport Merges
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie


cdef class PretokenEncoder:
    cdef readonly TokenTrie trie
    cdef readonly Merges merges

    # Each subclass has its own version of the next four methods.

    # Takes text[:count], which is UTF-8. Returns where the pre-token that starts at the offset `at` ends, or 0 if that is not
    # known. `at` is below `count`. `stops` and `atom` are as in PretokenTable.next_end.
    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil

    # Append the tokens of the pre-token text[:count]. Here and below, `atom` says whether the pre-token is an atom. Returns
    # BPE_OK, BPE_NO_BYTE or BPE_NO_MEMORY.
    cdef BpeStatus encode_one(self, const uint8_t* text, size_t count, bint atom, Ids* out) noexcept nogil

    # Append the ids of text[:count], of which text[:valid] is UTF-8, as `Tokenizer.encode` finds them. Returns BPE_OK, BPE_NO_BYTE,
    # BPE_NO_MEMORY or BPE_INTERRUPTED.
    cdef BpeStatus encode_row(self, const uint8_t* text, size_t count, size_t valid, Ids* out) noexcept nogil

    # Whether a pre-token with the bytes of a token becomes this token. False may also mean that the answer is not known.
    cdef bint is_pretoken(self, uint32_t token, bint atom) noexcept nogil

    # Whether the tokens of text[:count] are ids[:size]. The text must be the bytes of these ids. `made` is scratch.
    cdef bint makes(
        self, const uint8_t* text, size_t count, const uint32_t* ids, size_t size, Ids* made) noexcept nogil

    # Takes the pre-token text[:count]. If its tokens are two or more, and ids[:size] begins with them, returns how many they are.
    # Looks only at the pairs that are known to stand side by side. Returns 0 if these pairs do not decide it, or if ids[:size]
    # begins with other tokens.
    cdef size_t side_by_side(self, const uint8_t* text, size_t count, const uint32_t* ids, size_t size) noexcept nogil

    # If ids[:size] begins with the tokens of the pre-token text[:count], returns how many they are, else 0. Encodes the
    # pre-token to find out. If it returns more than 0, each two neighbours among the tokens are kept as a known pair, unless
    # `Merges.is_byte` is set for one of the two.
    cdef size_t encoded(
        self, const uint8_t* text, size_t count, bint atom, const uint32_t* ids, size_t size, Ids* made) noexcept nogil

    # The same as `makes`, for the bytes of ids[:size], which need not be UTF-8. `is_known` is as in `writes`. `ask_ascii` says
    # whether it is asked about ASCII texts, too.
    cdef bint makes_part(
        self, const uint32_t* ids, size_t size, Ids* made, object is_known, bint ask_ascii) except -1

    # Whether encoders write this token for its bytes. Of several tokens with the same bytes they write only one.
    cdef inline bint represents(self, uint32_t token) noexcept nogil:
        cdef const uint32_t* offsets = self.trie.offsets
        return not self.trie.alias_count or token == <uint32_t>self.trie.find_token(
            self.trie.blob + offsets[token], offsets[token + 1] - offsets[token])
