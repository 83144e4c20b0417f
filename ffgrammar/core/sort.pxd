"""Sorting of 32-bit words, and comparison of runs of them."""

from libc.stdint cimport uint32_t
from libc.stdlib cimport qsort


cdef enum:
    MANY_WORDS = 512  # qsort sorts more words than this


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
    """Sort words in place, ascending. Few words are sorted by Shell's method with Ciura's gaps (2001): qsort calls its comparison
    function through a pointer, which took 4% of the instructions of canonical masks."""
    cdef uint32_t[6] gaps = [132, 57, 23, 10, 4, 1]
    cdef uint32_t gap, word
    cdef size_t i, at
    if count > MANY_WORDS:
        qsort(words, count, sizeof(uint32_t), compare_words)
        return
    for gap in gaps:
        for i in range(gap, count):
            word = words[i]
            at = i
            while at >= gap and words[at - gap] > word:
                words[at] = words[at - gap]
                at -= gap
            words[at] = word
