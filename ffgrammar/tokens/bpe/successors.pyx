"""For a token, all tokens that merges leave beside it.

A merge c = (x, y) joins something across the border of a and b if x ends a and y begins b, and it comes before the merges that
take x and y into what they are parts of. The x are few: a, the right part of a, its right part, ... The tokens that begin with y,
in this sense, are the tree below y when each token hangs from its left part; and those of them in which the merge of y comes
later than c are the ones below y's children of a higher rank. With the children of a token in descending order that is one range
in the tree's preorder, from y on, which depends on c alone. So what cannot follow a is a union of ranges, one for each c that
begins with an x. (A c that comes before the merges of its own parts waits for these: the later of the three ranks counts. And
tokens whose merges come in another order than that of ranks are asked for one by one.) (100,000 tokens on cl100k: 30 us a token
where pairs one by one take 6 ms.)
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.tokens.bpe.merges cimport UNREACHED, Merges, rank_of
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    NO_LIMIT = 0xFFFFFFFF


cdef class Successors:
    """The successors of all tokens, each found when it is asked for.

    Args:
        merges: of the vocabulary.
        max_bytes: how much of what was found is kept. Over it all is dropped.
    """

    def __cinit__(self, Merges merges not None, size_t max_bytes=16 << 20):
        self.merges = merges
        self.max_bytes = max_bytes
        self.kept = {}
        self.build()

    def __dealloc__(self):
        free(self.by_rank)
        free(self.out_of_order)
        free(self.place)
        free(self.token)
        free(self.end)
        free(self.first)
        free(self.below)
        free(self.stop)
        free(self.least)

    cdef uint32_t later(self, uint32_t token, uint32_t part) noexcept nogil:
        """The rank of a token's last merge, or that of a part's if this is later."""
        cdef uint32_t rank = rank_of(self.merges.rank, token)
        if self.merges.left[part] < <uint32_t>UNREACHED and rank_of(self.merges.rank, part) > rank:
            return rank_of(self.merges.rank, part)
        return rank

    cdef int build(self) except -1:
        cdef TokenTrie trie = self.merges.trie
        cdef const uint32_t* left = self.merges.left
        cdef uint32_t size = trie.vocab_size
        cdef uint32_t number, at, parent, rank, low, high, middle
        cdef size_t room = <size_t>size + 2
        cdef bytearray mask = bytearray(sizeof(uint32_t) * (<size_t>trie.n_words + 1))
        cdef uint32_t* words = <uint32_t*>PyByteArray_AS_STRING(mask)
        self.by_rank = <uint32_t*>calloc(<size_t>self.merges.ranks + 1, sizeof(uint32_t))
        self.out_of_order = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.place = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.token = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.end = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.first = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.below = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.stop = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.least = <uint32_t*>calloc(room, sizeof(uint32_t))
        if not (self.by_rank and self.out_of_order and self.place and self.token and self.end and self.first and self.below):
            raise MemoryError
        if not (self.stop and self.least):
            raise MemoryError
        for rank in range(self.merges.ranks):
            self.by_rank[rank] = NO_LIMIT
        for number in range(size):
            if self.merges.reached(number) < 0:
                raise MemoryError
            if left[number] == <uint32_t>UNREACHED or trie.find_token(
                    trie.blob + trie.offsets[number], trie.offsets[number + 1] - trie.offsets[number]) != <int>number:
                self.place[number] = NO_LIMIT
                continue
            words[number >> 5] |= <uint32_t>1 << (number & 31)
            if self.merges.out_of_order[number]:
                self.out_of_order[self.wild_count] = number
                self.wild_count += 1
            if left[number] < <uint32_t>UNREACHED:
                self.first[left[number] + 2] += 1
                self.by_rank[rank_of(self.merges.rank, number)] = number
        self.everything = bytes(mask)
        # (shifted by one, so that filling them leaves `first` where it belongs)
        for number in range(size + 1):
            self.first[number + 1] += self.first[number]
        for rank in range(self.merges.ranks, 0, -1):
            number = self.by_rank[rank - 1]
            if number != <uint32_t>NO_LIMIT:
                parent = left[number]
                self.below[self.first[parent + 1]] = number
                self.first[parent + 1] += 1
        for number in range(size):
            if self.place[number] == 0 and left[number] > <uint32_t>UNREACHED:
                self.number_tree(number)
        for number in range(size):
            if self.place[number] == <uint32_t>NO_LIMIT or left[number] >= <uint32_t>UNREACHED:
                continue
            # which of the right part's children are made after this token, and after its left part; and what `limit` must be
            # above
            at = self.merges.right[number]
            self.least[number] = self.later(number, at)
            rank = self.later(number, left[number])
            low = self.first[at]
            high = self.first[at + 1]
            while low < high:
                middle = (low + high) >> 1
                if rank_of(self.merges.rank, self.below[middle]) >= rank:
                    low = middle + 1
                else:
                    high = middle
            self.stop[number] = self.place[self.below[low]] if low < self.first[at + 1] else self.end[at]
        return 0

    cdef void number_tree(self, uint32_t root) noexcept nogil:
        """Give places to a token and all below it."""
        cdef uint32_t at = root
        while True:
            # down to the first child; `stop` is used for the next one of each
            self.place[at] = self.count
            self.token[self.count] = at
            self.count += 1
            self.stop[at] = self.first[at]
            while self.stop[at] == self.first[at + 1]:
                self.end[at] = self.count
                if at == root:
                    return
                at = self.merges.left[at]
            self.stop[at] += 1
            at = self.below[self.stop[at] - 1]

    cdef bytes find(self, uint32_t one):
        cdef bytearray mask
        cdef size_t size
        found = self.kept.get(one)
        if found is None:
            mask = bytearray(self.everything)
            self.fill(one, <uint32_t*>PyByteArray_AS_STRING(mask))
            found = bytes(mask)
            size = <size_t>len(found)
            if (<size_t>len(self.kept) + 1) * size > self.max_bytes:
                self.kept = {}
            if size <= self.max_bytes:
                self.kept[one] = found
        return <bytes>found

    cdef int fill(self, uint32_t one, uint32_t* mask) except -1:
        """Take away what cannot follow. Each c with the left part x has one range: from its right part's place to `stop`; it
        counts if x stays what it is for longer than `least`."""
        cdef uint32_t x = one
        cdef uint32_t limit = NO_LIMIT
        cdef uint32_t i, at, token
        if self.merges.out_of_order[one]:
            for token in range(self.merges.trie.vocab_size):
                self.ask(one, token, mask)
            return 0
        while True:
            for i in range(self.first[x], self.first[x + 1]):
                if self.least[self.below[i]] < limit:
                    for at in range(self.place[self.merges.right[self.below[i]]], self.stop[self.below[i]]):
                        token = self.token[at]
                        mask[token >> 5] &= ~(<uint32_t>1 << (token & 31))
            if self.merges.left[x] >= <uint32_t>UNREACHED:
                break
            limit = rank_of(self.merges.rank, x)
            x = self.merges.right[x]
        for i in range(self.wild_count):
            mask[self.out_of_order[i] >> 5] |= <uint32_t>1 << (self.out_of_order[i] & 31)
            self.ask(one, self.out_of_order[i], mask)
        return 0

    cdef int ask(self, uint32_t one, uint32_t other, uint32_t* mask) except -1:
        """Take away a token that cannot follow."""
        cdef int status
        if mask[other >> 5] >> (other & 31) & 1:
            status = self.merges.pair(one, other)
            if status < 0:
                raise MemoryError
            if not status:
                mask[other >> 5] &= ~(<uint32_t>1 << (other & 31))
        return 0

    def after(self, token):
        """The mask of what merges leave beside a token, as bytes: little-endian words of 32 bits, and one more word.

        Raises TokenizerError if the id is out of range. Empty for a token that merges do not make.
        """
        if not self.merges.trie.token_bytes(token) or self.merges.reached(token) != 1:
            return bytes(len(self.everything))
        return self.find(token)
