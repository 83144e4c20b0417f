"""How far a run of bytes of one kind goes, sixteen bytes at a time.

The texts here are mostly shorter than sixteen bytes. So there is mostly one step, and no loop whose end the processor would guess
wrong.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    typedef int8_t ffgrammar_sixteen __attribute__((vector_size(16)));
    /* The highest bits of 16 bytes that are 0 or 255 each: that of the first byte is the lowest bit. */
    static inline uint32_t ffgrammar_top_bits(ffgrammar_sixteen bytes) {
    #ifdef __SSE2__
        typedef char chars __attribute__((vector_size(16)));
        return (uint32_t)__builtin_ia32_pmovmskb128((chars)bytes);
    #else
        uint64_t halves[2];
        memcpy(halves, &bytes, 16);
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        halves[0] = __builtin_bswap64(halves[0]);
        halves[1] = __builtin_bswap64(halves[1]);
    #endif
        /* (the products put bit 8 * i of each half to bit 56 + i) */
        const uint64_t ones = 0x0101010101010101u, places = 0x0102040810204080u;
        return (uint32_t)((halves[0] & ones) * places >> 56 | (halves[1] & ones) * places >> 56 << 8);
    #endif
    }
    static inline size_t ffgrammar_name_end(const uint8_t *data, size_t at, size_t size, int least, int *is_unsure) {
        ffgrammar_sixteen read;
        uint32_t stop, below, high, two, three, further;
        *is_unsure = 0;
        for (; size - at >= 16; at += 16) {
            memcpy(&read, data + at, 16);
            /* (bytes from 0x80 on are negative here) */
            stop = ffgrammar_top_bits(
                (ffgrammar_sixteen)((read >= 0) & (read < (int8_t)least)) | (read == '"') | (read == '\\\\'));
            below = (stop - 1) & ~stop & 0xFFFF;
            /* The first byte of a character says where its further bytes must be, and nowhere else may one be. What is not
               told here is unsure: a character that lies in two blocks, one of four bytes, and one that begins with 0xE0 or
               0xED. */
            high = ffgrammar_top_bits(read < 0) & below;
            two = ffgrammar_top_bits((read >= (int8_t)0xC2) & (read <= (int8_t)0xDF)) & below;
            three = ffgrammar_top_bits((read > (int8_t)0xE0) & (read < (int8_t)0xF0) & (read != (int8_t)0xED)) & below;
            further = ffgrammar_top_bits(read <= (int8_t)0xBF) & below;
            *is_unsure |= ((two | three) << 1 | three << 2) ^ further;
            *is_unsure |= (two | three | further) ^ high;
            if (stop) return at + __builtin_ctz(stop);
        }
        for (; at < size && data[at] >= least && data[at] != '"' && data[at] != '\\\\'; at++) *is_unsure |= data[at] & 0x80;
        return at;
    }
    static inline uint32_t ffgrammar_printable_run(const uint8_t *text) {
        ffgrammar_sixteen read;
        memcpy(&read, text, 16);
        return __builtin_ctz(ffgrammar_top_bits((read < 0x21) | (read == 0x7F)) | 0x10000);
    }
    """
    # Pass over the bytes from data[at] on that are not below `least` (0x80 at most), nor a quote, nor a backslash. Returns where
    # they end, which is `size` at most. If `is_unsure` becomes False, these bytes are well-formed UTF-8. If it becomes True, they
    # have to be looked at: they may be wrong, or have characters that are not told here.
    size_t name_end "ffgrammar_name_end"(
        const uint8_t* data, size_t at, size_t size, int least, int* is_unsure) noexcept nogil

    # How many of 16 bytes are printable ASCII other than a space, up to the first one that is not.
    uint32_t printable_run "ffgrammar_printable_run"(const uint8_t* text) noexcept nogil
