"""For a token, all tokens that merges leave after it, as a mask. These are its successors.

`Merges.may_follow` answers for one pair, `Successors` for a token and all its successors at once. Its constructor makes tables
for the whole vocabulary, which takes 60 to 100 ms on cl100k. After that a token costs 30 us. To check its pairs one by one
takes 6 ms.

    successors = Successors(merges)
    mask = successors.after(token)    # bit t & 31 of the little-endian word t >> 5: whether token t may follow

Which tokens b cannot follow a token a? Those where some merge c = (x, y) joins the two across their border: x is a part at the
end of a, y is a part at the beginning of b, and c comes before the merges that take x and y into larger parts of a and b. There
are few x: a itself, the right part of a, the right part of that, and so on. To find the b of a c, make each token a child of its
left part. The tokens with y as a part at their beginning are then y and the tree below it. Only those count in which y still
stands alone when c comes. These are y itself and the trees of those children of y whose rank is not below that of c. With the
children of a token in descending order of rank, these tokens are one range of the tree's preorder. The range begins at y, and
depends on c alone. So the tokens that cannot follow a are a union of ranges. There is one for each c whose left part is an x, if
c comes before the merge of this x inside a.

Two cases are special. If a part of c is made by a merge of a higher rank than that of c, c has to wait for this merge, so the
highest of the three ranks counts. And tokens whose merges do not come in the order of ranks are checked pair by pair.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.bits cimport bit_clear, bit_set, bit_test
from ffgrammar.tokens.bpe.merges cimport UNREACHED, Merges, rank_of
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    NO_LIMIT = 0xFFFFFFFF


cdef class Successors:
    """The successors of all tokens. Those of a token are found when they are first asked for.

    Args:
        merges: the merges of the vocabulary.
        max_bytes: how many bytes of masks are kept. A mask that would exceed this drops those kept before.
    """

    def __cinit__(self, Merges merges not None, size_t max_bytes=16 << 20):
        self.merges = merges
        self.max_bytes = max_bytes
        self.kept = {}
        self.allocate()
        self.list_tokens()
        self.link_children()
        self.number_trees()
        self.find_stops()

    def __dealloc__(self):
        free(self.memory)

    def after(self, token):
        """The mask of the successors of a token, as bytes: little-endian words of 32 bits, one more than other masks have. It
        is all zeros for a token that merges do not make.

        Raises:
            TokenizerError: the id is out of range.
        """
        if not self.merges.trie.token_bytes(token) or self.merges.reached(token) != 1:
            return bytes(len(self.everything))
        return self.find(token)

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

    cdef int allocate(self) except -1:
        cdef size_t room = <size_t>self.merges.trie.vocab_size + 2
        self.memory = <uint32_t*>calloc(8 * room + self.merges.ranks + 1, sizeof(uint32_t))
        if self.memory == NULL:
            raise MemoryError
        self.out_of_order = self.memory
        self.position = self.memory + room
        self.token = self.memory + 2 * room
        self.end = self.memory + 3 * room
        self.first = self.memory + 4 * room
        self.children = self.memory + 5 * room
        self.stop = self.memory + 6 * room
        self.least = self.memory + 7 * room
        self.by_rank = self.memory + 8 * room
        return 0

    cdef int list_tokens(self) except -1:
        """Fill `everything`, `out_of_order` and `by_rank`. Count the children of token t in first[t + 2]."""
        cdef TokenTrie trie = self.merges.trie
        cdef const uint32_t* left = self.merges.left
        cdef uint32_t token, rank
        cdef bytearray mask = bytearray(sizeof(uint32_t) * (<size_t>trie.n_words + 1))
        cdef uint32_t* words = <uint32_t*>PyByteArray_AS_STRING(mask)
        for rank in range(self.merges.ranks):
            self.by_rank[rank] = NO_LIMIT
        for token in range(trie.vocab_size):
            if self.merges.reached(token) < 0:
                raise MemoryError
            if left[token] == <uint32_t>UNREACHED or trie.find_token(
                    trie.blob + trie.offsets[token], trie.offsets[token + 1] - trie.offsets[token]) != <int>token:
                self.position[token] = NO_LIMIT
                continue
            bit_set(words, token)
            if self.merges.out_of_order[token]:
                self.out_of_order[self.out_of_order_count] = token
                self.out_of_order_count += 1
            if left[token] < <uint32_t>UNREACHED:
                self.first[left[token] + 2] += 1
                self.by_rank[rank_of(self.merges.rank, token)] = token
        self.everything = bytes(mask)
        return 0

    cdef void link_children(self) noexcept nogil:
        """Fill `children`, in descending order of rank."""
        cdef uint32_t token, parent, rank
        for token in range(self.merges.trie.vocab_size + 1):
            self.first[token + 1] += self.first[token]
        # (for now first[t + 1] is where the next child of token t goes; once all lists are filled, it is where they end)
        for rank in range(self.merges.ranks, 0, -1):
            token = self.by_rank[rank - 1]
            if token != <uint32_t>NO_LIMIT:
                parent = self.merges.left[token]
                self.children[self.first[parent + 1]] = token
                self.first[parent + 1] += 1

    cdef void number_trees(self) noexcept nogil:
        cdef uint32_t token
        for token in range(self.merges.trie.vocab_size):
            if self.position[token] == 0 and self.merges.left[token] > <uint32_t>UNREACHED:
                self.number_tree(token)

    cdef void number_tree(self, uint32_t root) noexcept nogil:
        cdef uint32_t at = root
        while True:
            # Go down to the first child. (find_stops fills `stop` later. Until then it says which child of a token on the way is
            # visited next.)
            self.position[at] = self.count
            self.token[self.count] = at
            self.count += 1
            self.stop[at] = self.first[at]
            while self.stop[at] == self.first[at + 1]:
                self.end[at] = self.count
                if at == root:
                    return
                at = self.merges.left[at]
            self.stop[at] += 1
            at = self.children[self.stop[at] - 1]

    cdef void find_stops(self) noexcept nogil:
        """Fill `stop` and `least`. First among the children of the right part are those that merge no earlier than this token
        and no earlier than its left part. `stop` is the position after their trees. `least` is the rank of this token or of
        its right part, whichever is higher."""
        cdef uint32_t token, right, rank, low, high, middle
        for token in range(self.merges.trie.vocab_size):
            if self.position[token] == <uint32_t>NO_LIMIT or self.merges.left[token] >= <uint32_t>UNREACHED:
                continue
            right = self.merges.right[token]
            self.least[token] = self.later(token, right)
            rank = self.later(token, self.merges.left[token])
            low = self.first[right]
            high = self.first[right + 1]
            while low < high:
                middle = (low + high) >> 1
                if rank_of(self.merges.rank, self.children[middle]) >= rank:
                    low = middle + 1
                else:
                    high = middle
            if low < self.first[right + 1]:
                self.stop[token] = self.position[self.children[low]]
            else:
                self.stop[token] = self.end[right]

    cdef uint32_t later(self, uint32_t token, uint32_t part) noexcept nogil:
        cdef uint32_t rank = rank_of(self.merges.rank, token)
        if self.merges.left[part] < <uint32_t>UNREACHED and rank_of(self.merges.rank, part) > rank:
            return rank_of(self.merges.rank, part)
        return rank

    cdef int fill(self, uint32_t one, uint32_t* mask) except -1:
        cdef uint32_t x = one
        cdef uint32_t limit = NO_LIMIT  # the rank of the merge that takes x into a larger part of `one`
        cdef uint32_t i, at, merged, token
        if self.merges.out_of_order[one]:
            for token in range(self.merges.trie.vocab_size):
                self.check(one, token, mask)
            return 0
        while True:
            for i in range(self.first[x], self.first[x + 1]):
                merged = self.children[i]
                if self.least[merged] < limit:
                    for at in range(self.position[self.merges.right[merged]], self.stop[merged]):
                        bit_clear(mask, self.token[at])
            if self.merges.left[x] >= <uint32_t>UNREACHED:
                break
            limit = rank_of(self.merges.rank, x)
            x = self.merges.right[x]
        for i in range(self.out_of_order_count):
            bit_set(mask, self.out_of_order[i])
            self.check(one, self.out_of_order[i], mask)
        return 0

    cdef int check(self, uint32_t one, uint32_t other, uint32_t* mask) except -1:
        cdef int status
        if bit_test(mask, other):
            status = self.merges.pair(one, other)
            if status < 0:
                raise MemoryError
            if not status:
                bit_clear(mask, other)
        return 0
