"""Comparisons of many words or bytes at once."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    typedef uint32_t ffgrammar_four_words __attribute__((vector_size(16)));
    typedef int32_t ffgrammar_four_ints __attribute__((vector_size(16)));
    static inline uint32_t ffgrammar_bits_unlike(const uint32_t *words, uint32_t value) {
        const ffgrammar_four_words values = {value, value, value, value};
        ffgrammar_four_words weights = {1, 2, 4, 8};
        ffgrammar_four_words bits = {0, 0, 0, 0};
        for (int i = 0; i < 8; i++) {
            ffgrammar_four_words read;
            memcpy(&read, words + 4 * i, sizeof read);
            bits |= weights & (ffgrammar_four_words)(read != values);
            weights <<= 4;
        }
        return bits[0] | bits[1] | bits[2] | bits[3];
    }
    static inline uint32_t ffgrammar_bits_low(const uint32_t *words) {
        ffgrammar_four_words weights = {1, 2, 4, 8};
        ffgrammar_four_words bits = {0, 0, 0, 0};
        for (int i = 0; i < 8; i++) {
            ffgrammar_four_words read;
            memcpy(&read, words + 4 * i, sizeof read);
            bits |= weights & ~(ffgrammar_four_words)((ffgrammar_four_ints)read < 0);
            weights <<= 4;
        }
        return bits[0] | bits[1] | bits[2] | bits[3];
    }
    """
    # Which of 32 words are not equal to a value, as bits. (A loop over the words takes three times the instructions.)
    uint32_t bits_unlike "ffgrammar_bits_unlike"(const uint32_t* words, uint32_t value) noexcept nogil

    # Which of 32 words are below 1 << 31, as bits.
    uint32_t bits_low "ffgrammar_bits_low"(const uint32_t* words) noexcept nogil

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    static inline int ffgrammar_same_bytes(const uint8_t *one, const uint8_t *other, size_t count) {
        uint64_t long_one, long_other;
        uint32_t one_low, one_high, other_low, other_high;
        if (count >= 8) {
            for (size_t at = 0; at + 8 <= count; at += 8) {
                memcpy(&long_one, one + at, 8);
                memcpy(&long_other, other + at, 8);
                if (long_one != long_other) return 0;
            }
            memcpy(&long_one, one + count - 8, 8);
            memcpy(&long_other, other + count - 8, 8);
            return long_one == long_other;
        }
        if (count >= 4) {
            memcpy(&one_low, one, 4);
            memcpy(&other_low, other, 4);
            memcpy(&one_high, one + count - 4, 4);
            memcpy(&other_high, other + count - 4, 4);
            return ((one_low ^ other_low) | (one_high ^ other_high)) == 0;
        }
        return count == 0 || (one[0] == other[0] && one[count >> 1] == other[count >> 1] && one[count - 1] == other[count - 1]);
    }
    """
    # Whether `count` bytes are the same in two places. (Names of tokens are short: to call memcmp takes longer than this.)
    bint same_bytes "ffgrammar_same_bytes"(const uint8_t* one, const uint8_t* other, size_t count) noexcept nogil
