"""Bytes as numbers of 64 bits, the first byte lowest."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint64_t

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    static inline uint64_t ffgrammar_word_at(const uint8_t *text) {
        uint64_t word;
        memcpy(&word, text, 8);
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }
    static inline uint64_t ffgrammar_half_at(const uint8_t *text) {
        uint32_t half;
        memcpy(&half, text, 4);
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        half = __builtin_bswap32(half);
    #endif
        return half;
    }
    """
    # The eight bytes at `text`.
    uint64_t word_at "ffgrammar_word_at"(const uint8_t* text) noexcept nogil

    # The four bytes at `text`.
    uint64_t half_at "ffgrammar_half_at"(const uint8_t* text) noexcept nogil


cdef inline uint64_t short_word(const uint8_t* text, size_t count) noexcept nogil:
    """The `count` bytes at `text`, at most eight. No byte after them is read."""
    if count >= 4:
        # (where the halves overlap, they have the same bits)
        return half_at(text) | half_at(text + count - 4) << (8 * (count - 4))
    if count == 0:
        return 0
    return text[0] | <uint64_t>text[count >> 1] << (8 * (count >> 1)) | <uint64_t>text[count - 1] << (8 * (count - 1))


cdef inline uint64_t low_bytes(size_t count) noexcept nogil:
    """A number whose lowest `count` bytes, at most eight, are 255."""
    # (in two shifts, because one by 64 bits is undefined)
    return ~(~<uint64_t>0 << (4 * count) << (4 * count))
