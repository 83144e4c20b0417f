"""Which two tokens can stand side by side after the merges of byte-pair encoding.

Inside a pre-token, a sequence of tokens is what the merges make of its bytes if and only if the same is true of each two
neighbours. So it is enough to know this of pairs, and a pair is checked without merging anything:

    merges = Merges(trie)
    merges.may_follow(one, other)     # whether the tokenizer may write `other` right after `one`
    merges.parts(one)                 # the two tokens of its last merge

The parts of a token are the two tokens that its last merge joins. They may have parts in turn, which are also parts of the
token. A merge across the border of two tokens joins a part at the end of the first token with a part at the beginning of the
second one. (Either may be the whole token.) It can happen only while these two parts stand at the border, before they merge
into something larger inside their own tokens. So the check first asks whether the two tokens themselves merge. Then it undoes
merges one by one. Each step looks at the two parts at the border, and undoes the later one of their last merges. Then it asks
whether the two parts that stand at the border after this step would merge before the merge that was just undone. This takes at
most 14 look-ups on cl100k and o200k. The crate bpe of rust-gems does the same check, which is also in Vieira et al., "Language
Models over Canonical Byte-Pair Encodings".

There are two kinds of vocabularies. In tiktoken's vocabularies a token's id is its rank, and two parts merge if their bytes
together are those of a token. Hugging Face's vocabularies come with a list of merges (merge_list.pyx), and a token's rank is that
of the last merge when its own bytes are merged.

A token's merges come in the order of ranks if none of its parts, at any depth, has a higher rank than the token that it merges
into. If a token's merges come in another order, a pair with this token is checked by merging the bytes of both tokens.

The parts of a token are found when they are first asked for, by merging the token's bytes. Where the parts of all tokens are
needed, there are two faster ways: split_all.pyx, and for the embedded encodings the packed lengths of the left parts
(left_lengths.pyx).

Merging begins with bytes or with characters. In the second case, a character that is no token becomes one token for each of its
bytes, and these tokens merge with nothing.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from ffgrammar.core.fresh_pages cimport fresh_memory
from ffgrammar.core.threads cimport atomic_load, atomic_load_word, atomic_put, atomic_put_word
from ffgrammar.core.utf8 cimport Utf8, utf8_step
from ffgrammar.tokens.bpe.ids cimport BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids, ids_reserve
from ffgrammar.tokens.bpe.merge_list cimport NEVER, MergeList, find_rank, result_of
from ffgrammar.tokens.bpe.merge_loop cimport encode_pretoken, merge_bytes, merge_ids
from ffgrammar.tokens.vocabulary.token_index cimport index_find, mix
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

from ffgrammar.core.errors import TokenizerError

cdef enum:
    KEPT_PAIRS = 1 << 17  # how many answers of `pair` are kept
    NEAR = 512  # arrays for up to this many bytes of tokens are put on the stack, larger arrays are allocated


cdef inline uint64_t pair_key(uint32_t one, uint32_t other) noexcept nogil:
    """An entry of `kept_pairs` with the answer 0."""
    return <uint64_t>one << 33 | <uint64_t>other << 2 | 1


@cython.final
cdef class Merges:
    """The merges of a vocabulary.

    Args:
        trie: the vocabulary.
        pairs: the listed merges; None if ids are ranks.
        byte_tokens: None if merging begins with bytes. If it begins with characters: a list with an entry for each of the 256
            bytes. The entry is the token that stands for this byte of a character that is no token, or None if there is no such
            token. Only with `pairs`.
        renamed: None, or ids, if each merge is known to make a token whose bytes are those of its two tokens, unless one of the
            three is among these ids. (Comparing bytes takes a quarter of the time to find the parts of all tokens.)

    Raises:
        TokenizerError: a token for a byte, or a token that a merge makes, is out of range.
    """

    def __cinit__(self, TokenTrie trie not None, MergeList pairs=None, byte_tokens=None, renamed=None):
        cdef uint32_t token, byte, position
        cdef uint8_t[1] text
        cdef int32_t found
        cdef size_t room = <size_t>trie.vocab_size + 1
        cdef bint is_named = pairs is not None and renamed is not None
        cdef bint has_bytes
        # (listed merges merge few tokens before a first mask, and to make the index takes 3 ms on Gemma 3)
        if pairs is None or trie.long_count:
            trie.need_index()
        self.trie = trie
        self.pairs = pairs
        self.by_token = <TokenParts*>fresh_memory(room, sizeof(TokenParts))
        self.kept_pairs = <uint64_t*>calloc(KEPT_PAIRS, sizeof(uint64_t))
        if self.kept_pairs == NULL:
            raise MemoryError
        for token in range(trie.vocab_size):
            has_bytes = trie.offsets[token] < trie.offsets[token + 1]
            self.by_token[token] = TokenParts(
                UNKNOWN, UNKNOWN, token if pairs is None else 0, False, False, False, is_named and not has_bytes)
        self.ranks = trie.vocab_size
        memset(self.byte_token, 0xFF, sizeof(self.byte_token))
        if pairs is None:
            return
        self.listed = &pairs.index
        self.ranks = pairs.ranks
        for position in range(pairs.index.count):
            token = pairs.index.merges[position].result
            if token >= trie.vocab_size:
                raise TokenizerError(f"a merge makes token {token}, and there are {trie.vocab_size}")
            self.by_token[token].is_made = True
        if renamed is not None:
            self.by_names = True
            for number in renamed:
                if 0 <= number < trie.vocab_size:
                    self.by_token[<uint32_t>number].is_renamed = True
        if byte_tokens is None:
            for byte in range(256):
                text[0] = <uint8_t>byte
                found = trie.find_token(text, 1)
                if found >= 0:
                    self.byte_token[byte] = <uint32_t>found
        else:
            self.by_characters = True
            for byte, number in enumerate(byte_tokens):
                if number is not None:
                    trie.token_bytes(number)
                    self.byte_token[byte] = number
                    self.by_token[self.byte_token[byte]].is_byte = True

    def __dealloc__(self):
        free(self.by_token)
        free(self.kept_pairs)

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
                        token = self.trie.find_token(text + at, after - at)
                        break
                else:
                    after = at + 1
                if token >= 0 and not self.by_token[token].is_byte:
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
            token = self.trie.find_token(text, count)
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
        return self.note(token, left, right)

    cdef int note(self, uint32_t token, uint32_t left, uint32_t right) noexcept nogil:
        if left < <uint32_t>UNREACHED:
            if self.reached(left) < 0 or self.reached(right) < 0:
                return -1
            self.by_token[token].right = right
            self.by_token[token].out_of_order = self.is_late(left, token) or self.is_late(right, token)
        # (written last: a thread that finds `left` known must find the other tables filled in too)
        atomic_put(&self.by_token[token].left, left)
        return 0

    cdef uint32_t find_right(self, uint32_t token) noexcept nogil:
        cdef uint32_t left = self.by_token[token].left
        cdef uint32_t begin = self.trie.offsets[token] + self.trie.offsets[left + 1] - self.trie.offsets[left]
        cdef int32_t right = index_find(&self.trie.index, self.trie.blob + begin, self.trie.offsets[token + 1] - begin)
        # (With the packed lengths of another vocabulary there may be no such token. Then any id inside the tables will do.)
        atomic_put(&self.by_token[token].right, <uint32_t>max(right, 0))
        return <uint32_t>max(right, 0)

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
        if self.listed != NULL and not self.by_token[token].is_made:
            # (no merge makes this token, so it is reached only if merging begins with it)
            made = self.first_tokens(self.trie.blob + first, count, ids)
        else:
            made = self.merge_text(self.trie.blob + first, count, ids, 2)
        if made == 1 and (self.listed == NULL or ids[0] == token):
            left[0] = WHOLE
        elif made == 2 and self.listed == NULL:
            left[0] = ids[0]
            right[0] = ids[1]
        elif made == 2:
            rank = find_rank(self.listed, ids[0], ids[1])
            if rank < self.ranks and result_of(self.listed, rank) == token:
                self.by_token[token].rank = rank
                left[0] = ids[0]
                right[0] = ids[1]
        if ids != near:
            free(ids)
        return -1 if made == BPE_NO_MEMORY else 0

    cdef bint is_late(self, uint32_t part, uint32_t token) noexcept nogil:
        return self.by_token[part].out_of_order or (
            self.by_token[part].left < <uint32_t>UNREACHED and self.by_token[part].rank > self.by_token[token].rank)

    cdef int reached(self, uint32_t token) noexcept nogil:
        cdef uint32_t left = atomic_load(&self.by_token[token].left)
        if left == <uint32_t>UNKNOWN:
            if self.split(token) < 0:
                return -1
            left = self.by_token[token].left
        return left != <uint32_t>UNREACHED

    cdef uint32_t made_at(self, uint32_t token) noexcept nogil:
        cdef uint32_t made
        if self.by_token[token].left >= <uint32_t>UNREACHED:
            return 0
        made = self.by_token[token].rank
        if self.by_token[token].out_of_order:
            made = max(made, max(self.made_at(self.by_token[token].left), self.made_at(self.right_part(token))))
        return made

    cdef int pair(self, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint64_t key = pair_key(one, other)
        cdef uint64_t* kept = &self.kept_pairs[mix(key) & (KEPT_PAIRS - 1)]
        cdef uint64_t found = atomic_load_word(kept)
        cdef int status
        if found & ~<uint64_t>2 == key:
            return found >> 1 & 1
        status = self.check_pair(one, other)
        if status >= 0:
            atomic_put_word(kept, key | <uint64_t>status << 1)
        return status

    cdef bint is_known_pair(self, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint64_t key = pair_key(one, other)
        return atomic_load_word(&self.kept_pairs[mix(key) & (KEPT_PAIRS - 1)]) == key | 2

    cdef void keep_pair(self, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint64_t key = pair_key(one, other)
        atomic_put_word(&self.kept_pairs[mix(key) & (KEPT_PAIRS - 1)], key | 2)

    cdef int check_pair(self, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint32_t size = self.trie.offsets[one + 1] - self.trie.offsets[one]
        cdef uint32_t more = self.trie.offsets[other + 1] - self.trie.offsets[other]
        cdef uint8_t[NEAR] near
        cdef uint8_t* text = near
        cdef int status
        cdef bint out_of_order
        if self.reached(one) < 0 or self.reached(other) < 0:
            return -1
        out_of_order = self.by_token[one].out_of_order or self.by_token[other].out_of_order
        if self.listed != NULL and not out_of_order:
            return find_rank(self.listed, one, other) == <uint32_t>NEVER and (
                undo_listed(self.by_token, self.listed, one, other))
        if self.listed != NULL and (self.by_token[one].is_byte or self.by_token[other].is_byte):
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
        if self.joined(text, border, one, other) != <uint32_t>NO_TOKEN:
            return 0
        return self.undo(text, border, one, other)

    cdef uint32_t joined(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint32_t before, after
        before = self.trie.offsets[one + 1] - self.trie.offsets[one]
        after = self.trie.offsets[other + 1] - self.trie.offsets[other]
        return <uint32_t>index_find(&self.trie.index, text + border - before, before + after)

    cdef int undo(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint32_t limit  # a merge across the border comes before the merge that was undone last if its rank is below this
        while True:
            if self.reached(one) < 0 or self.reached(other) < 0:
                return -1
            # (of two merges of equal rank the left one comes first, so the right one is undone first)
            if self.by_token[one].left < <uint32_t>UNREACHED and (
                self.by_token[other].left >= <uint32_t>UNREACHED or self.by_token[one].rank > self.by_token[other].rank
            ):
                limit = self.by_token[one].rank
                one = self.right_part(one)
            elif self.by_token[other].left < <uint32_t>UNREACHED:
                limit = self.by_token[other].rank + 1
                other = self.by_token[other].left
            else:
                return 1
            if self.joined(text, border, one, other) < limit:
                return 0

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
            # (if ids are ranks, another token with the same bytes is as good, so lengths are compared)
            same = made == 2 and (self.trie.offsets[ids[0] + 1] - self.trie.offsets[ids[0]]
                                  == self.trie.offsets[one + 1] - self.trie.offsets[one])
        free(ids)
        return -1 if made == BPE_NO_MEMORY else same

    def makes(self, bytes text not None):
        """The tokens that listed merges make of bytes, even if some token has exactly these bytes.

        Raises:
            TokenizerError: a byte has no token, or the merges are not listed.
        """
        cdef Ids ids = Ids(NULL, 0, 0)
        cdef const uint8_t* data = text
        cdef BpeStatus status
        cdef size_t i
        if self.listed == NULL:
            raise TokenizerError("makes() needs a vocabulary with a list of merges; this one has none: encode the text instead")
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
        """The two tokens of the last merge that makes a token. None if merging begins with the token. () if merging its bytes
        gives other tokens.

        Raises:
            TokenizerError: the id is out of range, or has no bytes.
        """
        if not self.trie.token_bytes(token):
            raise TokenizerError(f"token {token} has no bytes")
        cdef uint32_t number = token
        if self.reached(number) < 0:
            raise MemoryError
        if self.by_token[number].left >= <uint32_t>UNREACHED:
            return None if self.by_token[number].left == <uint32_t>WHOLE else ()
        return self.by_token[number].left, self.right_part(number)

    def has_merge(self, token):
        """Whether some merge of the list makes a token. False if merges are not listed.

        Raises:
            TokenizerError: the id is out of range.
        """
        self.trie.token_bytes(token)
        return bool(self.by_token[<uint32_t>token].is_made)

    def may_follow(self, one, other):
        """Whether two tokens can stand side by side in a pre-token, `one` before `other`. False if one of them has no bytes, or
        if merging its bytes gives other tokens.

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
