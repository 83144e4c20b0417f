"""The successors of a token, as a mask: all tokens that can stand after it, so that no merge joins the two or parts of them.

`Merges.may_follow` answers for one pair, `Successors` for a token and all its successors at once. The first call makes tables for
the whole vocabulary, which takes 1.5 ms on cl100k and 3.4 ms on o200k, once the parts of all tokens are known. After that a token
costs 3 to 5 us. (It would cost 5 to 8 us if the fields of a tree were kept in arrays of their own.) To check its pairs one by one
takes 6 ms.

    successors = Successors(merges)
    mask = successors.after(token)    # bit t & 31 of the little-endian word t >> 5: whether token t may follow

Which tokens `b` cannot follow a token `a`? Those where some merge `c` joins two tokens `x` and `y` across the border: `x` is a
part at the end of `a`, `y` is a part at the beginning of `b`, and `c` comes before the merges that take `x` and `y` into larger
parts of `a` and `b`. There are few `x`: `a` itself, the right part of `a`, the right part of that, and so on.

To find the `b`, let each token hang from its left part, as a child. The tree of `y` then has all tokens that have `y` at their
beginning, as a part or as the whole. Of these tokens, only those count in which `y` still stands alone when `c` comes: `y`
itself, and the trees of those children of `y` whose rank is not below that of `c`. With the children of a token in descending
order of rank, these tokens are one range of the tree's preorder. The range begins at `y`, and depends on `c` alone. So the tokens
that are forbidden after `a` form a union of ranges: one for each `c` whose left part is an `x`, if `c` comes before the merge
that takes this `x` into a larger part of `a`.

Two cases are special. If `x` or `y` is made by a merge of a higher rank than that of `c`, then `c` has to wait for this merge, so
the highest of the three ranks counts. And the merges of some tokens do not come in the order of ranks: then a token is made at the
highest rank of all its merges, as those of lower ranks follow at once. If `a` is such a token, each `x` stands alone from the rank
at which it is made to that at which it becomes a part of something larger. If these are the same, only merges `c` count that come
before the one that takes `x` into this larger part, and only those `y` that are made before. (On Gemma 3, runs of spaces are such
tokens. To check their pairs one by one takes up to 370 ms a token.) If `b` is such a token, the pair is checked. Few pairs need
this: the first merge across the border joins some `x` and some `y`, so `b` must have such a `y` at its beginning. (Checking all of
these pairs would take 90 us a token on Llama 3, which has some hundreds of such tokens.)
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_clear, bit_set, bit_test, bit_words
from ffgrammar.core.map cimport ABSENT, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_load, atomic_put
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.tokens.bpe.merges cimport UNREACHED, Merges, TokenParts
from ffgrammar.tokens.bpe.split_all cimport split_all
from ffgrammar.tokens.bpe.token_masks cimport TokenMasks


cdef inline uint32_t rank_of(Merges merges, uint32_t token) noexcept nogil:
    """The rank of a token's last merge. If ids are ranks, this needs no memory."""
    return token if merges.listed == NULL else merges.by_token[token].rank


