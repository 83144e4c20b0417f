"""Comparisons of many words at once."""

from libc.stdint cimport uint32_t

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
