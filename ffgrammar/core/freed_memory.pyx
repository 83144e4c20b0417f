"""Free memory goes back to the system (freed_memory.pxd)."""

cdef extern from *:
    """
    #include <stdlib.h>
    #ifdef __GLIBC__
    #include <malloc.h>
    #else
    static int malloc_trim(size_t pad) { return 0; }
    #endif
    """
    void trim_heap "malloc_trim"(size_t pad) noexcept nogil

cdef enum:
    # Free memory is returned after this many bytes.
    LARGE = 4 << 20

cdef size_t freed = 0  # since memory was returned last


cdef void memory_freed(size_t count) noexcept:
    global freed
    freed += count
    if freed > LARGE:
        freed = 0
        trim_heap(0)
