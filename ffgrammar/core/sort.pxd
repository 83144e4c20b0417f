"""Sorting of 32-bit words, and comparison of runs of them."""

from libc.stdint cimport uint32_t
from libc.stdlib cimport qsort


cdef inline int compare_words(const void* a, const void* b) noexcept nogil:
    """Compare two words: the comparison function for qsort."""
    cdef uint32_t x = (<const uint32_t*>a)[0]
    cdef uint32_t y = (<const uint32_t*>b)[0]
    return (x > y) - (x < y)


cdef inline int compare_runs(const void* a, const void* b, int count) noexcept nogil:
    """Compare two runs of words, word by word. Returns a number below, equal to or above 0."""
    cdef const uint32_t* x = <const uint32_t*>a
    cdef const uint32_t* y = <const uint32_t*>b
    cdef int i
    for i in range(count):
        if x[i] != y[i]:
            return 1 if x[i] > y[i] else -1
    return 0


cdef inline void sort_words(uint32_t* words, size_t count) noexcept nogil:
    """Sort words in place, ascending."""
    qsort(words, count, sizeof(uint32_t), compare_words)
