"""Which two tokens can stand side by side after the merges of byte-pair encoding."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from ffgrammar.core.threads cimport atomic_load
from ffgrammar.tokens.bpe.ids cimport BpeStatus, Ids
from ffgrammar.tokens.bpe.merge_list cimport MergeIndex, MergeList, merges_below
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    # What `TokenParts.left` is for a token that has no parts
    WHOLE = 0xFFFFFFFF      # the token is one of those that merging begins with
    UNKNOWN = 0xFFFFFFFE    # not looked for yet
    UNREACHED = 0xFFFFFFFD  # merging the token's bytes gives other tokens
    # What `Merges.byte_token` has for a byte without a token
    NO_TOKEN = 0xFFFFFFFF


cdef struct TokenParts:
    # What is known of a token. One look at memory gets all of it. The first four are filled in when the token is first asked for.
    uint32_t left          # the token's left part, or WHOLE, UNKNOWN or UNREACHED
    uint32_t right         # its right part. Read it with `right_part`, because load_left_lengths fills in only `left`
    uint32_t rank          # the rank of the token's last merge; the token itself if ids are ranks
    uint8_t out_of_order   # whether its merges do not come in the order of ranks
    # The next three are 0 if ids are ranks.
    uint8_t is_byte        # whether the token stands for one byte of a character that is no token: see `by_characters`
    uint8_t is_made        # whether some merge makes the token
    uint8_t is_renamed     # whether the token's bytes need not be what its name stands for: see `by_names`


cdef inline bint undo_listed(
    const TokenParts* by_token, const MergeIndex* listed, uint32_t one, uint32_t other
) noexcept nogil:
    """The same as `Merges.undo`, for listed merges and tokens whose parts are known. (Then the parts of their parts are known.)"""
    cdef const TokenParts* first
    cdef const TokenParts* second
    cdef uint32_t limit  # a merge across the border comes before the merge that was undone last if its rank is below this
    while True:
        first = &by_token[one]
        second = &by_token[other]
        # (of two merges of equal rank the left one comes first, so the right one is undone first)
        if first.left < <uint32_t>UNREACHED and (second.left >= <uint32_t>UNREACHED or first.rank > second.rank):
            limit = first.rank
            one = first.right
        elif second.left < <uint32_t>UNREACHED:
            limit = second.rank + 1
            other = second.left
        else:
            return True
        if merges_below(listed, one, other, limit):
            return False


@cython.final
cdef class Merges:
    cdef readonly TokenTrie trie
    cdef readonly MergeList pairs
    cdef const MergeIndex* listed    # the index of `pairs`; NULL if ids are ranks
    cdef readonly bint by_characters  # whether merging begins with characters, not with bytes
    # Whether each merge makes a token whose bytes are those of its two tokens, unless one of the three is renamed.
    cdef bint by_names
    cdef uint32_t ranks              # every rank is below this
    cdef TokenParts* by_token
    # Answers of `pair` that are kept. An entry is 0, or has the two tokens `one` and `other` and the answer, 0 or 1:
    # one << 33 | other << 2 | answer << 1 | 1. Threads read and write entries without a lock: an entry is a single word, which is
    # read or written in one piece.
    cdef uint64_t* kept_pairs
    cdef uint32_t all_split          # whether `left` is known of all tokens that have bytes
    cdef uint32_t[256] byte_token    # by byte: the token that stands for it, or NO_TOKEN

    # Find the parts of a token and note them in the tables. Returns 0, or -1 if there is no memory.
    cdef int split(self, uint32_t token) noexcept nogil

    # Note the parts of a token in the tables. If `left` is WHOLE or UNREACHED, `right` is of no use. Returns as `split`.
    cdef int note(self, uint32_t token, uint32_t left, uint32_t right) noexcept nogil

    # The right part of a token that has parts. `left` must be known for the token.
    cdef inline uint32_t right_part(self, uint32_t token) noexcept nogil:
        cdef uint32_t found = atomic_load(&self.by_token[token].right)
        return found if found != <uint32_t>UNKNOWN else self.find_right(token)

    # Part of `right_part`: find the right part of a token from its left part, and note it in the table.
    cdef uint32_t find_right(self, uint32_t token) noexcept nogil

    # The higher of two ranks: that of a token's last merge, and that of the last merge of its part `part`, if this part has parts
    # itself. `left` must be known for the part.
    cdef inline uint32_t later(self, uint32_t token, uint32_t part) noexcept nogil:
        cdef uint32_t rank = self.by_token[token].rank
        return max(rank, self.by_token[part].rank) if self.by_token[part].left < <uint32_t>UNREACHED else rank

    # The rank at which a token is made while its bytes are merged: the highest rank of all its merges; 0 if there are none. The
    # token's parts must be known.
    cdef uint32_t made_at(self, uint32_t token) noexcept nogil

    # Part of `split`: write the parts of a token to left[0] and right[0], which the caller has set to UNREACHED. Returns 0 or -1.
    cdef int find_parts(self, uint32_t token, uint32_t* left, uint32_t* right) noexcept nogil

    # Whether a token is reached: whether merging its bytes gives this token. Returns 1 or 0, or -1 if there is no memory.
    cdef int reached(self, uint32_t token) noexcept nogil

    # Whether two tokens can stand side by side in a pre-token: whether merging the bytes of both gives them again. Both must be
    # reached. Returns 1 or 0, or -1 if there is no memory.
    cdef int pair(self, uint32_t one, uint32_t other) noexcept nogil

    # Whether the answer of `pair` is kept, and is 1.
    cdef bint is_known_pair(self, uint32_t one, uint32_t other) noexcept nogil

    # Keep 1 as the answer of `pair`.
    cdef void keep_pair(self, uint32_t one, uint32_t other) noexcept nogil

    # Part of `pair`: find an answer that is not kept. Returns as `pair`.
    cdef int check_pair(self, uint32_t one, uint32_t other) noexcept nogil

    # The same as `pair`, for tokens whose merges come in the order of ranks, if ids are ranks. `text` has the bytes of `one` and,
    # from the offset `border` on, those of `other`.
    cdef int side_by_side(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil

    # Part of `side_by_side`: whether merging the bytes of both tokens gets as far as these two tokens, that is, whether both are
    # made before any merge reaches across their border. Returns 1 or 0, or -1 if there is no memory.
    cdef int undo(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil

    # The rank of the merge of two neighbours, or NO_TOKEN if they do not merge. `text` and `border` are as in
    # `side_by_side`.
    cdef uint32_t joined(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil

    # The same as `pair`, for any two tokens: merges `text`, the `count` bytes of both. Slower than `side_by_side`.
    cdef int merged_apart(self, const uint8_t* text, uint32_t count, uint32_t one, uint32_t other) noexcept nogil

    # Whether a token's merges are out of order because of one of its parts: this part's last merge has a higher rank than the
    # token's, or the part's own merges are out of order.
    cdef bint is_late(self, uint32_t part, uint32_t token) noexcept nogil

    # Write the tokens that merging begins with to `ids`, which has room for `count`. For listed merges only. Returns how many
    # tokens these are, or BPE_NO_BYTE.
    cdef int64_t first_tokens(self, const uint8_t* text, size_t count, uint32_t* ids) noexcept nogil

    # Merge `count` bytes of text until no more than `least` tokens are left, or no pair merges any more. Writes these tokens to
    # `ids`, which has room for `count`. Returns how many they are, BPE_NO_BYTE, BPE_NO_MEMORY or BPE_INTERRUPTED.
    cdef int64_t merge_text(self, const uint8_t* text, size_t count, uint32_t* ids, uint32_t least) noexcept nogil

    # Append the tokens of one pre-token of fewer than 2**32 - 2 bytes. With `whole`, or if ids are ranks, a pre-token whose
    # bytes are those of a token becomes that token, whatever the merges make of them. Returns BPE_OK, BPE_NO_BYTE or
    # BPE_NO_MEMORY.
    cdef BpeStatus encode(self, const uint8_t* text, size_t count, bint whole, Ids* out) noexcept nogil
