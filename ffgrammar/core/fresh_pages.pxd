"""Fresh memory, whose pages the system gives when they are first used."""

from libc.stddef cimport size_t

cdef extern from *:
    """
    #include <stddef.h>
    static inline void ffgrammar_claim_pages(void *memory, size_t size) {
        for (size_t at = 0; at < size; at += 4096) ((volatile char *)memory)[at] = 0;
    }
    """
    # Use each page of fresh memory: write a zero to it. The memory has `size` bytes, and all are zeros. (A page that is read before
    # it is written to takes the system's time twice. A table is read by a look-up before its first entry is written.)
    void claim_pages "ffgrammar_claim_pages"(void* memory, size_t size) noexcept nogil
