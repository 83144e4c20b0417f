"""A hash table from the bytes of tokens to their ids: `index_open`, `index_enter_all`, then `index_find`.

The table refers to the tokens' bytes, and has 8 to 16 bytes a token besides.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memcmp

from ffgrammar.core.prefetch cimport prefetch
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.words_of_bytes cimport low_bytes, short_word, word_at

cdef enum:
    AHEAD = 16  # how many tokens before its turn a slot is fetched

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
    cdef uint64_t result = count
    while count > 8:
        result = mix(result ^ word_at(text))
        text += 8
        count -= 8
    return mix(mix(result ^ short_word(text, count)))


cdef inline uint64_t hash_with_slack(const uint8_t* text, uint32_t count) noexcept nogil:
    """The same, for bytes after which SLACK bytes (packed_tokens.pxd) can be read. Up to 16 bytes take no branch that the
    processor could guess wrongly."""
    cdef uint32_t second = count - 8 if count > 8 else 0
    cdef uint64_t one, two
    if count > 16:
        return hash_bytes(text, count)
    one = mix(count ^ (word_at(text) & low_bytes(count - second)))
    two = mix(one ^ (word_at(text + 8) & low_bytes(second)))
    return mix(two if second else one)


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


cdef inline void index_enter(TokenIndex* index, uint32_t token, uint64_t key) noexcept nogil:
    """Enter a token whose bytes have the hash `key`. If a token with the same bytes is there, nothing happens."""
    # (copies, because the compiler must assume that a write to a slot may change the table)
    cdef const uint32_t* offsets = index.offsets
    cdef const uint8_t* blob = index.blob
    cdef uint32_t* slots = index.slots
    cdef uint32_t mask = index.mask
    cdef uint32_t start = offsets[token], length = offsets[token + 1] - start, other
    cdef uint32_t at = <uint32_t>(key >> 8) & mask
    while slots[at]:
        other = (slots[at] >> 8) - 1
        if (
            (slots[at] & 0xFF) == (key & 0xFF)
            and offsets[other + 1] - offsets[other] == length
            and memcmp(blob + offsets[other], blob + start, length) == 0
        ):
            return
        at = (at + 1) & mask
    slots[at] = (token + 1) << 8 | <uint32_t>(key & 0xFF)
    if length > index.longest:
        index.longest = length


cdef inline void index_enter_all(TokenIndex* index, uint32_t vocab_size) noexcept nogil:
    """Enter all tokens that have bytes, those with low ids first. After the bytes of the last one, SLACK bytes (packed_tokens.pxd)
    can be read."""
    cdef uint64_t[AHEAD] keys
    cdef const uint32_t* offsets = index.offsets
    cdef uint32_t token
    for token in range(vocab_size + AHEAD):
        if token >= <uint32_t>AHEAD and offsets[token - AHEAD + 1] != offsets[token - AHEAD]:
            index_enter(index, token - AHEAD, keys[token % AHEAD])
        if token < vocab_size:
            keys[token % AHEAD] = hash_with_slack(index.blob + offsets[token], offsets[token + 1] - offsets[token])
            prefetch(&index.slots[<uint32_t>(keys[token % AHEAD] >> 8) & index.mask])


cdef inline void index_replace(TokenIndex* index, uint32_t other, uint32_t token) noexcept nogil:
    """Put `token` in the place of `other`, which has the same bytes, if `other` is there."""
    cdef uint64_t key = hash_bytes(index.blob + index.offsets[other], index.offsets[other + 1] - index.offsets[other])
    cdef uint32_t at = <uint32_t>(key >> 8) & index.mask
    while index.slots[at]:
        if (index.slots[at] >> 8) - 1 == other:
            index.slots[at] = (token + 1) << 8 | <uint32_t>(key & 0xFF)
            break
        at = (at + 1) & index.mask
