"""A hash map from 64-bit keys to 32-bit values, with the hash table of buckets.pxd.

Do not store the value ABSENT, because a look-up cannot tell it from a missing key. Keys cannot be removed one by one.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.buckets cimport (
    Buckets, bucket_of, buckets_clear, buckets_free, buckets_init, buckets_reserve, buckets_split,
)
from ffgrammar.core.intern cimport mix64
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_free, vec_init, vec_reserve

cdef enum:
    ABSENT = 0xFFFFFFFF
    MAP_WORDS = 4

cdef struct MapEntry:
    uint64_t key
    uint32_t value
    uint32_t next  # the next entry of its bucket: its index + 1, or 0

cdef struct Map:
    Vec entries    # MapEntries, in the order in which the keys came
    Buckets buckets


cdef inline int map_init(Map* m) noexcept nogil:
    """Make an empty map. Returns OK or NO_MEMORY; map_free may be called after either."""
    vec_init(&m.entries)
    return buckets_init(&m.buckets)


cdef inline void map_free(Map* m) noexcept nogil:
    """Free everything. Call map_init before using the map again."""
    vec_free(&m.entries)
    buckets_free(&m.buckets)


cdef inline void map_clear(Map* m) noexcept nogil:
    """Remove all keys, and keep the memory."""
    m.entries.len = 0
    buckets_clear(&m.buckets)


cdef inline size_t map_count(const Map* m) noexcept nogil:
    """How many keys there are."""
    return m.entries.len // MAP_WORDS


cdef inline size_t map_bytes(const Map* m) noexcept nogil:
    """How many bytes the map has allocated."""
    return (m.entries.cap + m.buckets.heads.cap) * sizeof(uint32_t)


cdef inline MapEntry* map_entry(const Map* m, uint32_t number) noexcept nogil:
    """An entry. `number` is its index + 1."""
    return <MapEntry*>m.entries.data + number - 1


cdef inline MapEntry* map_look(const Map* m, uint64_t key, uint64_t h) noexcept nogil:
    """The entry of a key with the hash `h`, or NULL."""
    cdef uint32_t number = bucket_of(&m.buckets, h)[0]
    cdef MapEntry* entry
    while number:
        entry = map_entry(m, number)
        if entry.key == key:
            return entry
        number = entry.next
    return NULL


cdef inline uint32_t map_get(const Map* m, uint64_t key) noexcept nogil:
    """The value of a key, or ABSENT."""
    cdef const MapEntry* entry = map_look(m, key, mix64(key))
    return <uint32_t>ABSENT if entry == NULL else entry.value


cdef inline void map_split(Map* m) noexcept nogil:
    """Add a bucket, for which there is room, and move the entries there that belong into it."""
    cdef uint32_t* stay = buckets_split(&m.buckets)
    cdef size_t bucket = m.buckets.heads.len - 1
    cdef uint32_t* move = m.buckets.heads.data + bucket
    cdef MapEntry* entry
    while stay[0]:
        entry = map_entry(m, stay[0])
        if mix64(entry.key) & m.buckets.mask == bucket:
            move[0] = stay[0]
            stay[0] = entry.next
            move = &entry.next
        else:
            stay = &entry.next
    move[0] = 0


cdef inline int map_put(Map* m, uint64_t key, uint32_t value) noexcept nogil:
    """Set the value of a key. Returns OK, or NO_MEMORY, which leaves the map as it was."""
    cdef uint64_t h = mix64(key)
    cdef MapEntry* entry = map_look(m, key, h)
    cdef uint32_t* bucket
    if entry != NULL:
        entry.value = value
        return OK
    if vec_reserve(&m.entries, m.entries.len + MAP_WORDS) < 0 or buckets_reserve(&m.buckets) < 0:
        return NO_MEMORY
    if map_count(m) >= m.buckets.heads.len:
        map_split(m)
    bucket = bucket_of(&m.buckets, h)
    entry = <MapEntry*>(m.entries.data + m.entries.len)
    entry.key = key
    entry.value = value
    entry.next = bucket[0]
    m.entries.len += MAP_WORDS
    bucket[0] = <uint32_t>map_count(m)
    return OK


cdef inline void map_set(Map* m, uint64_t key, uint32_t value) noexcept nogil:
    """Change the value of a key that is in the map."""
    map_look(m, key, mix64(key)).value = value
