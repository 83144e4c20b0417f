"""Bitmasks that callers pass in: int32 [batch, words], C-contiguous, numpy or torch (CPU)."""

from libc.stdint cimport uint32_t

cdef struct BitmaskRows:
    Py_buffer view
    uint32_t* words
    size_t batch
    size_t count   # words of a row

# To be closed. Raises MatcherError if it has another shape or type.
cdef int rows_open(object bitmask, BitmaskRows* rows) except -1
cdef void rows_close(BitmaskRows* rows) noexcept

# Check that there are so many rows from `index` on, as wide as `n_words`, and return the first. Raises MatcherError.
cdef uint32_t* rows_at(const BitmaskRows* rows, Py_ssize_t index, size_t many, uint32_t n_words) except? NULL
