"""Growable arrays of 32-bit words.

Almost all memory of the engine is in such arrays and in the tables of intern.pxd and map.pxd, so that it can be counted and
bounded. owner.pxd frees the arrays and tables of a struct, and counts their memory.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from ffgrammar.core.status cimport NO_MEMORY, OK

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #ifdef __linux__
    #include <sys/mman.h>
    #endif

    /* An array of at least this many bytes has pages of its own, which the system moves when the array grows. By itself, glibc
       copies arrays of up to 32 MB once an array of that size was freed. In the slowest mask of JavaScript some arrays grow.
       It takes 4.8 ms if they are copied, and 3.6 ms if their pages are moved. */
    #define OWN_PAGES ((size_t)1 << 20)

    static inline void ff_release(void* data, size_t bytes) {
    #ifdef MREMAP_MAYMOVE
        if (bytes >= OWN_PAGES) {
            munmap(data, bytes);
            return;
        }
    #endif
        free(data);
    }

    /* Smaller arrays are copied here, because `realloc` copies while it holds the heap's lock, and threads that make masks of
       other grammars fall asleep waiting for that lock (docs/performance.md). */
    static inline void* ff_grow(void* data, size_t bytes, size_t grown) {
        void* made;
    #ifdef MREMAP_MAYMOVE
        if (grown >= OWN_PAGES) {
            if (bytes >= OWN_PAGES)
                made = mremap(data, bytes, grown, MREMAP_MAYMOVE);
            else
                made = mmap(NULL, grown, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (made == MAP_FAILED)
                return NULL;
            if (bytes >= OWN_PAGES)
                return made;
        } else
    #endif
        made = malloc(grown);
        if (made == NULL)
            return NULL;
        /* (all of the room is copied, because some arrays are used as buffers beyond `len`) */
        if (bytes)
            memcpy(made, data, bytes);
        free(data);
        return made;
    }
    """
    void release "ff_release"(void* data, size_t bytes) noexcept nogil
    void* grow "ff_grow"(void* data, size_t bytes, size_t grown) noexcept nogil

cdef struct Vec:
    uint32_t* data
    size_t len
    size_t cap


cdef inline void vec_init(Vec* v) noexcept nogil:
    """Make an empty array, which has no memory yet."""
    v.data = NULL
    v.len = 0
    v.cap = 0


cdef inline void vec_free(Vec* v) noexcept nogil:
    """Free the memory. The array is empty afterwards and may be used again."""
    release(v.data, v.cap * sizeof(uint32_t))
    vec_init(v)


cdef inline int vec_reserve(Vec* v, size_t cap) noexcept nogil:
    """Make room for `cap` words in all. If the room grows, it at least doubles. Returns OK, or NO_MEMORY, which leaves the
    array as it was."""
    cdef uint32_t* data
    cdef size_t grown
    if cap <= v.cap:
        return OK
    grown = v.cap * 2 if v.cap * 2 > cap else cap
    if grown < 16:
        grown = 16
    data = <uint32_t*>grow(v.data, v.cap * sizeof(uint32_t), grown * sizeof(uint32_t))
    if data == NULL:
        return NO_MEMORY
    v.data = data
    v.cap = grown
    return OK


cdef inline int vec_push(Vec* v, uint32_t word) noexcept nogil:
    """Append a word. Returns OK or NO_MEMORY."""
    if v.len == v.cap and vec_reserve(v, v.len + 1) < 0:
        return NO_MEMORY
    v.data[v.len] = word
    v.len += 1
    return OK


cdef inline int vec_extend(Vec* v, const uint32_t* words, size_t count) noexcept nogil:
    """Append words, which must not lie in the array itself. Returns OK or NO_MEMORY."""
    if vec_reserve(v, v.len + count) < 0:
        return NO_MEMORY
    if count:
        memcpy(v.data + v.len, words, count * sizeof(uint32_t))
    v.len += count
    return OK


cdef inline int vec_fill(Vec* v, size_t count, int byte) noexcept nogil:
    """Append `count` words. All four bytes of each word are `byte`. Returns OK or NO_MEMORY."""
    if vec_reserve(v, v.len + count) < 0:
        return NO_MEMORY
    if count:
        memset(v.data + v.len, byte, count * sizeof(uint32_t))
    v.len += count
    return OK


cdef inline int vec_copy(Vec* to, const Vec* v) noexcept nogil:
    """Make `to` equal to another array, with some room to grow. `to` must be initialised. Returns OK or NO_MEMORY."""
    to.len = 0
    if vec_reserve(to, v.len + (v.len >> 1)) < 0:
        return NO_MEMORY
    return vec_extend(to, v.data, v.len)
