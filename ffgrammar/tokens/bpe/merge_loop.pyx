"""The merge loop of byte-pair encoding.

In each round, of all pairs of neighbours that merge, the pair with the lowest rank becomes one token. If several pairs have this
rank, the leftmost of them does. The loop ends when no pair merges.

There are two kinds of merges. In vocabularies of tiktoken's kind a token's id is its rank, and two tokens merge if their bytes
together are those of a token. In vocabularies of Hugging Face's kind the merges are listed (merge_list.pyx). The kinds differ
in two questions only: what is the rank of a pair, and which token does a rank make? So the loop is written once, over a fused
type, and compiled for each kind.

The loop has two forms. The scanning form is for few tokens. It keeps them in arrays and scans these for the lowest rank. That
is quadratic, but over numbers that fill a few cache lines. The heap form is for many tokens. It keeps them in a linked list,
and their merges in a heap, so the time for a megabyte of one letter is n log n. From about a hundred tokens on the heap form is
faster.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from ffgrammar.core.heap cimport keys_add, keys_sift_down
from ffgrammar.core.signals cimport handler_raised
from ffgrammar.tokens.bpe.ids cimport (
    ASK_EVERY, BPE_INTERRUPTED, BPE_NO_BYTE, BPE_NO_MEMORY, BPE_OK, BpeStatus, Ids, ids_push, ids_reserve,
)
from ffgrammar.tokens.bpe.merge_list cimport NEVER, MergeIndex, find_rank, result_of
from ffgrammar.tokens.vocabulary.token_index cimport TokenIndex, index_find

cdef enum:
    FEW = 128  # up to this many tokens the scanning form is used


cdef struct ByteRanks:
    # For vocabularies in which ids are ranks. Merging began with one token for each byte of `text`.
    const TokenIndex* index
    const uint8_t* text


ctypedef fused Ranks:
    ByteRanks
    MergeIndex


cdef inline uint32_t pair_rank(
    const Ranks* ranks, uint32_t left, uint32_t right, uint32_t start, uint32_t end
) noexcept nogil:
    """The rank of the merge of two neighbours, the tokens `left` and `right`, or NEVER. Of the tokens that merging began with,
    those numbered `start` to `end` - 1 have become these two."""
    if Ranks is ByteRanks:
        # (-1, "no such token", is NEVER)
        return <uint32_t>index_find(ranks.index, ranks.text + start, end - start)
    else:
        return find_rank(ranks, left, right)


cdef inline uint32_t merged_token(const Ranks* ranks, uint32_t rank) noexcept nogil:
    """The token that the merge of a rank makes."""
    if Ranks is ByteRanks:
        return rank
    else:
        return result_of(ranks, rank)


cdef int64_t merge_few(const Ranks* ranks, uint32_t* ids, uint32_t count, uint32_t least) noexcept nogil:
    """Merge 1 to FEW tokens in place, in the scanning form. Returns how many are left."""
    cdef uint32_t[FEW] rank       # by token: the rank of its merge with the next one
    cdef uint32_t[FEW + 1] start  # by token: the number of the first token that it was made of
    cdef uint32_t total = count
    cdef uint32_t i, at, best
    for i in range(count - 1):
        start[i] = i
        rank[i] = pair_rank(ranks, ids[i], ids[i + 1], i, i + 2)
    rank[count - 1] = NEVER
    start[count - 1] = count - 1
    start[count] = count
    while count > least:
        best = NEVER
        at = 0
        for i in range(count):
            if rank[i] < best:
                best = rank[i]
                at = i
        if best == <uint32_t>NEVER:
            break
        ids[at] = merged_token(ranks, best)
        count -= 1
        for i in range(at + 1, count):
            start[i] = start[i + 1]
            ids[i] = ids[i + 1]
            rank[i] = rank[i + 1]
        start[count] = total
        rank[at] = pair_rank(ranks, ids[at], ids[at + 1], start[at], start[at + 2]) if at + 1 < count else <uint32_t>NEVER
        if at:
            rank[at - 1] = pair_rank(ranks, ids[at - 1], ids[at], start[at - 1], start[at + 1])
    return count


cdef struct Part:
    # A token in the list. Its index is the number of the first token that it was made of.
    uint32_t before  # the index of the part before it
    uint32_t after   # the index of the next part
    uint32_t token
    uint32_t rank    # of its merge with the next part


cdef inline bint rate(const Ranks* ranks, Part* parts, uint32_t count, uint32_t at) noexcept nogil:
    """Look up the rank of the merge of a part with the next one. Returns whether the two merge."""
    cdef uint32_t after = parts[at].after
    if after == count:
        parts[at].rank = NEVER
    else:
        parts[at].rank = pair_rank(ranks, parts[at].token, parts[after].token, at, parts[after].after)
    return parts[at].rank != <uint32_t>NEVER


cdef int64_t merge_many(const Ranks* ranks, uint32_t* ids, uint32_t count, uint32_t least) noexcept nogil:
    """Merge tokens in place, in the heap form. Returns how many are left, BPE_NO_MEMORY or BPE_INTERRUPTED."""
    # A heap item is rank << 32 | part: the lowest rank comes first, and of equal ranks the leftmost part. When a part or the one
    # after it grows, or another part takes it in, its old items stay in the heap. An item is stale if its rank is not that of the
    # part. A part never gets an old rank back, because parts only grow. Each merge adds at most two items and takes one out.
    cdef Part* parts = <Part*>malloc(count * sizeof(Part))
    cdef uint64_t* heap = <uint64_t*>malloc((2 * <size_t>count + 2) * sizeof(uint64_t))
    cdef size_t heaped = 0
    cdef size_t turns = 0
    cdef uint32_t i, at, after
    cdef uint32_t left = count
    cdef uint64_t item
    if parts == NULL or heap == NULL:
        free(parts)
        free(heap)
        return BPE_NO_MEMORY
    for i in range(count):
        parts[i].before = i - 1
        parts[i].after = i + 1
        parts[i].token = ids[i]
    for i in range(count):
        if rate(ranks, parts, count, i):
            heap[heaped] = <uint64_t>parts[i].rank << 32 | i
            heaped += 1
        if (i + 1) % ASK_EVERY == 0 and handler_raised():
            free(parts)
            free(heap)
            return BPE_INTERRUPTED
    for i in range(<uint32_t>(heaped // 2), 0, -1):
        keys_sift_down(heap, heaped, i - 1)
    while heaped and left > least:
        turns += 1
        if turns % ASK_EVERY == 0 and handler_raised():
            free(parts)
            free(heap)
            return BPE_INTERRUPTED
        item = heap[0]
        heaped -= 1
        heap[0] = heap[heaped]
        keys_sift_down(heap, heaped, 0)
        at = <uint32_t>item
        if parts[at].rank != <uint32_t>(item >> 32):
            continue
        after = parts[at].after
        parts[at].token = merged_token(ranks, parts[at].rank)
        parts[at].after = parts[after].after
        parts[after].rank = NEVER
        if parts[at].after < count:
            parts[parts[at].after].before = at
        left -= 1
        if rate(ranks, parts, count, at):
            keys_add(heap, &heaped, <uint64_t>parts[at].rank << 32 | at)
        if at and rate(ranks, parts, count, parts[at].before):
            keys_add(heap, &heaped, <uint64_t>parts[parts[at].before].rank << 32 | parts[at].before)
    at = 0
    for i in range(left):
        ids[i] = parts[at].token
        at = parts[at].after
    free(parts)
    free(heap)
    return left


cdef int64_t merge_bytes(
    const TokenIndex* index, const uint8_t* text, uint32_t count, uint32_t least, uint32_t* ids
) noexcept nogil:
    cdef ByteRanks ranks
    cdef uint32_t i
    ranks.index = index
    ranks.text = text
    for i in range(count):
        if (i + 1) % ASK_EVERY == 0 and handler_raised():
            return BPE_INTERRUPTED
        ids[i] = <uint32_t>index_find(index, text + i, 1)
        if ids[i] == <uint32_t>NEVER:
            return BPE_NO_BYTE
    if count < 2:
        return count
    return merge_few(&ranks, ids, count, least) if count <= FEW else merge_many(&ranks, ids, count, least)


cdef int64_t merge_ids(const MergeIndex* index, uint32_t* ids, uint32_t count, uint32_t least) noexcept nogil:
    if count < 2:
        return count
    return merge_few(index, ids, count, least) if count <= FEW else merge_many(index, ids, count, least)


cdef BpeStatus encode_pretoken(const TokenIndex* index, const uint8_t* text, size_t count, Ids* out) noexcept nogil:
    cdef int64_t made
    cdef int32_t whole
    if count == 0:
        return BPE_OK
    whole = index_find(index, text, count)
    if whole >= 0:
        return ids_push(out, <uint32_t>whole)
    if ids_reserve(out, count) != BPE_OK:
        return BPE_NO_MEMORY
    made = merge_bytes(index, text, <uint32_t>count, 1, out.items + out.count)
    if made < 0:
        return <BpeStatus>made
    out.count += <size_t>made
    return BPE_OK
