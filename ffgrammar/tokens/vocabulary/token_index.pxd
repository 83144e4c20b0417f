"""A hash table from the bytes of tokens to their ids: `index_open`, `index_enter` for each token, then `index_find`.

The table refers to the tokens' bytes, and has 8 to 16 bytes a token besides.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memcmp, memcpy

from ffgrammar.core.status cimport NO_MEMORY, OK

cdef struct TokenIndex:
    # A hash table from bytes to ids, with open addressing and linear probing. A slot is 0 if it is free, and otherwise
    # (id + 1) << 8 | tag, where the tag is 8 bits of the hash. Most look-ups while BPE merges find nothing. The tag lets nearly
    # all of these end without a comparison of bytes.
    uint32_t* slots
    uint32_t mask
    uint32_t longest  # bytes of the longest token
    const uint8_t* blob
    const uint32_t* offsets


cdef inline int index_open(TokenIndex* index, const uint8_t* blob, const uint32_t* offsets, uint32_t count) noexcept nogil:
    """Make a table that has room for `count` tokens and is empty. Token i has the bytes blob[offsets[i]:offsets[i + 1]]. Returns OK
    or NO_MEMORY. The owner frees `slots`, which may be NULL."""
    cdef uint32_t slots = 16
    while slots < 2 * count:
        slots *= 2
    index.slots = <uint32_t*>calloc(slots, sizeof(uint32_t))
    index.mask = slots - 1
    index.longest = 0
    index.blob = blob
    index.offsets = offsets
    return NO_MEMORY if index.slots == NULL else OK


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """A 64-bit hash of a number: one multiplication and one shift."""
    value *= <uint64_t>0x9E3779B97F4A7C15
    return value ^ (value >> 29)


cdef inline uint64_t hash_bytes(const uint8_t* text, size_t count) noexcept nogil:
    """A 64-bit hash of the bytes. It reads eight bytes at a time: up to eight bytes cost two multiplications, and each further
    eight one more."""
    cdef uint64_t word = 0, result = count
    cdef uint32_t low, high
    while count > 8:
        memcpy(&word, text, 8)
        result = mix(result ^ word)
        text += 8
        count -= 8
    if count >= 4:
        memcpy(&low, text, 4)
        memcpy(&high, text + count - 4, 4)
        word = <uint64_t>high << 32 | low
    elif count > 0:
        word = <uint64_t>text[0] << 16 | <uint64_t>text[count >> 1] << 8 | text[count - 1]
    else:
        word = 0
    return mix(mix(result ^ word))


cdef inline int32_t index_find(const TokenIndex* index, const uint8_t* text, size_t count) noexcept nogil:
    """The id that represents exactly these bytes, or -1 if no token has them."""
    if count == 0 or count > index.longest:
        return -1
    return index_find_hashed(index, text, count, hash_bytes(text, count))


cdef inline int32_t index_find_hashed(const TokenIndex* index, const uint8_t* text, size_t count, uint64_t key) noexcept nogil:
    """The same as `index_find`, for bytes whose hash is known. `count` is not 0."""
    cdef uint32_t at = <uint32_t>(key >> 8) & index.mask
    cdef uint32_t slot, token, start
    while True:
        slot = index.slots[at]
        if slot == 0:
            return -1
        if (slot & 0xFF) == (key & 0xFF):
            token = (slot >> 8) - 1
            start = index.offsets[token]
            if index.offsets[token + 1] - start == count and memcmp(index.blob + start, text, count) == 0:
                return <int32_t>token
        at = (at + 1) & index.mask


cdef inline bint index_enter(TokenIndex* index, uint32_t token) noexcept nogil:
    """Enter a token. Returns False, and changes nothing, if a token with the same bytes is there."""
    # (copies, because the compiler must assume that a write to a slot may change the table)
    cdef const uint32_t* offsets = index.offsets
    cdef const uint8_t* blob = index.blob
    cdef uint32_t* slots = index.slots
    cdef uint32_t mask = index.mask
    cdef uint32_t start = offsets[token], length = offsets[token + 1] - start, other
    cdef uint64_t key = hash_bytes(blob + start, length)
    cdef uint32_t at = <uint32_t>(key >> 8) & mask
    while slots[at]:
        other = (slots[at] >> 8) - 1
        if (
            (slots[at] & 0xFF) == (key & 0xFF)
            and offsets[other + 1] - offsets[other] == length
            and memcmp(blob + offsets[other], blob + start, length) == 0
        ):
            return False
        at = (at + 1) & mask
    slots[at] = (token + 1) << 8 | <uint32_t>(key & 0xFF)
    if length > index.longest:
        index.longest = length
    return True


cdef inline void index_replace(TokenIndex* index, uint32_t other, uint32_t token) noexcept nogil:
    """Put `token` in the place of `other`, which has the same bytes, if `other` is there."""
    cdef uint64_t key = hash_bytes(index.blob + index.offsets[other], index.offsets[other + 1] - index.offsets[other])
    cdef uint32_t at = <uint32_t>(key >> 8) & index.mask
    while index.slots[at]:
        if (index.slots[at] >> 8) - 1 == other:
            index.slots[at] = (token + 1) << 8 | <uint32_t>(key & 0xFF)
            break
        at = (at + 1) & index.mask
