"""Bitmasks that callers pass in: int32 [batch, words], C-contiguous, numpy or torch (CPU)."""

from libc.stdint cimport uint32_t

cdef struct BitmaskRows:
    Py_buffer view
    uint32_t* words
    size_t batch   # how many rows
    size_t count   # how many words a row has

# Open an array for writing. The caller closes it with rows_close. Returns 0. Raises MatcherError if it has another shape or
# type.
cdef int rows_open(object bitmask, BitmaskRows* rows) except -1

# The same, for reading.
cdef int rows_open_to_read(object bitmask, BitmaskRows* rows) except -1

# Let go of an array that was opened.
cdef void rows_close(BitmaskRows* rows) noexcept

# Returns the words of row `index`, the first of `many` rows to write. Raises MatcherError if one of these rows is not
# there, or if rows have fewer than `n_words` words.
cdef uint32_t* rows_at(const BitmaskRows* rows, Py_ssize_t index, size_t many, uint32_t n_words) except? NULL
