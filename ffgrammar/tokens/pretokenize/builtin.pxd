"""The pre-tokenizers of the embedded encodings, and the classes of all characters."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t

cdef enum Splitter:
    SPLIT_CL100K = 0
    SPLIT_O200K = 1


cdef class CharClasses:
    cdef uint8_t first[4352]   # code point >> 8 -> block
    cdef uint8_t* blocks       # 256 class bytes a block


# The table that comes with the package, read when first needed. Raises TokenizerError if it cannot be read.
cdef CharClasses char_classes()

# Where the pre-token ends that starts at `at`: an offset greater than `at`, which is less than `end`. text[:end] is UTF-8.
cdef size_t next_pretoken(
    Splitter splitter, CharClasses classes, const uint8_t* text, size_t at, size_t end
) noexcept nogil