cdef class Successors(TokenMasks):
    """The successors of all tokens. Those of a token are found when they are first asked for. Any number of threads may ask.

    Args:
        merges: the merges of the vocabulary.
        max_bytes: how many bytes of masks are kept. A mask that would exceed this drops masks that were not asked for lately.
    """

    def __cinit__(self, Merges merges not None, size_t max_bytes=16 << 20):
        vec_init(&self.children)
        vec_init(&self.children_at)
        vec_init(&self.loose)
        vec_init(&self.out_of_order)
        vec_init(&self.everything)
        vec_init(&self.late)
        vec_init(&self.late_found)
        vec_init(&self.has_late)
        if map_init(&self.late_at) < 0:
            raise MemoryError

    def __dealloc__(self):
        free(self.position)
        free(self.trees)
        vec_free(&self.children)
        vec_free(&self.children_at)
        vec_free(&self.loose)
        vec_free(&self.out_of_order)
        vec_free(&self.everything)
        vec_free(&self.late)
        vec_free(&self.late_found)
        vec_free(&self.has_late)
        map_free(&self.late_at)

    def after(self, token):
        """The mask of the successors of a token, as bytes: little-endian words of 32 bits, one more than other masks have. It
        is all zeros for a token that merges do not make. Of several tokens with equal bytes, ask about the one that the
        tokenizer writes.

        Raises:
            TokenizerError: the id is out of range.
        """
        return self.find_any(token)

    cdef int write(self, uint32_t one, uint32_t* mask) noexcept nogil:
        cdef int status = OK if self.is_made() else self.make()
        if status >= 0:
            memcpy(mask, self.everything.data, sizeof(uint32_t) * (<size_t>self.merges.trie.n_words + 1))
            status = self.fill(one, mask)
        return status

    cdef bint is_made(self) noexcept nogil:
        return atomic_load(&self.made)

    # ---- the tables

    cdef int make(self) noexcept nogil:
        cdef size_t room = <size_t>self.merges.trie.vocab_size + 1
        cdef uint32_t* size = <uint32_t*>malloc(room * sizeof(uint32_t))
        cdef uint32_t* by_rank = <uint32_t*>malloc((<size_t>self.merges.ranks + 1) * sizeof(uint32_t))
        cdef int status = NO_MEMORY
        # (an earlier call may have run out of memory half-way)
        free(self.position)
        free(self.trees)
        self.loose.len = self.out_of_order.len = self.everything.len = self.children.len = self.children_at.len = 0
        self.position = <uint32_t*>malloc(2 * room * sizeof(uint32_t))
        self.trees = <Tree*>calloc(room, sizeof(Tree))
        if size != NULL and by_rank != NULL and self.position != NULL and self.trees != NULL:
            self.token = self.position + room
            status = split_all(self.merges)
            if status >= 0:
                status = self.list_tokens(by_rank, size)
            if status >= 0:
                status = self.count_trees(by_rank, size)
            if status >= 0:
                status = vec_fill(&self.children_at, self.number_trees(by_rank, size), 0xFF)
            if status >= 0:
                status = self.list_late()
            if status >= 0:
                atomic_put(&self.made, 1)
        free(by_rank)
        free(size)
        return NO_MEMORY if status < 0 else OK

    cdef int list_tokens(self, uint32_t* by_rank, uint32_t* size) noexcept nogil:
        cdef const TokenParts* by_token = self.merges.by_token
        cdef uint32_t token
        cdef int status
        memset(by_rank, 0xFF, <size_t>self.merges.ranks * sizeof(uint32_t))
        memset(self.position, 0, <size_t>self.merges.trie.vocab_size * sizeof(uint32_t))
        self.drop_aliases()
        if vec_fill(&self.everything, <size_t>self.merges.trie.n_words + 1, 0) < 0:
            return NO_MEMORY
        for token in range(self.merges.trie.vocab_size):
            status = self.merges.reached(token)
            if status < 0:
                return NO_MEMORY
            if not status or self.position[token] == <uint32_t>NO_LIMIT:
                self.position[token] = NO_LIMIT
                continue
            size[token] = 1
            bit_set(self.everything.data, token)
            if self.merges.by_token[token].out_of_order and vec_push(&self.out_of_order, token) < 0:
                return NO_MEMORY
            if by_token[token].left < <uint32_t>UNREACHED:
                by_rank[rank_of(self.merges, token)] = token
        return OK

    cdef void drop_aliases(self) noexcept nogil:
        cdef const uint32_t* offsets = self.merges.trie.offsets
        cdef uint32_t i, token
        for i in range(self.merges.trie.alias_count):
            self.position[self.merges.trie.alias_id[i]] = NO_LIMIT
        for i in range(self.merges.trie.long_count):
            token = self.merges.trie.long_list[i]
            if self.merges.trie.find_token(
                    self.merges.trie.blob + offsets[token], offsets[token + 1] - offsets[token]) != <int>token:
                self.position[token] = NO_LIMIT

    cdef bint is_loose(self, uint32_t token) noexcept nogil:
        cdef uint32_t left = self.merges.by_token[token].left
        return self.position[left] == <uint32_t>NO_LIMIT or self.merges.later(token, left) != rank_of(self.merges, token)

    cdef int count_trees(self, const uint32_t* by_rank, uint32_t* size) noexcept nogil:
        cdef uint32_t rank, token
        for rank in range(self.merges.ranks, 0, -1):
            token = by_rank[rank - 1]
            if token == <uint32_t>NO_LIMIT:
                continue
            # (ranks go down here: when a token is added to its parent, its own tree has been counted)
            if not self.is_loose(token):
                size[self.merges.by_token[token].left] += size[token]
            elif vec_push(&self.loose, token) < 0:
                return NO_MEMORY
        return OK

    cdef uint32_t number_trees(self, const uint32_t* by_rank, const uint32_t* size) noexcept nogil:
        """Place the trees of the roots, then those of the other tokens, in ascending order of rank. A tree takes the last free
        positions in the tree of its parent. Meanwhile the `stop` of a tree is the end of its free positions."""
        cdef uint32_t count = 0
        cdef uint32_t rank, token
        cdef Tree* parent
        cdef size_t i
        for token in range(self.merges.trie.vocab_size):
            if self.position[token] != <uint32_t>NO_LIMIT and self.merges.by_token[token].left > <uint32_t>UNREACHED:
                count += size[token]
                self.place(token, count, size[token])
        for i in range(self.loose.len):
            count += size[self.loose.data[i]]
            self.place(self.loose.data[i], count, size[self.loose.data[i]])
        for rank in range(self.merges.ranks):
            token = by_rank[rank]
            if token != <uint32_t>NO_LIMIT and not self.is_loose(token):
                parent = &self.trees[self.position[self.merges.by_token[token].left]]
                parent.stop = self.place(token, parent.stop, size[token])
        for i in range(count):
            self.trees[i].stop = 0
        return count

    cdef int list_children(self, uint32_t at, uint32_t* count) noexcept nogil:
        cdef uint32_t[CHILD_WORDS] words
        cdef uint32_t child = at + 1
        cdef size_t begin = self.children.len
        if self.children_at.data[at] != <uint32_t>NO_LIMIT:
            count[0] = self.children.data[self.children_at.data[at]]
            return OK
        count[0] = 0
        if vec_push(&self.children, 0) < 0:
            return NO_MEMORY
        while child < self.trees[at].end:
            words[0] = rank_of(self.merges, self.token[child])
            words[1] = child
            if vec_extend(&self.children, words, CHILD_WORDS) < 0:
                self.children.len = begin
                return NO_MEMORY
            count[0] += 1
            child = self.trees[child].end
        self.children.data[begin] = count[0]
        self.children_at.data[at] = <uint32_t>begin
        return OK

    cdef const Child* children_of(self, uint32_t at) noexcept nogil:
        return <const Child*>(self.children.data + self.children_at.data[at] + 1)

    cdef int list_late(self) noexcept nogil:
        cdef uint32_t[2] entry
        cdef uint32_t y, at
        cdef size_t i
        map_clear(&self.late_at)
        self.late.len = self.has_late.len = 0
        if vec_fill(&self.has_late, bit_words(self.merges.trie.vocab_size), 0) < 0:
            return NO_MEMORY
        for i in range(self.out_of_order.len):
            y = self.out_of_order.data[i]
            while True:
                at = self.position[y]
                if at != <uint32_t>NO_LIMIT:
                    entry[0] = self.out_of_order.data[i]
                    entry[1] = map_get(&self.late_at, at)
                    bit_set(self.has_late.data, at)
                    if map_put(&self.late_at, at, <uint32_t>self.late.len) < 0 or vec_extend(&self.late, entry, 2) < 0:
                        return NO_MEMORY
                if self.merges.by_token[y].left >= <uint32_t>UNREACHED:
                    break
                y = self.merges.by_token[y].left
        return OK

    cdef uint32_t place(self, uint32_t token, uint32_t end, uint32_t size) noexcept nogil:
        self.position[token] = end - size
        self.token[end - size] = token
        self.trees[end - size].end = self.trees[end - size].stop = end
        return end - size

    # ---- a token

    cdef int measure(self, uint32_t at) noexcept nogil:
        cdef uint32_t merged = self.token[at]
        cdef uint32_t right = self.merges.right_part(merged)
        cdef uint32_t rank = self.merges.later(merged, self.merges.by_token[merged].left)
        cdef Tree* tree = &self.trees[at]
        tree.first = self.position[right]
        tree.stop = tree.waits = NO_LIMIT
        if tree.first == <uint32_t>NO_LIMIT:
            return OK
        # Let x and y be the parts of this token. A child of y counts if the child's rank is neither below the rank of this
        # token nor below that of x.
        tree.waits = self.merges.later(merged, right)
        return self.first_below(tree.first, rank, &tree.stop)

    cdef int first_below(self, uint32_t at, uint32_t rank, uint32_t* found) noexcept nogil:
        cdef const Child* children
        cdef uint32_t low = 0
        cdef uint32_t count, high, middle
        if self.list_children(at, &count) < 0:
            return NO_MEMORY
        children = self.children_of(at)
        high = count
        while low < high:
            middle = (low + high) >> 1
            if children[middle].rank >= rank:
                low = middle + 1
            else:
                high = middle
        found[0] = children[low].at if low < count else self.trees[at].end
        return OK

    cdef int fill(self, uint32_t one, uint32_t* mask) noexcept nogil:
        cdef bint in_order = not self.merges.by_token[one].out_of_order
        cdef uint32_t x = one
        cdef uint32_t made = self.merges.made_at(one)  # the rank at which x is made
        cdef uint32_t until = NO_LIMIT                 # the rank at which x becomes a part of something larger in `one`
        cdef uint32_t limit = NO_LIMIT                 # merges across the border count only below this rank
        cdef uint32_t left, larger
        cdef size_t i
        self.late_found.len = 0
        while True:
            if self.position[x] != <uint32_t>NO_LIMIT:
                if self.list_children(self.position[x], &left) < 0:
                    return NO_MEMORY
                # (the child of the lowest rank comes last; `forbid` may move the lists)
                while left and self.children_of(self.position[x])[left - 1].rank < limit:
                    left -= 1
                    if self.forbid(self.children_of(self.position[x])[left].at, 0 if in_order else made, until, mask) < 0:
                        return NO_MEMORY
            for i in range(self.loose.len):
                if (self.merges.by_token[self.loose.data[i]].left == x and rank_of(self.merges, self.loose.data[i]) < limit
                        and self.forbid(self.position[self.loose.data[i]], 0 if in_order else made, until, mask) < 0):
                    return NO_MEMORY
            if self.merges.by_token[x].left >= <uint32_t>UNREACHED:
                return self.check_late(one, mask)
            larger = x
            x = self.merges.right_part(x)
            until = made
            made = self.merges.made_at(x)
            limit = until if made < until else rank_of(self.merges, larger)

    cdef int check_late(self, uint32_t one, uint32_t* mask) noexcept nogil:
        cdef uint32_t entry
        cdef size_t i
        for i in range(self.out_of_order.len):
            bit_set(mask, self.out_of_order.data[i])
        for i in range(self.late_found.len):
            entry = self.late_found.data[i]
            while entry != ABSENT:
                if self.check(one, self.late.data[entry], mask) < 0:
                    return NO_MEMORY
                entry = self.late.data[entry + 1]
        return OK

    cdef int forbid(self, uint32_t at, uint32_t made, uint32_t until, uint32_t* mask) noexcept nogil:
        cdef Tree* tree = &self.trees[at]
        cdef uint32_t merged = self.token[at]
        cdef uint32_t stop, i
        if tree.stop == 0 and self.measure(at) < 0:
            # (it is measured when it is asked for again)
            tree.stop = 0
            return NO_MEMORY
        if tree.waits >= until:
            return OK
        stop = tree.stop
        if made and made > self.merges.later(merged, self.merges.by_token[merged].left):
            if self.first_below(tree.first, made, &stop) < 0:
                return NO_MEMORY
        for i in range(tree.first, stop):
            bit_clear(mask, self.token[i])
        if self.late.len and bit_test(self.has_late.data, tree.first):
            return vec_push(&self.late_found, map_get(&self.late_at, tree.first))
        return OK

    cdef int check(self, uint32_t one, uint32_t other, uint32_t* mask) noexcept nogil:
        cdef int status
        if bit_test(mask, other):
            status = self.merges.pair(one, other)
            if status < 0:
                return NO_MEMORY
            if not status:
                bit_clear(mask, other)
        return OK
