"""UTF-8 one byte at a time: reading it strictly, writing it, and finding where its characters begin."""

from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    LAST_CODE = 0x10FFFF  # the largest code point


cdef struct Utf8:
    # A character that is being read. Begin with `need` = 0. The other fields need no value then.
    uint32_t code  # the bits read so far; the code point once `need` is back at 0
    uint8_t need   # bytes that are still missing; 0 between two characters
    uint8_t low    # where `need` is not 0, the next byte lies in low..high
    uint8_t high


cdef inline bint utf8_step(Utf8* at, uint32_t byte) noexcept nogil:
    """Read one byte. Returns False, and leaves `at` unusable, if the byte cannot come here in well-formed UTF-8.

    Overlong forms and surrogates are not well-formed. After the last byte of a character, `need` is 0 and `code` is the
    character's code point.
    """
    if at.need:
        if byte < at.low or byte > at.high:
            return False
        at.code = at.code << 6 | (byte & 0x3F)
        at.need -= 1
        at.low = 0x80
        at.high = 0xBF
        return True
    at.low = 0x80
    at.high = 0xBF
    if byte < 0x80:
        at.code = byte
        return True
    if byte < 0xC2 or byte > 0xF4:
        return False
    if byte < 0xE0:
        at.code = byte & 0x1F
        at.need = 1
    elif byte < 0xF0:
        at.code = byte & 0x0F
        at.need = 2
        if byte == 0xE0:
            at.low = 0xA0
        elif byte == 0xED:
            at.high = 0x9F
    else:
        at.code = byte & 0x07
        at.need = 3
        if byte == 0xF0:
            at.low = 0x90
        elif byte == 0xF4:
            at.high = 0x8F
    return True


cdef inline bint utf8_is_valid(const uint8_t* text, const uint8_t* end) noexcept nogil:
    """Whether the bytes up to, and without, `end` are well-formed UTF-8. At `end` there must be a byte below 0x80, so a character
    that is cut off is found without counting."""
    cdef uint8_t lead
    while text < end:
        lead = text[0]
        if lead < 0x80:
            text += 1
        elif lead < 0xE0:
            if lead < 0xC2 or text[1] & 0xC0 != 0x80:
                return False
            text += 2
        elif lead < 0xF0:
            if text[1] & 0xC0 != 0x80 or text[2] & 0xC0 != 0x80:
                return False
            if (lead == 0xE0 and text[1] < 0xA0) or (lead == 0xED and text[1] > 0x9F):
                return False
            text += 3
        else:
            if text[1] & 0xC0 != 0x80 or text[2] & 0xC0 != 0x80 or text[3] & 0xC0 != 0x80:
                return False
            if lead > 0xF4 or (lead == 0xF0 and text[1] < 0x90) or (lead == 0xF4 and text[1] > 0x8F):
                return False
            text += 4
    return True


cdef inline uint32_t utf8_write(uint32_t code, uint8_t* text) noexcept nogil:
    """Write a code point to `text`, which has room for four bytes. Returns how many bytes were written.

    A lone surrogate is written as three bytes. They are not well-formed, and no other code point has these bytes.
    """
    cdef uint32_t count, i
    if code < 0x80:
        text[0] = <uint8_t>code
        return 1
    if code < 0x800:
        text[0] = <uint8_t>(0xC0 | code >> 6)
        count = 2
    elif code < 0x10000:
        text[0] = <uint8_t>(0xE0 | code >> 12)
        count = 3
    else:
        text[0] = <uint8_t>(0xF0 | code >> 18)
        count = 4
    for i in range(1, count):
        text[i] = <uint8_t>(0x80 | (code >> 6 * (count - 1 - i) & 0x3F))
    return count


cdef inline bint utf8_continues(uint32_t byte) noexcept nogil:
    """Whether a byte is a continuation byte, that is, not the first of a character."""
    return byte & 0xC0 == 0x80


cdef inline uint32_t utf8_length(uint32_t lead) noexcept nogil:
    """How many bytes a character has if its first byte is `lead`. `lead` must not be a continuation byte."""
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
