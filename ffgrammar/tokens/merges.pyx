"""Which two tokens the merges of byte-pair encoding leave side by side.

Inside a piece a sequence of tokens is what the merges make of its bytes exactly if each two neighbours are, so all that there is
to know is a relation of pairs. A merge that joins something across two tokens joins a part that ends the first with a part that
begins the second, at a time when both parts are whole and no longer than they are then. Parts of a token are undone from the last
merge on: the later of the two last merges is taken back, and before each step it is asked whether what now stands at the border
makes a token that comes before what was taken back last. (The check of the crate bpe of rust-gems; also in Vieira et al.,
"Language Models over Canonical Byte-Pair Encodings". At most 14 look-ups on cl100k and o200k.)

Here a token's id is its rank, as in tiktoken, and two parts merge if their bytes are a token's. Where a token's rank is lower than
that of a part of it, merges do not come in the order of ranks, and pairs of such tokens are merged to see what comes of it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from ffgrammar.tokens.trie cimport TokenIndex, TokenTrie, index_find

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
    """The merges of a vocabulary whose ids are ranks.

    Args:
        trie: the vocabulary.
    """

    def __cinit__(self, TokenTrie trie not None):
        cdef uint32_t token
        self.trie = trie
        self.left = <uint32_t*>malloc((<size_t>trie.vocab_size + 1) * sizeof(uint32_t))
        self.right = <uint32_t*>malloc((<size_t>trie.vocab_size + 1) * sizeof(uint32_t))
        self.wild = <uint8_t*>calloc(<size_t>trie.vocab_size + 1, 1)
        if self.left == NULL or self.right == NULL or self.wild == NULL:
            raise MemoryError
        for token in range(trie.vocab_size):
            self.left[token] = UNKNOWN

    def __dealloc__(self):
        free(self.left)
        free(self.right)
        free(self.wild)

    cdef int split(self, uint32_t token) noexcept nogil:
        cdef uint32_t first = self.trie.offsets[token]
        cdef uint32_t count = self.trie.offsets[token + 1] - first
        cdef const uint8_t* text = self.trie.blob + first
        cdef uint32_t* start
        cdef int32_t left = -1
        cdef uint32_t right
        if count < 2:
            self.left[token] = WHOLE if count else UNREACHED
            return 0
        start = merge(&self.trie.index, text, count, 2)
        if start == NULL:
            return -1
        if start[2] == count:
            left = index_find(&self.trie.index, text, start[1])
            right = <uint32_t>index_find(&self.trie.index, text + start[1], count - start[1])
        if left < 0:
            self.left[token] = UNREACHED
        elif self.reached(<uint32_t>left) < 0 or self.reached(right) < 0:
            free(start)
            return -1
        else:
            # (`left` last: who finds it known finds the others known, too)
            self.right[token] = right
            self.wild[token] = self.is_late(<uint32_t>left, token) or self.is_late(right, token)
            self.left[token] = <uint32_t>left
        free(start)
        return 0

    cdef bint is_late(self, uint32_t part, uint32_t token) noexcept nogil:
        """Whether a part is merged after the token whose part it is could be, if it were by rank."""
        return self.wild[part] or (self.left[part] < <uint32_t>UNREACHED and part > token)

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
        if size + more > NEAR:
            text = <uint8_t*>malloc(<size_t>size + more)
            if text == NULL:
                return -1
        memcpy(text, self.trie.blob + self.trie.offsets[one], size)
        memcpy(text + size, self.trie.blob + self.trie.offsets[other], more)
        if self.reached(one) < 0 or self.reached(other) < 0:
            status = -1
        elif self.wild[one] or self.wild[other]:
            status = self.merged_apart(text, size, size + more)
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
            before = self.trie.offsets[one + 1] - self.trie.offsets[one]
            after = self.trie.offsets[other + 1] - self.trie.offsets[other]
            joined = <uint32_t>index_find(&self.trie.index, text + border - before, before + after)
            if joined < limit:
                return 0
            if self.reached(one) < 0 or self.reached(other) < 0:
                return -1
            # (of two equal ones the left is merged first, so the right is taken back first)
            if self.left[one] < <uint32_t>UNREACHED and (one > other or self.left[other] >= <uint32_t>UNREACHED):
                limit = one
                one = self.right[one]
            elif self.left[other] < <uint32_t>UNREACHED:
                limit = other + 1
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
        """Whether the merges leave two tokens as they are, side by side in one piece."""
        for token in (one, other):
            if not self.trie.token_bytes(token):
                return False
            if self.reached(token) == 0:
                return False
        cdef int found = self.pair(one, other)
        if found < 0:
            raise MemoryError
        return found != 0
