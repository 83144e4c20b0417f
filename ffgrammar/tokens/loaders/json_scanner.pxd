"""Reading JSON text byte by byte, without Python objects. What is unusual is not read: then Python's json decides."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t
from libc.string cimport memcmp

cdef enum:
    OTHER = -1  # something else than what was to be read, which need not be an error
    MAX_ID = (1 << 24) - 33  # the largest id that a vocabulary may have

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


# Read the rest of a string, after its first quote. Write its UTF-8 to `out`, which has room for as many bytes as the JSON text
# has. Returns how many bytes are written, or OTHER.
cdef long read_string(Text* text, uint8_t* out) noexcept nogil

# Pass over the rest of a string, without a check of what is in it. Returns whether it ends.
cdef bint skip_string(Text* text) noexcept nogil

# Pass over a value, without a check of what is in it. Returns whether it ends.
cdef bint skip_value(Text* text) noexcept nogil

# Pass over white space, and read an id. Returns it, or OTHER.
cdef long read_id(Text* text) noexcept nogil


cdef inline long read_digits(const uint8_t* data, size_t size, size_t* at) noexcept nogil:
    """Read the id that begins at data[at], and move `at` behind it. Returns the id, or OTHER."""
    cdef size_t first = at[0], here = at[0]
    cdef long value = 0
    while here < size and c"0" <= data[here] <= c"9" and value <= MAX_ID:
        value = 10 * value + (data[here] - c"0")
        here += 1
    at[0] = here
    if here == first or value > MAX_ID or (data[first] == c"0" and here > first + 1):
        return OTHER
    return value
