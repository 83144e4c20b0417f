"""Reading JSON text byte by byte, without Python objects."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.hexadecimal cimport hex_digits4
from ffgrammar.core.utf8 cimport Utf8, utf8_step, utf8_write


cdef int _escape(Text* text, uint8_t* out) noexcept nogil:
    """Reads what follows a backslash, and writes the character to `out` in UTF-8. Returns how many bytes it has, or OTHER."""
    cdef int code, low
    cdef uint8_t one
    if text.at >= text.size:
        return OTHER
    one = text.data[text.at]
    text.at += 1
    if one == c"u":
        if text.size - text.at < 4:
            return OTHER
        code = hex_digits4(text.data + text.at)
        text.at += 4
        if 0xD800 <= code < 0xDC00 and text.size - text.at >= 6 and text.data[text.at] == c"\\" and \
                text.data[text.at + 1] == c"u":
            low = hex_digits4(text.data + text.at + 2)
            if not 0xDC00 <= low < 0xE000:
                return OTHER
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            text.at += 6
        if code < 0 or 0xD800 <= code < 0xE000:
            return OTHER
        return utf8_write(<uint32_t>code, out)
    if one == c"n":
        out[0] = c"\n"
    elif one == c"t":
        out[0] = c"\t"
    elif one == c"r":
        out[0] = c"\r"
    elif one == c"b":
        out[0] = 8
    elif one == c"f":
        out[0] = 12
    elif one == c'"' or one == c"\\" or one == c"/":
        out[0] = one
    else:
        return OTHER
    return 1


cdef long read_string(Text* text, uint8_t* out) noexcept nogil:
    # (copies, because the compiler must assume that a write to `out` may change the text)
    cdef const uint8_t* data = text.data
    cdef size_t at = text.at
    cdef size_t size = text.size
    cdef uint8_t* to = out
    cdef uint8_t one
    cdef Utf8 character
    cdef int made
    while at < size:
        one = data[at]
        at += 1
        if one >= 0x80:
            character.need = 0
            if not utf8_step(&character, one):
                return OTHER
            to[0] = one
            to += 1
            while character.need:
                if at >= size or not utf8_step(&character, data[at]):
                    return OTHER
                to[0] = data[at]
                to += 1
                at += 1
        elif one == c'"':
            text.at = at
            return to - out
        elif one == c"\\":
            text.at = at
            made = _escape(text, to)
            if made < 0:
                return OTHER
            at = text.at
            to += made
        elif one < 0x20:
            return OTHER
        else:
            to[0] = one
            to += 1
    return OTHER


cdef bint skip_string(Text* text) noexcept nogil:
    while text.at < text.size:
        if text.data[text.at] == c'"':
            text.at += 1
            return True
        text.at += 2 if text.data[text.at] == c"\\" else 1
    return False


cdef bint skip_value(Text* text) noexcept nogil:
    cdef uint32_t depth = 0
    cdef uint8_t one = next_byte(text)
    while text.at < text.size:
        one = text.data[text.at]
        if depth == 0 and (one == c"," or one == c"}" or one == c"]"):
            return True
        text.at += 1
        if one == c'"':
            if not skip_string(text):
                return False
        elif one == c"{" or one == c"[":
            depth += 1
        elif one == c"}" or one == c"]":
            depth -= 1
    return False


cdef long read_id(Text* text) noexcept nogil:
    next_byte(text)
    return read_digits(text.data, text.size, &text.at)
