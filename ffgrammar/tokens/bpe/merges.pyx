"""Which two tokens the merges of byte-pair encoding leave side by side.

Inside a pre-token a sequence of tokens is what the merges make of its bytes exactly if each two neighbours are. So all that there
is to know is a relation of pairs, and a pair is checked without merging anything:

    merges = Merges(trie)
    merges.may_follow(one, other)     # whether the tokenizer may write `other` right after `one`
    merges.parts(one)                 # the two tokens of its last merge

A merge that joins something across the border of two tokens joins a part that ends the first with a part that begins the second,
at a time when both parts are whole and no longer than they are then. So the merges of both tokens are undone from the last one on:
the later of the two last merges is taken back, and before each step the check asks whether what now stands at the border makes a
token that comes before what was taken back last. This is the check of the crate bpe of rust-gems; it is also in Vieira et al.,
"Language Models over Canonical Byte-Pair Encodings". It takes at most 14 look-ups on cl100k and o200k.

There are two kinds of vocabularies. In tiktoken's a token's id is its rank, and two parts merge if their bytes are a token's. In
those of Hugging Face merges are listed (merge_list.pyx); a token's rank is then that of the last merge when its own bytes are
merged. Where that is lower than the rank of one of its parts, merges do not come in the order of ranks, and a pair with such a
token is merged to see what comes of it.

Merging begins with bytes or with characters. With characters, one that is no token becomes a token for each of its bytes, and
these merge with nothing.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from ffgrammar.core.utf8 cimport Utf8, utf8_step
from ffgrammar.tokens.bpe.ids cimport BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids, ids_reserve
from ffgrammar.tokens.bpe.merge_list cimport MergeList, find_rank
from ffgrammar.tokens.bpe.merge_loop cimport encode_pretoken, merge_bytes, merge_ids
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie, index_find

from ffgrammar.core.errors import TokenizerError

cdef enum:
    NEAR = 512  # bytes of two tokens that are put side by side on the stack


cdef class Merges:
    """The merges of a vocabulary.

    Args:
        trie: the vocabulary.
        pairs: the merges as they are listed; None if ids are ranks.
        byte_tokens: by byte, the token that stands for it in a character that is no token (None if there is none). None if
            merging begins with bytes. Only together with `pairs`.

    Raises:
        TokenizerError: a token for a byte is out of range.
    """

    def __cinit__(self, TokenTrie trie not None, MergeList pairs=None, byte_tokens=None):
        cdef uint32_t token, byte
        cdef uint8_t[1] text
        cdef int32_t found
        cdef size_t room = <size_t>trie.vocab_size + 1
        self.trie = trie
        self.pairs = pairs
        self.left = <uint32_t*>malloc(room * sizeof(uint32_t))
        self.right = <uint32_t*>malloc(room * sizeof(uint32_t))
        self.out_of_order = <uint8_t*>calloc(room, 1)
        if self.left == NULL or self.right == NULL or self.out_of_order == NULL:
            raise MemoryError
        for token in range(trie.vocab_size):
            self.left[token] = UNKNOWN
        self.ranks = trie.vocab_size
        memset(self.byte_token, 0xFF, sizeof(self.byte_token))
        if pairs is None:
            return
        self.listed = &pairs.index
        self.ranks = pairs.ranks
        self.rank = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.is_byte = <uint8_t*>calloc(room, 1)
        if self.rank == NULL or self.is_byte == NULL:
            raise MemoryError
        if byte_tokens is None:
            for byte in range(256):
                text[0] = <uint8_t>byte
                found = index_find(&trie.index, text, 1)
                if found >= 0:
                    self.byte_token[byte] = <uint32_t>found
        else:
            self.by_characters = True
            for byte, number in enumerate(byte_tokens):
                if number is not None:
                    trie.token_bytes(number)
                    self.byte_token[byte] = number
                    self.is_byte[self.byte_token[byte]] = True

    def __dealloc__(self):
        free(self.left)
        free(self.right)
        free(self.out_of_order)
        free(self.rank)
        free(self.is_byte)

    cdef int64_t first_tokens(self, const uint8_t* text, size_t count, uint32_t* ids) noexcept nogil:
        cdef size_t at = 0
        cdef size_t after
        cdef uint32_t made = 0
        cdef int32_t token
        cdef Utf8 character
        while at < count:
            token = -1
            after = at + 1
            if self.by_characters:
                character.need = 0
                after = at
                while after < count and utf8_step(&character, text[after]):
                    after += 1
                    if character.need == 0:
                        token = index_find(&self.trie.index, text + at, after - at)
                        break
                else:
                    after = at + 1
                if token >= 0 and not self.is_byte[token]:
                    ids[made] = <uint32_t>token
                    made += 1
                    at = after
                    continue
            while at < after:
                ids[made] = self.byte_token[text[at]]
                if ids[made] == <uint32_t>NO_TOKEN:
                    return BPE_NO_BYTE
                made += 1
                at += 1
        return made

    cdef int64_t merge_text(self, const uint8_t* text, size_t count, uint32_t* ids, uint32_t least) noexcept nogil:
        cdef int64_t made
        if self.listed == NULL:
            return merge_bytes(&self.trie.index, text, <uint32_t>count, least, ids)
        made = self.first_tokens(text, count, ids)
        return merge_ids(self.listed, ids, <uint32_t>made, least) if made > 0 else made

    cdef BpeStatus encode(self, const uint8_t* text, size_t count, bint whole, Ids* out) noexcept nogil:
        cdef int64_t made
        cdef int32_t token = -1
        if self.listed == NULL:
            return encode_pretoken(&self.trie.index, text, count, out)
        if ids_reserve(out, count) != BPE_OK:
            return BPE_NO_MEMORY
        if whole:
            token = index_find(&self.trie.index, text, count)
        if token >= 0:
            out.items[out.count] = <uint32_t>token
            out.count += 1
            return BPE_OK
        made = self.merge_text(text, count, out.items + out.count, 1)
        if made < 0:
            return <BpeStatus>made
        out.count += <size_t>made
        return BPE_OK

    cdef int split(self, uint32_t token) noexcept nogil:
        cdef uint32_t left = UNREACHED
        cdef uint32_t right = UNREACHED
        if self.find_parts(token, &left, &right) < 0:
            return -1
        if left < <uint32_t>UNREACHED:
            if self.reached(left) < 0 or self.reached(right) < 0:
                return -1
            self.right[token] = right
            self.out_of_order[token] = self.is_late(left, token) or self.is_late(right, token)
        # (last: who finds it known finds the others known, too)
        self.left[token] = left
        return 0

    cdef int find_parts(self, uint32_t token, uint32_t* left, uint32_t* right) noexcept nogil:
        cdef uint32_t first = self.trie.offsets[token]
        cdef uint32_t count = self.trie.offsets[token + 1] - first
        cdef uint32_t[NEAR] near
        cdef uint32_t* ids = near
        cdef uint32_t rank
        cdef int64_t made
        if count > NEAR:
            ids = <uint32_t*>malloc(count * sizeof(uint32_t))
            if ids == NULL:
                return -1
        made = self.merge_text(self.trie.blob + first, count, ids, 2)
        if made == 1 and (self.listed == NULL or ids[0] == token):
            left[0] = WHOLE
        elif made == 2 and self.listed == NULL:
            left[0] = ids[0]
            right[0] = ids[1]
        elif made == 2:
            rank = find_rank(self.listed, ids[0], ids[1])
            if rank < self.ranks and self.listed.results[rank] == token:
                self.rank[token] = rank
                left[0] = ids[0]
                right[0] = ids[1]
        if ids != near:
            free(ids)
        return -1 if made == BPE_NO_MEMORY else 0

    cdef bint is_late(self, uint32_t part, uint32_t token) noexcept nogil:
        return self.out_of_order[part] or (
            self.left[part] < <uint32_t>UNREACHED and rank_of(self.rank, part) > rank_of(self.rank, token))

    cdef int reached(self, uint32_t token) noexcept nogil:
        if self.left[token] == <uint32_t>UNKNOWN and self.split(token) < 0:
            return -1
        return self.left[token] != <uint32_t>UNREACHED

    cdef int pair(self, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint32_t size = self.trie.offsets[one + 1] - self.trie.offsets[one]
        cdef uint32_t more = self.trie.offsets[other + 1] - self.trie.offsets[other]
        cdef uint8_t[NEAR] near
        cdef uint8_t* text = near
        cdef int status
        cdef bint out_of_order
        if self.reached(one) < 0 or self.reached(other) < 0:
            return -1
        out_of_order = self.out_of_order[one] or self.out_of_order[other]
        if self.listed != NULL and not out_of_order:
            return self.side_by_side(NULL, 0, one, other)
        if self.listed != NULL and (self.is_byte[one] or self.is_byte[other]):
            return 1
        if size + more > NEAR:
            text = <uint8_t*>malloc(<size_t>size + more)
            if text == NULL:
                return -1
        memcpy(text, self.trie.blob + self.trie.offsets[one], size)
        memcpy(text + size, self.trie.blob + self.trie.offsets[other], more)
        if out_of_order:
            status = self.merged_apart(text, size + more, one, other)
        else:
            status = self.side_by_side(text, size, one, other)
        if text != near:
            free(text)
        return status

    cdef int side_by_side(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint32_t before, after, joined
        # A merge across the border counts if it comes before the one that was taken back last: its rank is below this.
        cdef uint32_t limit = WHOLE
        while True:
            if self.listed == NULL:
                before = self.trie.offsets[one + 1] - self.trie.offsets[one]
                after = self.trie.offsets[other + 1] - self.trie.offsets[other]
                joined = <uint32_t>index_find(&self.trie.index, text + border - before, before + after)
            else:
                joined = find_rank(self.listed, one, other)
            if joined < limit:
                return 0
            if self.reached(one) < 0 or self.reached(other) < 0:
                return -1
            # (of two equal ones the left is merged first, so the right is taken back first)
            if self.left[one] < <uint32_t>UNREACHED and (
                self.left[other] >= <uint32_t>UNREACHED or rank_of(self.rank, one) > rank_of(self.rank, other)
            ):
                limit = rank_of(self.rank, one)
                one = self.right[one]
            elif self.left[other] < <uint32_t>UNREACHED:
                limit = rank_of(self.rank, other) + 1
                other = self.left[other]
            else:
                return 1

    cdef int merged_apart(self, const uint8_t* text, uint32_t count, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint32_t* ids = <uint32_t*>malloc(count * sizeof(uint32_t))
        cdef int64_t made
        cdef bint same
        if ids == NULL:
            return -1
        made = self.merge_text(text, count, ids, 1)
        if made == 2 and self.listed != NULL:
            same = ids[0] == one and ids[1] == other
        else:
            # (where ids are ranks, another token with the same bytes will do)
            same = made == 2 and (self.trie.offsets[ids[0] + 1] - self.trie.offsets[ids[0]]
                                  == self.trie.offsets[one + 1] - self.trie.offsets[one])
        free(ids)
        return -1 if made == BPE_NO_MEMORY else same

    def makes(self, bytes text not None):
        """What listed merges make of bytes, even of those of a token.

        Raises:
            TokenizerError: a byte is no token, or the merges are not listed.
        """
        cdef Ids ids = Ids(NULL, 0, 0)
        cdef const uint8_t* data = text
        cdef BpeStatus status
        cdef size_t i
        if self.listed == NULL:
            raise TokenizerError("makes: only of merges that are listed; encode the text instead")
        try:
            status = self.encode(data, len(text), False, &ids)
            if status == BPE_NO_MEMORY:
                raise MemoryError
            if status != BPE_OK:
                raise TokenizerError("the text has a byte that is no token of the vocabulary")
            return [ids.items[i] for i in range(ids.count)]
        finally:
            free(ids.items)

    def parts(self, token):
        """The two tokens of the last merge that makes a token; None if merging begins with it, () where its bytes give other
        tokens.

        Raises:
            TokenizerError: the id is out of range or has no bytes.
        """
        if not self.trie.token_bytes(token):
            raise TokenizerError(f"token {token} has no bytes")
        cdef uint32_t number = token
        if self.reached(number) < 0:
            raise MemoryError
        if self.left[number] >= <uint32_t>UNREACHED:
            return None if self.left[number] == <uint32_t>WHOLE else ()
        return self.left[number], self.right[number]

    def may_follow(self, one, other):
        """Whether the merges leave two tokens as they are, side by side in one pre-token.

        Raises:
            TokenizerError: an id is out of range.
        """
        for token in (one, other):
            if not self.trie.token_bytes(token):
                return False
            if self.reached(token) == 0:
                return False
        cdef int found = self.pair(one, other)
        if found < 0:
            raise MemoryError
        return found != 0
