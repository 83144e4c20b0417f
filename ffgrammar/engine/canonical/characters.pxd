"""The order in which searches try printable ASCII characters: one that can come next is looked for, and any will do.

Characters of different kinds come first, `0`, `Q`, `r`, and so on: every 33rd of them. (A digit, or it and a letter, can follow
every token of Gemma 3, Llama 2 and Llama 3. With the first 8 characters in the order of their codes, some 170 tokens of Gemma 3,
which end in punctuation, would be left.)
"""

from libc.stdint cimport uint32_t

cdef enum:
    FIRST_CHARACTER = 0x30
    PRINTABLE = 0x7F - 0x20  # how many there are
    STRIDE = 33


cdef inline uint32_t next_character(uint32_t byte) noexcept nogil:
    """The character that is tried after this one."""
    return 0x20 + (byte - 0x20 + <uint32_t>STRIDE) % <uint32_t>PRINTABLE


cdef inline bint is_alphanumeric(uint32_t byte) noexcept nogil:
    """Whether a byte is an ASCII letter or digit."""
    return 0x30 <= byte <= 0x39 or 0x41 <= byte & ~<uint32_t>0x20 <= 0x5A
