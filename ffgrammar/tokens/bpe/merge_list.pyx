"""Merges that are listed: pairs of tokens in the order in which they are merged.

That is the form of Hugging Face's BPE models. A merge's rank is its place in the list, which says nothing about the id of the
token that it makes; several pairs may make the same token; and two tokens whose bytes together are a token's do not merge unless
they are in the list. So what is merged is ids, not bytes.

As in merge_loop.pyx few tokens are scanned for the merge that comes next, and many keep their merges in a heap.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from ffgrammar.core.heap cimport keys_add, keys_sift_down

from ffgrammar.core.errors import TokenizerError

cdef enum:
    FEW = 96  # tokens; up to here the scanning form is the faster one
    NEVER = 0xFFFFFFFF  # the rank of what does not merge


cdef struct Part:
    # named by its place among the tokens at the beginning
    uint32_t before
    uint32_t after
    uint32_t token
    uint32_t rank    # of this part merged with the next one
    uint32_t result  # of that merge


cdef int64_t merge_few(const MergeIndex* index, uint32_t* ids, uint32_t count, uint32_t least) noexcept nogil:
    cdef uint32_t[FEW] rank  # of a token with the next
    cdef uint32_t[FEW] result
    cdef const Pair* pair
    cdef uint32_t i, at, best
    for i in range(count - 1):
        pair = find_pair(index, ids[i], ids[i + 1])
        rank[i] = pair.rank if pair != NULL else <uint32_t>NEVER
        result[i] = pair.result if pair != NULL else 0
    while count > least:
        best = NEVER
        at = 0
        for i in range(count - 1):
            if rank[i] < best:
                best = rank[i]
                at = i
        if best == <uint32_t>NEVER:
            break
        ids[at] = result[at]
        count -= 1
        for i in range(at + 1, count):
            ids[i] = ids[i + 1]
            rank[i - 1] = rank[i]
            result[i - 1] = result[i]
        if at + 1 < count:
            pair = find_pair(index, ids[at], ids[at + 1])
            rank[at] = pair.rank if pair != NULL else <uint32_t>NEVER
            result[at] = pair.result if pair != NULL else 0
        if at:
            pair = find_pair(index, ids[at - 1], ids[at])
            rank[at - 1] = pair.rank if pair != NULL else <uint32_t>NEVER
            result[at - 1] = pair.result if pair != NULL else 0
    return count


cdef inline void rate(
    const MergeIndex* index, Part* parts, uint32_t count, uint32_t at, uint64_t* heap, size_t* heaped
) noexcept nogil:
    """Look up the merge of a part with the next one, and put it on the heap."""
    cdef uint32_t after = parts[at].after
    cdef const Pair* pair = NULL
    if after < count:
        pair = find_pair(index, parts[at].token, parts[after].token)
    if pair == NULL:
        parts[at].rank = NEVER
        return
    parts[at].rank = pair.rank
    parts[at].result = pair.result
    keys_add(heap, heaped, <uint64_t>pair.rank << 32 | at)


cdef int64_t merge_many(const MergeIndex* index, uint32_t* ids, uint32_t count, uint32_t least) noexcept nogil:
    # A heap item is rank << 32 | place. Those of a part that has grown since stay there; its rank tells, which never comes back
    # because a rank is one pair's. Each merge adds at most two items and takes one.
    cdef Part* parts = <Part*>malloc(count * sizeof(Part))
    cdef uint64_t* heap = <uint64_t*>malloc((2 * <size_t>count + 2) * sizeof(uint64_t))
    cdef size_t heaped = 0
    cdef uint32_t i, at, after
    cdef uint32_t left = count
    cdef uint64_t item
    if parts == NULL or heap == NULL:
        free(parts)
        free(heap)
        return -1
    for i in range(count):
        parts[i].before = i - 1
        parts[i].after = i + 1
        parts[i].token = ids[i]
    for i in range(count):
        rate(index, parts, count, i, heap, &heaped)
    while heaped and left > least:
        item = heap[0]
        heaped -= 1
        heap[0] = heap[heaped]
        keys_sift_down(heap, heaped, 0)
        at = <uint32_t>item
        if parts[at].rank != <uint32_t>(item >> 32):
            continue
        after = parts[at].after
        parts[at].token = parts[at].result
        parts[at].after = parts[after].after
        parts[after].rank = NEVER
        if parts[at].after < count:
            parts[parts[at].after].before = at
        left -= 1
        rate(index, parts, count, at, heap, &heaped)
        if at:
            rate(index, parts, count, parts[at].before, heap, &heaped)
    at = 0
    for i in range(left):
        ids[i] = parts[at].token
        at = parts[at].after
    free(parts)
    free(heap)
    return left


cdef int64_t merge_ids(const MergeIndex* index, uint32_t* ids, uint32_t count, uint32_t least) noexcept nogil:
    if count < 2:
        return count
    if count <= FEW:
        return merge_few(index, ids, count, least)
    return merge_many(index, ids, count, least)


cdef class MergeList:
    """The merges of a tokenizer, by pair.

    Args:
        pairs: (left token, right token, what they become), in the order of merging. Of two entries for a pair the last counts.

    Raises:
        TokenizerError: there are too many.
    """

    def __cinit__(self, pairs not None):
        cdef uint32_t left, right, result, at
        cdef uint32_t room = 16
        cdef uint32_t rank = 0
        if len(pairs) > 1 << 28:
            raise TokenizerError(f"{len(pairs)} merges are too many")
        while room < len(pairs) + (len(pairs) >> 1):
            room *= 2
        self.index.slots = <Pair*>calloc(room, sizeof(Pair))
        if self.index.slots == NULL:
            raise MemoryError
        self.index.mask = room - 1
        for at in range(room):
            self.index.slots[at].left = FREE
        for left, right, result in pairs:
            at = <uint32_t>(mix(<uint64_t>left << 32 | right) >> 8) & self.index.mask
            while self.index.slots[at].left != <uint32_t>FREE:
                if self.index.slots[at].left == left and self.index.slots[at].right == right:
                    break
                at = (at + 1) & self.index.mask
            self.index.slots[at] = Pair(left, right, rank, result)
            rank += 1
        self.ranks = rank

    def __dealloc__(self):
        free(self.index.slots)

    def merged(self, left, right):
        """(rank, token) of the merge of two tokens; None if they do not merge."""
        cdef const Pair* pair = find_pair(&self.index, left, right)
        return None if pair == NULL else (pair.rank, pair.result)

    def merge(self, list ids not None):
        """What merges leave of a token sequence."""
        cdef uint32_t* items = <uint32_t*>malloc((<size_t>len(ids) + 1) * sizeof(uint32_t))
        cdef int64_t count = -1
        cdef Py_ssize_t i
        if items == NULL:
            raise MemoryError
        try:
            for i in range(len(ids)):
                items[i] = ids[i]
            count = merge_ids(&self.index, items, <uint32_t>len(ids), 1)
            if count < 0:
                raise MemoryError
            return [items[i] for i in range(count)]
        finally:
            free(items)
