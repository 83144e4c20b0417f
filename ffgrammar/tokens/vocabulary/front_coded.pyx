"""Tokens in byte order in front-coded form: written, and read with a check of everything that may be damaged."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ffgrammar.core.short_copy cimport SHORT, copy_short


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    static inline uint32_t ffgrammar_common_prefix(const uint8_t *one, const uint8_t *other, uint32_t most) {
        uint64_t left, right;
        for (uint32_t at = 0; at < most; at += 8) {
            memcpy(&left, one + at, 8);
            memcpy(&right, other + at, 8);
            if (left != right) {
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
                at += __builtin_clzll(left ^ right) >> 3;
    #else
                at += __builtin_ctzll(left ^ right) >> 3;
    #endif
                return at < most ? at : most;
            }
        }
        return most;
    }
    """
    # How many of the first `most` bytes are the same in two places. Up to seven bytes after them are read.
    uint32_t common_prefix "ffgrammar_common_prefix"(const uint8_t* one, const uint8_t* other, uint32_t most) noexcept nogil


cdef uint64_t front_coded_lengths(
    const uint8_t* blob, const uint32_t* offsets, const uint32_t* order, uint32_t count, uint16_t* shared, uint16_t* rest
) noexcept nogil:
    cdef uint64_t further = 0
    cdef uint32_t k, token, before = 0, length, before_length = 0, common
    for k in range(count):
        token = order[k]
        length = offsets[token + 1] - offsets[token]
        common = common_prefix(blob + offsets[before], blob + offsets[token], min(before_length, length))
        shared[k] = <uint16_t>common
        rest[k] = <uint16_t>(length - common)
        further += length - common
        before = token
        before_length = length
    return further


cdef void front_code(
    const uint8_t* blob,
    const uint32_t* offsets,
    const uint32_t* order,
    const uint16_t* lengths,
    uint32_t count,
    bint wide,
    uint8_t* raw,
) noexcept nogil:
    cdef uint8_t* suffix = raw + front_coded_head(count, wide)
    cdef uint32_t plane
    cdef size_t k, left = 0
    for k in range(count):
        left += lengths[count + k]
    for k in range(2 * <size_t>count):
        raw[k] = <uint8_t>lengths[k]
        if wide:
            raw[k + 5 * <size_t>count] = <uint8_t>(lengths[k] >> 8)
    for plane in range(3):
        for k in range(count):
            raw[k + (2 + plane) * <size_t>count] = <uint8_t>(order[k] >> (8 * plane))
    for k in range(count):
        copy_short(suffix, blob + offsets[order[k]] + lengths[k], lengths[count + k], left >= SHORT)
        suffix += lengths[count + k]
        left -= lengths[count + k]


cdef const char* read_lengths(
    const FrontCoded* coded,
    size_t size,
    uint32_t vocab_size,
    uint32_t most,
    uint32_t* order,
    uint32_t* offsets,
    uint64_t* total,
    uint32_t* aliases,
) noexcept nogil:
    cdef uint32_t count = coded.count
    cdef const uint8_t* ids = coded.ids
    cdef uint32_t k, token, shared, rest, length, before = 0
    cdef uint64_t suffixes = 0
    if size < front_coded_head(count, coded.wide):
        return "it is cut short"
    for k in range(count):
        token = ids[k] | <uint32_t>ids[k + count] << 8 | <uint32_t>ids[k + 2 * <size_t>count] << 16
        shared = shared_bytes(coded, k)
        rest = further_bytes(coded, k)
        length = shared + rest
        if token >= vocab_size or offsets[token + 1]:
            return "an id is out of range or there twice"
        if shared > before or length == 0 or length > most or (rest == 0 and length < before):
            return "a token's length is wrong"
        aliases[0] += rest == 0
        offsets[token + 1] = length
        order[k] = token
        suffixes += rest
        total[0] += length
        before = length
    if size != front_coded_head(count, coded.wide) + suffixes:
        return "its size is wrong"
    return NULL


cdef const char* read_bytes(
    const FrontCoded* coded, const uint32_t* order, const uint32_t* offsets, uint8_t* blob
) noexcept nogil:
    cdef const uint8_t* suffix = coded.suffixes
    cdef const uint8_t* before = NULL
    cdef uint8_t* text
    cdef uint32_t k, common, more, length = 0
    for k in range(coded.count):
        text = blob + offsets[order[k]]
        common = shared_bytes(coded, k)
        more = further_bytes(coded, k)
        if common:
            memcpy(text, before, common)
        memcpy(text + common, suffix, more)
        # Tokens must ascend. They do if all of the token before is shared, or if the first byte that is not shared is greater in
        # this token than in the token before.
        if common < length and text[common] <= before[common]:
            return "its tokens are not in order"
        length = common + more
        suffix += more
        before = text
    return NULL
