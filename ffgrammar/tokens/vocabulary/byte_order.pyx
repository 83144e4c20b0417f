"""Sorting tokens by their bytes.

A token's next seven bytes, and how many of them there are, make a number of 64 bits. Numbers are sorted by their digits, the
lowest digit first (a radix sort). Tokens with the same number and more than seven bytes left are then sorted among themselves by
the bytes after these seven. Short runs are sorted by insertion: the counters of a radix sort would cost more than the run.

To sort Llama 3's 128,000 tokens and make their trie takes 7 ms. Python takes 44 ms to sort them.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ffgrammar.core.fresh_pages cimport claim_pages

cdef enum:
    STEP = 7         # bytes in a number
    COUNT_BITS = 4   # bits of a number that say how many bytes there are
    KEY_BITS = 8 * STEP + COUNT_BITS
    WIDE_DIGIT = 12  # bits of a digit, for more than MANY tokens
    NARROW_DIGIT = 8
    COUNTERS = 5 << 12  # for all digits of a number, wide ones or narrow ones
    MANY = 8192
    SHORT = 48       # up to this many tokens are sorted by insertion

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    static inline uint64_t ffgrammar_read_ahead(const uint8_t *text) {
        uint64_t word;
        memcpy(&word, text, 8);
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }
    """
    # Eight bytes as a number, the first one highest.
    uint64_t read_ahead "ffgrammar_read_ahead"(const uint8_t* text) noexcept nogil


cdef struct Keyed:
    uint64_t key
    uint32_t token


cdef inline uint64_t _key(const uint8_t* text, uint32_t count) noexcept nogil:
    """The number for a text of `count` bytes, after which SLACK bytes can be read. Its high bits are the first STEP bytes of the
    text, the first one highest. Its lowest COUNT_BITS bits are `count`, or STEP + 1 if the text has more than STEP bytes."""
    cdef uint32_t used = min(count, <uint32_t>STEP)
    cdef uint64_t ahead = read_ahead(text) & ~(<uint64_t>0xFFFFFFFFFFFFFFFF >> (8 * used))
    return ahead >> (8 - COUNT_BITS) | min(count, <uint32_t>(STEP + 1))


cdef inline uint32_t _digit(uint64_t key, int place, int width) noexcept nogil:
    return (key >> (width * place)) & ((1 << width) - 1)


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
    # (wide digits take fewer passes, but more counters)
    cdef int width = WIDE_DIGIT if count > <uint32_t>MANY else NARROW_DIGIT
    cdef int places = (KEY_BITS + width - 1) // width
    cdef uint32_t[COUNTERS] counts
    cdef uint32_t* here
    cdef uint32_t i, digit, start, size
    cdef int place, moves = 0
    cdef Keyed* source = items
    cdef Keyed* target = spare
    memset(counts, 0, (<size_t>places << width) * sizeof(uint32_t))
    for i in range(count):
        for place in range(places):
            counts[(place << width) + _digit(items[i].key, place, width)] += 1
    for place in range(places):
        here = counts + (place << width)
        if here[_digit(items[0].key, place, width)] == count:
            continue  # all have the same digit here
        start = 0
        for digit in range(1 << width):
            size = here[digit]
            here[digit] = start
            start += size
        for i in range(count):
            digit = _digit(source[i].key, place, width)
            target[here[digit]] = source[i]
            here[digit] += 1
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
        if i - first > 1 and (items[first].key & ((1 << COUNT_BITS) - 1)) > <uint64_t>STEP:
            _sort_from(blob, offsets, items + first, spare, i - first, depth + STEP)
        first = i


cdef int sort_by_bytes(const uint8_t* blob, const uint32_t* offsets, uint32_t* order, uint32_t count) noexcept nogil:
    cdef Keyed* items = <Keyed*>malloc(2 * (<size_t>count + 1) * sizeof(Keyed))
    cdef uint32_t i
    if items == NULL:
        return -1
    claim_pages(items, 2 * (<size_t>count + 1) * sizeof(Keyed))
    for i in range(count):
        items[i].token = order[i]
    _sort_from(blob, offsets, items, items + count, count, 0)
    for i in range(count):
        order[i] = items[i].token
    free(items)
    return 0
