"""The bitwise AND by which a canonical mask is sifted (masks.pyx)."""

from libc.stdint cimport uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    typedef uint32_t ffgrammar_words __attribute__((vector_size(16)));
    static inline ffgrammar_words ffgrammar_read_words(const uint32_t *from) {
        ffgrammar_words loaded;
        memcpy(&loaded, from, sizeof loaded);
        return loaded;
    }
    static inline void ffgrammar_sift(
        uint32_t *words, const uint32_t *mask, const uint32_t *alone, const uint32_t *beside, const uint32_t *successors,
        uint32_t count
    ) {
        uint32_t i = 0;
        for (; i + 4 <= count; i += 4) {
            ffgrammar_words found = {0, 0, 0, 0};
            if (beside) {
                found = ffgrammar_read_words(beside + i);
                if (successors) found &= ffgrammar_read_words(successors + i);
            }
            if (alone) found |= ffgrammar_read_words(alone + i);
            found &= ffgrammar_read_words(mask + i);
            memcpy(words + i, &found, sizeof found);
        }
        for (; i < count; i++) {
            uint32_t found = beside ? beside[i] & (successors ? successors[i] : (uint32_t)-1) : 0;
            words[i] = mask[i] & (found | (alone ? alone[i] : 0));
        }
    }
    """
    # words = mask & (alone | (beside & successors)), for `count` words. If `alone` or `beside` is NULL, it stands for no tokens. If
    # `successors` is NULL, it stands for all tokens. Four words are handled at a time, in vectors of the compiler.
    void sift_words "ffgrammar_sift"(
        uint32_t* words, const uint32_t* mask, const uint32_t* alone, const uint32_t* beside, const uint32_t* successors,
        uint32_t count) noexcept nogil
