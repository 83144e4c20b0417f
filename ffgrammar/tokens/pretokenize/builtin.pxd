"""Pre-tokenizers: where the pre-tokens of a text end."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t

cdef enum Splitter:
    SPLIT_CL100K = 0
    SPLIT_O200K = 1


cdef class CharClasses:
    cdef uint8_t first[4352]   # code point >> 8 -> block
    cdef uint8_t* blocks       # 256 class bytes a block


cdef CharClasses char_classes()

cdef size_t next_pretoken(
    Splitter splitter, CharClasses classes, const uint8_t* text, size_t at, size_t end
) noexcept nogil
