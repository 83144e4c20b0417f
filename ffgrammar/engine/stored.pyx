"""Stored masks: a list of tokens where it is shorter than the words."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_add, lock_free, lock_init, lock_leave, lock_take

cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) nogil
    int lowest_bit "__builtin_ctz"(unsigned int) nogil

cdef enum:
    DENSE = 0xFFFFFFFF


cdef int table_init(MaskTable* t) noexcept nogil:
    t.generation = t.len = t.room = 0
    t.bytes = t.hits = 0
    t.masks = NULL
    t.has_lock = lock_init(&t.lock) == 0
    return map_init(&t.index) if t.has_lock else NO_MEMORY


cdef void forget(MaskTable* t) noexcept nogil:
    cdef uint32_t i
    for i in range(t.len):
        mask_release(t.masks[i])
    free(t.masks)
    t.masks = NULL
    t.len = t.room = 0
    t.bytes = 0


cdef void table_free(MaskTable* t) noexcept nogil:
    forget(t)
    map_free(&t.index)
    if t.has_lock:
        lock_free(&t.lock)


cdef void table_clear(MaskTable* t, uint32_t generation) noexcept nogil:
    lock_take(&t.lock)
    forget(t)
    map_clear(&t.index)
    t.generation = generation
    lock_leave(&t.lock)


cdef size_t table_bytes(const MaskTable* t) noexcept nogil:
    return map_bytes(&t.index) + t.bytes + t.room * sizeof(void*)


cdef size_t mask_bytes(uint32_t words) noexcept nogil:
    return sizeof(StoredMask) - sizeof(uint32_t) + words * sizeof(uint32_t)


cdef StoredMask* table_find(MaskTable* t, uint32_t generation, uint64_t key) noexcept nogil:
    cdef StoredMask* mask = NULL
    cdef uint32_t number
    lock_take(&t.lock)
    if t.generation == generation:
        number = map_get(&t.index, key)
        if number != ABSENT:
            mask = t.masks[number]
            atomic_add(&mask.refs, 1)
            t.hits += 1
    lock_leave(&t.lock)
    return mask


cdef int table_put(MaskTable* t, uint64_t key, StoredMask* mask) noexcept nogil:
    cdef StoredMask** more
    cdef uint32_t room
    cdef int status = OK
    lock_take(&t.lock)
    if t.len == t.room:
        room = max(<uint32_t>16, 2 * t.room)
        more = <StoredMask**>realloc(t.masks, room * sizeof(StoredMask*))
        if more == NULL:
            status = NO_MEMORY
        else:
            t.masks = more
            t.room = room
    if status >= 0:
        status = map_put(&t.index, key, t.len)
    if status >= 0:
        atomic_add(&mask.refs, 1)
        t.masks[t.len] = mask
        t.len += 1
        t.bytes += mask_bytes(mask.size)
    lock_leave(&t.lock)
    return status


cdef StoredMask* mask_pack(const uint32_t* words, uint32_t n_words) noexcept nogil:
    cdef StoredMask* mask
    cdef uint32_t i, bits
    cdef uint32_t count = 0
    cdef bint dense
    for i in range(n_words):
        count += popcount(words[i])
    dense = count >= n_words >> 2
    mask = <StoredMask*>malloc(mask_bytes(n_words if dense else count))
    if mask == NULL:
        return NULL
    mask.refs = 1
    mask.size = n_words if dense else count
    if dense:
        mask.count = DENSE
        memcpy(mask.words, words, n_words * sizeof(uint32_t))
        return mask
    mask.count = count
    count = 0
    for i in range(n_words):
        bits = words[i]
        while bits:
            mask.words[count] = i << 5 | <uint32_t>lowest_bit(bits)
            count += 1
            bits &= bits - 1
    return mask


cdef void mask_release(StoredMask* mask) noexcept nogil:
    if mask != NULL and atomic_add(&mask.refs, <uint32_t>-1) == 1:
        free(mask)


cdef void mask_unpack(const StoredMask* mask, uint32_t n_words, uint32_t* target, size_t count) noexcept nogil:
    cdef uint32_t i, token
    if mask.count == DENSE:
        memcpy(target, mask.words, n_words * sizeof(uint32_t))
        if count > n_words:
            memset(target + n_words, 0, (count - n_words) * sizeof(uint32_t))
        return
    memset(target, 0, count * sizeof(uint32_t))
    for i in range(mask.count):
        token = mask.words[i]
        target[token >> 5] |= <uint32_t>1 << (token & 31)
