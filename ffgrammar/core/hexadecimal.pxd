r"""Hexadecimal digits, as in `\u00e9` and `<0x0A>`."""

from libc.stdint cimport uint8_t


cdef inline int hex_digit(uint8_t one) noexcept nogil:
    """The value of a digit, or -1."""
    if c"0" <= one <= c"9":
        return one - c"0"
    one |= 0x20
    return one - c"a" + 10 if c"a" <= one <= c"f" else -1


cdef inline int hex_digits4(const uint8_t* digits) noexcept nogil:
    """The value of four digits, or -1."""
    cdef int value = 0, i, digit
    for i in range(4):
        digit = hex_digit(digits[i])
        if digit < 0:
            return -1
        value = value << 4 | digit
    return value
