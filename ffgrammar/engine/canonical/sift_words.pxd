"""The bitwise AND by which a canonical mask is sifted (masks.pyx)."""

from libc.stdint cimport uint32_t

cdef extern from *:
    """
    #include <stdint.h>

    /* The compiler makes vectors of these loops. On x86-64 it makes them twice: for every processor, and for those with AVX2. */
    #if defined(__GNUC__) && !defined(__clang__)
    #define FFGRAMMAR_VECTORS __attribute__((optimize("O3")))
    #else
    #define FFGRAMMAR_VECTORS
    #endif
    #define FFGRAMMAR_SIFT(name, attributes) \
        attributes static void name( \
            uint32_t *restrict words, const uint32_t *mask, const uint32_t *alone, const uint32_t *beside, \
            const uint32_t *successors, uint32_t count \
        ) { \
            uint32_t i; \
            if (!beside) for (i = 0; i < count; i++) words[i] = mask[i] & (alone ? alone[i] : 0); \
            else if (!successors) for (i = 0; i < count; i++) words[i] = mask[i] & (beside[i] | (alone ? alone[i] : 0)); \
            else if (!alone) for (i = 0; i < count; i++) words[i] = mask[i] & beside[i] & successors[i]; \
            else for (i = 0; i < count; i++) words[i] = mask[i] & (alone[i] | (beside[i] & successors[i])); \
        }
    FFGRAMMAR_SIFT(ffgrammar_sift_words, FFGRAMMAR_VECTORS)
    #if defined(__x86_64__) && defined(__GNUC__)
    FFGRAMMAR_SIFT(ffgrammar_sift_words_avx2, FFGRAMMAR_VECTORS __attribute__((target("avx2"))))
    #define ffgrammar_sift \
        (*(__builtin_cpu_supports("avx2") ? ffgrammar_sift_words_avx2 : ffgrammar_sift_words))
    #else
    #define ffgrammar_sift ffgrammar_sift_words
    #endif
    """
    # words = mask & (alone | (beside & successors)), for `count` words. If `alone` or `beside` is NULL, it stands for no tokens. If
    # `successors` is NULL, it stands for all tokens.
    void sift_words "ffgrammar_sift"(
        uint32_t* words, const uint32_t* mask, const uint32_t* alone, const uint32_t* beside, const uint32_t* successors,
        uint32_t count) noexcept nogil
