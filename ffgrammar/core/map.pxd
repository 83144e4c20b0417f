"""A hash map from 64-bit keys to 32-bit values: open addressing with linear probing, at most half full, 12 bytes a slot.

The key whose bits are all 1 is reserved. Do not store the value ABSENT, because a look-up cannot tell it from a
missing key. Keys cannot be removed one by one.
"""

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
    size_t mask  # the number of slots minus 1
    size_t len   # how many keys there are


cdef inline int map_alloc(Map* m, size_t size) noexcept nogil:
    """Make an empty map of `size` slots, a power of two. Returns OK or NO_MEMORY; map_free may be called after either."""
    m.keys = <uint64_t*>malloc(size * sizeof(uint64_t))
    m.values = <uint32_t*>malloc(size * sizeof(uint32_t))
    m.mask = size - 1
    m.len = 0
    if m.keys == NULL or m.values == NULL:
        return NO_MEMORY
    memset(m.keys, 0xFF, size * sizeof(uint64_t))
    return OK


cdef inline int map_init(Map* m) noexcept nogil:
    """Make an empty map. Returns OK or NO_MEMORY; map_free may be called after either."""
    return map_alloc(m, 64)


cdef inline void map_free(Map* m) noexcept nogil:
    """Free everything. Call map_init before using the map again."""
    free(m.keys)
    free(m.values)
    m.keys = NULL
    m.values = NULL


cdef inline void map_clear(Map* m) noexcept nogil:
    """Remove all keys, and keep the memory."""
    memset(m.keys, 0xFF, (m.mask + 1) * sizeof(uint64_t))
    m.len = 0


cdef inline size_t map_bytes(const Map* m) noexcept nogil:
    """How many bytes the map has allocated."""
    return (m.mask + 1) * 12


cdef inline uint32_t map_get(const Map* m, uint64_t key) noexcept nogil:
    """The value of a key, or ABSENT."""
    cdef size_t slot = mix64(key) & m.mask
    while m.keys[slot] != <uint64_t>-1:
        if m.keys[slot] == key:
            return m.values[slot]
        slot = (slot + 1) & m.mask
    return ABSENT


cdef inline void map_place(Map* m, uint64_t key, uint32_t value) noexcept nogil:
    """Set the value of a key. The key must be in the map already, or a slot must be free for it. Most callers want map_put."""
    cdef size_t slot = mix64(key) & m.mask
    while m.keys[slot] != <uint64_t>-1 and m.keys[slot] != key:
        slot = (slot + 1) & m.mask
    if m.keys[slot] != key:
        m.keys[slot] = key
        m.len += 1
    m.values[slot] = value


cdef inline int map_put(Map* m, uint64_t key, uint32_t value) noexcept nogil:
    """Set the value of a key. Returns OK, or NO_MEMORY, which leaves the map as it was."""
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
