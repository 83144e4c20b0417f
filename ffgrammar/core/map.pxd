"""A hash map from 64-bit keys to 32-bit values; the key of all ones is reserved."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ffgrammar.core.intern cimport mix64
from ffgrammar.core.status cimport NO_MEMORY, OK

cdef enum:
    ABSENT = 0xFFFFFFFF

cdef struct Map:
    uint64_t* keys
    uint32_t* values
    size_t mask
    size_t len


cdef inline int map_alloc(Map* m, size_t size) noexcept nogil:
    m.keys = <uint64_t*>malloc(size * sizeof(uint64_t))
    m.values = <uint32_t*>malloc(size * sizeof(uint32_t))
    m.mask = size - 1
    m.len = 0
    if m.keys == NULL or m.values == NULL:
        return NO_MEMORY
    memset(m.keys, 0xFF, size * sizeof(uint64_t))
    return OK


cdef inline int map_init(Map* m) noexcept nogil:
    return map_alloc(m, 64)


cdef inline void map_free(Map* m) noexcept nogil:
    free(m.keys)
    free(m.values)
    m.keys = NULL
    m.values = NULL


cdef inline void map_clear(Map* m) noexcept nogil:
    memset(m.keys, 0xFF, (m.mask + 1) * sizeof(uint64_t))
    m.len = 0


cdef inline size_t map_bytes(const Map* m) noexcept nogil:
    return (m.mask + 1) * 12


cdef inline uint32_t map_get(const Map* m, uint64_t key) noexcept nogil:
    cdef size_t slot = mix64(key) & m.mask
    while m.keys[slot] != <uint64_t>-1:
        if m.keys[slot] == key:
            return m.values[slot]
        slot = (slot + 1) & m.mask
    return ABSENT


cdef inline void map_place(Map* m, uint64_t key, uint32_t value) noexcept nogil:
    cdef size_t slot = mix64(key) & m.mask
    while m.keys[slot] != <uint64_t>-1 and m.keys[slot] != key:
        slot = (slot + 1) & m.mask
    if m.keys[slot] != key:
        m.keys[slot] = key
        m.len += 1
    m.values[slot] = value


cdef inline int map_put(Map* m, uint64_t key, uint32_t value) noexcept nogil:
    cdef Map bigger
    cdef size_t i
    if m.len * 2 >= m.mask:
        if map_alloc(&bigger, (m.mask + 1) * 2) < 0:
            map_free(&bigger)
            return NO_MEMORY
        for i in range(m.mask + 1):
            if m.keys[i] != <uint64_t>-1:
                map_place(&bigger, m.keys[i], m.values[i])
        map_free(m)
        m[0] = bigger
    map_place(m, key, value)
    return OK
