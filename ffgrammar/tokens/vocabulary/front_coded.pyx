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


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    typedef uint8_t ffgrammar_start __attribute__((vector_size(16)));
    static const uint8_t ffgrammar_start_masks[32] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    static inline ffgrammar_start ffgrammar_start_at(const uint8_t *text) {
        ffgrammar_start start;
        memcpy(&start, text, 16);
        return start;
    }
    static inline ffgrammar_start ffgrammar_first_of(ffgrammar_start one, uint32_t count, ffgrammar_start other) {
        const ffgrammar_start mask = ffgrammar_start_at(ffgrammar_start_masks + 16 - count);
        return (one & mask) | (other & ~mask);
    }
    static inline ffgrammar_start ffgrammar_write_short(
        ffgrammar_start start, uint32_t shared, const uint8_t *rest, uint32_t more, uint8_t *text
    ) {
        const ffgrammar_start now = ffgrammar_first_of(start, shared, ffgrammar_start_at(rest - shared));
        const ffgrammar_start written = ffgrammar_first_of(now, shared + more, ffgrammar_start_at(text));
        memcpy(text, &written, 16);
        return now;
    }
    """
    # SHORT bytes in a register, which begin with a token. (To Cython, `int` stands for a type that it does not know.)
    ctypedef int Start "ffgrammar_start"

    # The SHORT bytes at `text`.
    Start start_at "ffgrammar_start_at"(const uint8_t* text) noexcept nogil

    # Write a token of at most SHORT bytes to `text`. It has the first `shared` bytes of `start`, then the `more` bytes at `rest`.
    # Returns its start. SHORT bytes from `text`, from `rest` and from `rest - shared` on can be read. (No branch depends on the
    # token's length, and nothing waits for what was written before.)
    Start write_short "ffgrammar_write_short"(
        Start start, uint32_t shared, const uint8_t* rest, uint32_t more, uint8_t* text
    ) noexcept nogil


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
    uint32_t* offsets,
    uint64_t* total,
    uint32_t* aliases,
) noexcept nogil:
    # (copies, because the compiler must assume that a write to `offsets` may change the struct)
    cdef FrontCoded parts = coded[0]
    cdef size_t head = front_coded_head(parts.count, parts.wide)
    cdef uint32_t k, token, shared, rest, length, before = 0, empty = 0
    cdef uint64_t suffixes = 0, lengths = 0
    if size < head:
        return "it is cut short"
    for k in range(parts.count):
        token = front_coded_id(&parts, k)
        shared = shared_bytes(&parts, k)
        rest = further_bytes(&parts, k)
        length = shared + rest
        if token >= vocab_size or offsets[token + 1]:
            return "an id is out of range or there twice"
        if shared > before or length == 0 or length > most or (rest == 0 and length < before):
            return "a token's length is wrong"
        empty += rest == 0
        offsets[token + 1] = length
        suffixes += rest
        lengths += length
        before = length
    total[0] += lengths
    aliases[0] += empty
    if size != head + suffixes:
        return "its size is wrong"
    return NULL


cdef const char* read_bytes(const FrontCoded* coded, size_t size, const uint32_t* offsets, uint8_t* blob) noexcept nogil:
    # (copies, because the compiler must assume that a write to `blob` may change the struct)
    cdef FrontCoded parts = coded[0]
    cdef size_t head = front_coded_head(parts.count, parts.wide), left = size - head
    cdef const uint8_t* suffix = parts.suffixes
    cdef const uint8_t* before = blob
    cdef uint8_t* text
    cdef uint32_t k, common, more, length = 0
    cdef bint is_wrong = False
    cdef Start start = start_at(blob)
    for k in range(parts.count):
        text = blob + offsets[front_coded_id(&parts, k)]
        common = shared_bytes(&parts, k)
        more = further_bytes(&parts, k)
        # (SHORT bytes of the form can be read from `suffix` on, and before it)
        if common + more <= <uint32_t>SHORT <= left and <uint32_t>SHORT <= head:
            start = write_short(start, common, suffix, more, text)
        else:
            memcpy(text, before, common)
            memcpy(text + common, suffix, more)
            start = start_at(text)
        # Tokens must ascend. They do if all of the token before is shared, or if the first byte that is not shared is greater in
        # this token than in the token before. (No branch: the processor could not guess it.)
        is_wrong |= (common < length) & (text[common] <= before[common])
        length = common + more
        suffix += more
        left -= more
        before = text
    if is_wrong:
        return "its tokens are not in order"
    return NULL
