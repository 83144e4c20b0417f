"""The pre-tokenizers of the embedded encodings, and the classes of all characters."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t

cdef enum Splitter:
    SPLIT_CL100K = 0
    SPLIT_O200K = 1


cdef class CharClasses:
    cdef uint8_t first[4352]   # by code point >> 8: the number of its block
    cdef uint8_t* blocks       # the different blocks, of 256 class bytes each


# The table that comes with the package. It is read when it is first needed. Raises TokenizerError if it cannot be read.
cdef CharClasses char_classes()

# Takes text[:end], which must be UTF-8, and an offset `at` below `end` where a pre-token starts. Returns where this pre-token
# ends, an offset greater than `at`.
cdef size_t next_pretoken(
    Splitter splitter, CharClasses classes, const uint8_t* text, size_t at, size_t end
) noexcept nogil
