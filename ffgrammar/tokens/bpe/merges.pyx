"""Which two tokens the merges of byte-pair encoding leave side by side.

Inside a pre-token a sequence of tokens is what the merges make of its bytes exactly if each two neighbours are, so all that there
is to know is a relation of pairs. A merge that joins something across two tokens joins a part that ends the first with a part
that begins the second, at a time when both parts are whole and no longer than they are then. Parts of a token are undone from the
last merge on: the later of the two last merges is taken back, and before each step it is asked whether what now stands at the
border makes a token that comes before what was taken back last. (The check of the crate bpe of rust-gems; also in Vieira et al.,
"Language Models over Canonical Byte-Pair Encodings". At most 14 look-ups on cl100k and o200k.)

There are two kinds of vocabularies. In tiktoken's a token's id is its rank, and two parts merge if their bytes are a token's. In
those of Hugging Face merges are listed (merge_list.pyx); a token's rank is then that of the last merge when its own bytes are
merged. Where that is lower than the rank of a part of it, merges do not come in the order of ranks, and pairs of such tokens are
merged to see what comes of it.

What merges begin with is bytes, or characters: then a character that is no token becomes a token for each of its bytes, and these
merge with nothing.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from ffgrammar.core.utf8 cimport Utf8, utf8_step
from ffgrammar.tokens.bpe.merge_loop cimport BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids, bpe_piece
from ffgrammar.tokens.bpe.merge_list cimport Pair, MergeList, find_pair, merge_ids
from ffgrammar.tokens.vocabulary.trie cimport TokenIndex, TokenTrie, index_find

from ffgrammar.core.errors import TokenizerError

cdef enum:
    NEAR = 512  # bytes of two tokens that are put side by side without asking for memory


cdef uint32_t* merge(const TokenIndex* index, const uint8_t* text, uint32_t count, uint32_t least) noexcept nogil:
    """Where the parts start that the merges leave of two bytes or more, once there are no more than `least`; the last entry is
    `count`. To be freed; NULL if there is no memory. (Quadratic, in the length of a token.)"""
    cdef uint32_t* start = <uint32_t*>malloc((2 * <size_t>count + 1) * sizeof(uint32_t))
    cdef uint32_t* rank = start + count + 1  # of a part with the next
    cdef uint32_t parts = count
    cdef uint32_t i, at, best
    if start == NULL:
        return NULL
    for i in range(count + 1):
        start[i] = i
    for i in range(count - 1):
        rank[i] = <uint32_t>index_find(index, text + i, 2)
    while parts > least:
        best = WHOLE
        at = 0
        for i in range(parts - 1):
            if rank[i] < best:
                best = rank[i]
                at = i
        if best == WHOLE:
            break
        parts -= 1
        for i in range(at + 1, parts):
            start[i] = start[i + 1]
            rank[i] = rank[i + 1]
        start[parts] = count
        if at + 1 < parts:
            rank[at] = <uint32_t>index_find(index, text + start[at], start[at + 2] - start[at])
        if at:
            rank[at - 1] = <uint32_t>index_find(index, text + start[at - 1], start[at + 1] - start[at - 1])
    return start


cdef class Merges:
    """The merges of a vocabulary.

    Args:
        trie: the vocabulary.
        pairs: the merges as they are listed; None if ids are ranks.
        byte_tokens: by byte, the token that stands for it in a character that is no token (None if there is none); None if merges
            begin with bytes. Only together with `pairs`.
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
                    return NO_BYTE
                made += 1
                at += 1
        return made

    cdef int64_t merge_text(self, const uint8_t* text, size_t count, uint32_t* ids, uint32_t least) noexcept nogil:
        """The tokens that listed merges leave of bytes, once there are no more than `least`."""
        cdef int64_t made = self.first_tokens(text, count, ids)
        return merge_ids(self.listed, ids, <uint32_t>made, least) if made > 0 else made

    cdef BpeStatus encode(self, const uint8_t* text, size_t count, bint whole, Ids* out) noexcept nogil:
        cdef size_t room
        cdef uint32_t* items
        cdef int64_t made
        cdef int32_t token = -1
        if self.listed == NULL:
            return bpe_piece(&self.trie.index, text, count, out)
        if count > out.room - out.count:
            room = 2 * out.room + count + 64
            items = <uint32_t*>realloc(out.items, room * sizeof(uint32_t))
            if items == NULL:
                return BPE_NO_MEMORY
            out.items = items
            out.room = room
        if whole:
            token = index_find(&self.trie.index, text, count)
        if token >= 0:
            out.items[out.count] = <uint32_t>token
            out.count += 1
            return BPE_OK
        made = self.merge_text(text, count, out.items + out.count, 1)
        if made < 0:
            return BPE_NO_BYTE if made == NO_BYTE else BPE_NO_MEMORY
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
        cdef const uint8_t* text = self.trie.blob + first
        cdef uint32_t* made
        cdef int32_t found
        if self.listed != NULL:
            return self.find_listed_parts(token, text, count, left, right)
        if count < 2:
            left[0] = WHOLE if count else UNREACHED
            return 0
        made = merge(&self.trie.index, text, count, 2)
        if made == NULL:
            return -1
        if made[2] == count:
            found = index_find(&self.trie.index, text, made[1])
            if found >= 0:
                left[0] = <uint32_t>found
                right[0] = <uint32_t>index_find(&self.trie.index, text + made[1], count - made[1])
        free(made)
        return 0

    cdef int find_listed_parts(
        self, uint32_t token, const uint8_t* text, uint32_t count, uint32_t* left, uint32_t* right
    ) noexcept nogil:
        cdef uint32_t[NEAR] near
        cdef uint32_t* ids = near
        cdef const Pair* pair
        cdef int64_t made
        if count > NEAR:
            ids = <uint32_t*>malloc(count * sizeof(uint32_t))
            if ids == NULL:
                return -1
        made = self.merge_text(text, count, ids, 2)
        if made == 1 and ids[0] == token:
            left[0] = WHOLE
        elif made == 2:
            pair = find_pair(self.listed, ids[0], ids[1])
            if pair != NULL and pair.result == token:
                self.rank[token] = pair.rank
                left[0] = ids[0]
                right[0] = ids[1]
        if ids != near:
            free(ids)
        return -1 if made == -1 else 0

    cdef bint is_late(self, uint32_t part, uint32_t token) noexcept nogil:
        """Whether a part is merged after the token whose part it is could be, if it were by rank."""
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
        if not out_of_order:
            status = self.side_by_side(text, size, one, other)
        elif self.listed == NULL:
            status = self.merged_apart(text, size, size + more)
        else:
            status = self.listed_apart(text, size + more, one, other)
        if text != near:
            free(text)
        return status

    cdef int side_by_side(self, const uint8_t* text, uint32_t border, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint32_t before, after, joined
        cdef const Pair* pair
        # A merge across the border counts if it comes before the one that was taken back last: its rank is below this.
        cdef uint32_t limit = WHOLE
        while True:
            if self.listed == NULL:
                before = self.trie.offsets[one + 1] - self.trie.offsets[one]
                after = self.trie.offsets[other + 1] - self.trie.offsets[other]
                joined = <uint32_t>index_find(&self.trie.index, text + border - before, before + after)
            else:
                pair = find_pair(self.listed, one, other)
                joined = pair.rank if pair != NULL else <uint32_t>WHOLE
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

    cdef int merged_apart(self, const uint8_t* text, uint32_t border, uint32_t count) noexcept nogil:
        """The same by definition: the merges of all bytes leave two parts."""
        cdef uint32_t* start = merge(&self.trie.index, text, count, 1)
        cdef int found = -1
        if start != NULL:
            found = start[1] == border and start[2] == count
            free(start)
        return found

    cdef int listed_apart(self, const uint8_t* text, uint32_t count, uint32_t one, uint32_t other) noexcept nogil:
        cdef uint32_t* ids = <uint32_t*>malloc(count * sizeof(uint32_t))
        cdef int64_t made
        if ids == NULL:
            return -1
        made = self.merge_text(text, count, ids, 1)
        made = -1 if made == -1 else made == 2 and ids[0] == one and ids[1] == other
        free(ids)
        return <int>made

    def makes(self, bytes text not None):
        """What merges make of bytes, even of those of a token. Raises TokenizerError if a byte is no token."""
        cdef Ids ids = Ids(NULL, 0, 0)
        cdef const uint8_t* data = text
        cdef BpeStatus status
        cdef size_t i
        if self.listed == NULL:
            raise TokenizerError("makes: only of merges that are listed")
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
        """The two tokens of the last merge that makes a token; None for a single byte, () where its bytes give other
        tokens. Raises TokenizerError if the id is out of range or has no bytes."""
        if not self.trie.token_bytes(token):
            raise TokenizerError(f"token {token} has no bytes")
        cdef uint32_t number = token
        if self.reached(number) < 0:
            raise MemoryError
        if self.left[number] >= <uint32_t>UNREACHED:
            return None if self.left[number] == <uint32_t>WHOLE else ()
        return self.left[number], self.right[number]

    def may_follow(self, one, other):
        """Whether the merges leave two tokens as they are, side by side in one pre-token."""
        for token in (one, other):
            if not self.trie.token_bytes(token):
                return False
            if self.reached(token) == 0:
                return False
        cdef int found = self.pair(one, other)
        if found < 0:
            raise MemoryError
        return found != 0
