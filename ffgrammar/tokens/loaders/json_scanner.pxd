"""Reading JSON text byte by byte, without Python objects. What is unusual is not read: then Python's json decides."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcmp

cdef enum:
    OTHER = -1  # something else than what was to be read, which need not be an error

cdef enum ReadStatus:
    FOUND = 0
    UNUSUAL = -1    # Python's json decides
    NO_MEMORY = -2


cdef struct Text:
    const uint8_t* data
    size_t size
    size_t at


cdef inline uint8_t next_byte(Text* text) noexcept nogil:
    """Passes over white space. Returns the byte after it, 0 at the end."""
    cdef uint8_t one
    while text.at < text.size:
        one = text.data[text.at]
        if one != c" " and one != c"\n" and one != c"\t" and one != c"\r":
            return one
        text.at += 1
        # (mostly, this is the white space of indented lines)
        while one == c"\n" and text.size - text.at >= 4 and memcmp(text.data + text.at, <const char*>"    ", 4) == 0:
            text.at += 4
    return 0


cdef inline bint take_byte(Text* text, uint8_t wanted) noexcept nogil:
    """Passes over white space and then over the byte `wanted`. Returns False if another byte, or none, is there."""
    if next_byte(text) != wanted:
        return False
    text.at += 1
    return True


cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    static inline size_t ffgrammar_plain_end(const uint8_t *data, size_t at, size_t size, uint8_t least, uint64_t *high) {
        const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
        uint64_t word, quote, slash, stop;
        *high = 0;
        for (; size - at >= 8; at += 8) {
            memcpy(&word, data + at, 8);
    #if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            word = __builtin_bswap64(word);
    #endif
            quote = word ^ ones * '"';
            slash = word ^ ones * '\\\\';
            /* The lowest bit that is set is right: only a byte that stops the scan can borrow from the next one. */
            stop = (((word - ones * least) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops;
            if (stop) {
                *high |= word & tops & (stop ^ (stop - 1));
                return at + (__builtin_ctzll(stop) >> 3);
            }
            *high |= word & tops;
        }
        for (; at < size && data[at] >= least && data[at] != '"' && data[at] != '\\\\'; at++) *high |= data[at] & 0x80;
        return at;
    }
    """
    # Pass over the bytes from data[at] on that are not below `least`, nor a quote, nor a backslash, eight at a time. Returns where
    # they end, which is `size` at most. `high` becomes 0 if all of these bytes are below 0x80.
    size_t plain_end "ffgrammar_plain_end"(
        const uint8_t* data, size_t at, size_t size, uint8_t least, uint64_t* high) noexcept nogil


# Read the rest of a string, after its first quote. Write its UTF-8 to `out`, which has room for as many bytes as the JSON text
# has. Returns how many bytes are written, or OTHER.
cdef long read_string(Text* text, uint8_t* out) noexcept nogil

# Pass over the rest of a string, without a check of what is in it. Returns whether it ends.
cdef bint skip_string(Text* text) noexcept nogil

# Pass over a value, without a check of what is in it. Returns whether it ends.
cdef bint skip_value(Text* text) noexcept nogil

# Read an id. Returns it, or OTHER.
cdef long read_id(Text* text) noexcept nogil
