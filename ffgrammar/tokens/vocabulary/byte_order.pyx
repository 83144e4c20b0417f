"""Sorting tokens by their bytes.

A token's next seven bytes, and how many of them there are, make a number of 64 bits. Numbers are sorted by their digits, the
lowest digit first (a radix sort). Tokens with the same number and more than seven bytes left are then sorted among themselves by
the bytes after these seven. Short runs are sorted by insertion: the counters of a radix sort would cost more than the run.

To sort Llama 3's 128,000 tokens and make their trie takes 11 ms. Python takes 44 ms to sort them.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef enum:
    STEP = 7    # bytes in a number
    SHORT = 48  # up to this many tokens are sorted by insertion


cdef struct Keyed:
    uint64_t key
    uint32_t token


cdef inline uint64_t _key(const uint8_t* text, uint32_t count) noexcept nogil:
    """The number for a text of `count` bytes. Its high bytes are the first STEP bytes of the text, the first one highest. Its
    lowest byte is `count`, or STEP + 1 if the text has more than STEP bytes."""
    cdef uint64_t key = 0
    cdef uint32_t i
    cdef uint32_t used = count if count < <uint32_t>STEP else <uint32_t>STEP
    for i in range(used):
        key |= <uint64_t>text[i] << (56 - 8 * i)
    return key | (used if count <= <uint32_t>STEP else <uint32_t>(STEP + 1))


cdef void _insertion_sort(Keyed* items, uint32_t count) noexcept nogil:
    cdef uint32_t i, at
    cdef Keyed item
    for i in range(1, count):
        item = items[i]
        at = i
        while at and items[at - 1].key > item.key:
            items[at] = items[at - 1]
            at -= 1
        items[at] = item


cdef void _radix_sort(Keyed* items, Keyed* spare, uint32_t count) noexcept nogil:
    """Sorts `items`. `spare` has room for `count` items, too."""
    cdef uint32_t[8][256] counts
    cdef uint32_t i, digit, start, size
    cdef int place, moves = 0
    cdef Keyed* source = items
    cdef Keyed* target = spare
    memset(counts, 0, sizeof(counts))
    for i in range(count):
        for place in range(8):
            counts[place][(items[i].key >> (8 * place)) & 0xFF] += 1
    for place in range(8):
        if counts[place][(items[0].key >> (8 * place)) & 0xFF] == count:
            continue  # all have the same digit here
        start = 0
        for digit in range(256):
            size = counts[place][digit]
            counts[place][digit] = start
            start += size
        for i in range(count):
            digit = (source[i].key >> (8 * place)) & 0xFF
            target[counts[place][digit]] = source[i]
            counts[place][digit] += 1
        source, target = target, source
        moves += 1
    if moves & 1:
        for i in range(count):
            items[i] = spare[i]


cdef void _sort_from(
    const uint8_t* blob, const uint32_t* offsets, Keyed* items, Keyed* spare, uint32_t count, uint32_t depth
) noexcept nogil:
    """Sorts tokens of at least `depth` bytes, whose first `depth` bytes are the same."""
    cdef uint32_t i, first, start
    for i in range(count):
        start = offsets[items[i].token] + depth
        items[i].key = _key(blob + start, offsets[items[i].token + 1] - start)
    if count <= <uint32_t>SHORT:
        _insertion_sort(items, count)
    else:
        _radix_sort(items, spare, count)
    first = 0
    for i in range(1, count + 1):
        if i < count and items[i].key == items[first].key:
            continue
        if i - first > 1 and (items[first].key & 0xFF) > <uint64_t>STEP:
            _sort_from(blob, offsets, items + first, spare, i - first, depth + STEP)
        first = i


cdef int sort_by_bytes(const uint8_t* blob, const uint32_t* offsets, uint32_t* order, uint32_t count) noexcept nogil:
    cdef Keyed* items = <Keyed*>malloc(2 * (<size_t>count + 1) * sizeof(Keyed))
    cdef uint32_t i
    if items == NULL:
        return -1
    for i in range(count):
        items[i].token = order[i]
    _sort_from(blob, offsets, items, items + count, count, 0)
    for i in range(count):
        order[i] = items[i].token
    free(items)
    return 0
