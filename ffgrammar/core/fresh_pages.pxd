"""Memory that is given by the system while it is used."""

from libc.stddef cimport size_t

cdef extern from *:
    """
    #include <stddef.h>
    static inline void ffgrammar_claim_pages(void *memory, size_t size) {
        for (size_t at = 0; at < size; at += 4096) ((volatile char *)memory)[at] = 0;
    }
    """
    # Write a zero to each page of `size` bytes of zeros, at least. (A fresh page that is read before it is written to takes the
    # system's time twice: a look-up that comes before an entry is such a read.)
    void claim_pages "ffgrammar_claim_pages"(void* memory, size_t size) noexcept nogil
