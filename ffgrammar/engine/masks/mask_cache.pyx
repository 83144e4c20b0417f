"""Masks are hash-consed: equal masks are stored once, whatever their keys are."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from ffgrammar.core.bits cimport bit_set, lowest_bit64
from ffgrammar.core.intern cimport mix64
from ffgrammar.core.map cimport ABSENT, map_clear, map_get, map_put
from ffgrammar.core.owner cimport own_map, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_add, lock_free, lock_init, lock_leave, lock_soon, lock_take


cdef int table_init(MaskTable* t) noexcept nogil:
    t.generation = t.len = t.room = 0
    t.bytes = t.hits = 0
    t.masks = NULL
    owner_init(&t.owner)
    own_map(&t.owner, &t.index)
    own_map(&t.owner, &t.contents)
    t.has_lock = lock_init(&t.lock) == 0
    return owner_status(&t.owner) if t.has_lock else NO_MEMORY


cdef void release_all(MaskTable* t) noexcept nogil:
    """Give up the table's hold on its masks."""
    cdef uint32_t i
    for i in range(t.len):
        mask_release(t.masks[i])
    free(t.masks)
    t.masks = NULL
    t.len = t.room = 0
    t.bytes = 0


cdef void table_free(MaskTable* t) noexcept nogil:
    release_all(t)
    owner_free(&t.owner)
    if t.has_lock:
        lock_free(&t.lock)


cdef void table_clear(MaskTable* t, uint32_t generation) noexcept nogil:
    lock_take(&t.lock)
    release_all(t)
    map_clear(&t.index)
    map_clear(&t.contents)
    t.generation = generation
    lock_leave(&t.lock)


cdef size_t table_bytes(const MaskTable* t) noexcept nogil:
    return owner_bytes(&t.owner) + t.bytes + t.room * sizeof(void*)


cdef size_t mask_bytes(uint32_t words) noexcept nogil:
    """The size of a stored mask of `words` words."""
    return sizeof(StoredMask) - sizeof(uint32_t) + words * sizeof(uint32_t)


cdef StoredMask* table_find(MaskTable* t, uint32_t generation, uint64_t key, bint wait) noexcept nogil:
    cdef StoredMask* mask = NULL
    cdef uint32_t number
    if wait:
        lock_take(&t.lock)
    elif not lock_soon(&t.lock):
        return NULL
    if t.generation == generation:
        number = map_get(&t.index, key)
        if number != ABSENT:
            mask = t.masks[number]
            atomic_add(&mask.refs, 1)
            t.hits += 1
    lock_leave(&t.lock)
    return mask


cdef StoredMask* find_equal(
    const MaskTable* t, uint64_t hash, uint32_t count, uint32_t size, const uint32_t* words,
) noexcept nogil:
    """The stored mask with these words, which the caller releases, or NULL. Most masks come up again in other rows: along three
    schemas there were 2,419 long masks, and only 80 different ones."""
    # The table's lock is not needed: the engine's lock is held, so no other thread changes the table.
    cdef uint32_t number = map_get(&t.contents, hash)
    cdef StoredMask* mask
    if number == ABSENT:
        return NULL
    mask = t.masks[number]
    # If two masks have the same hash, only the later one is found.
    if mask.count != count or mask.size != size or memcmp(mask.words, words, size * sizeof(uint32_t)) != 0:
        return NULL
    atomic_add(&mask.refs, 1)
    return mask


cdef int add_mask(MaskTable* t, StoredMask* mask) noexcept nogil:
    cdef StoredMask** more
    cdef uint32_t room
    if t.len == t.room:
        room = max(<uint32_t>16, 2 * t.room)
        more = <StoredMask**>realloc(t.masks, room * sizeof(StoredMask*))
        if more == NULL:
            return NO_MEMORY
        t.masks = more
        t.room = room
    if map_put(&t.contents, mask.hash, t.len) < 0:
        return NO_MEMORY
    atomic_add(&mask.refs, 1)
    t.masks[t.len] = mask
    t.len += 1
    t.bytes += mask_bytes(mask.size)
    return OK


cdef int table_put(MaskTable* t, uint64_t key, StoredMask* mask) noexcept nogil:
    cdef uint32_t number
    cdef int status = OK
    lock_take(&t.lock)
    # the mask may be kept already, under another key
    number = map_get(&t.contents, mask.hash)
    if number == ABSENT or t.masks[number] != mask:
        number = t.len
        status = add_mask(t, mask)
    if status >= 0:
        status = map_put(&t.index, key, number)
    lock_leave(&t.lock)
    return status


cdef uint64_t hash_mask(const uint32_t* words, size_t count) noexcept nogil:
    """A hash by four chains of multiplications side by side. In a single chain, as core/intern.pxd has it for short tuples,
    each multiplication waits for the one before."""
    cdef uint64_t lanes[4]
    cdef uint64_t word
    cdef size_t i = 0
    cdef int j
    for j in range(4):
        lanes[j] = count + j
    while i + 8 <= count:
        for j in range(4):
            memcpy(&word, words + i + 2 * j, 8)
            lanes[j] = (lanes[j] ^ word) * <uint64_t>0x9E3779B97F4A7C15
            lanes[j] ^= lanes[j] >> 32
        i += 8
    while i < count:
        lanes[0] = (lanes[0] ^ words[i]) * <uint64_t>0x9E3779B97F4A7C15
        i += 1
    return mix64(lanes[0] ^ mix64(lanes[1] ^ mix64(lanes[2] ^ mix64(lanes[3])))) >> 1


cdef uint32_t list_tokens(const uint32_t* words, uint32_t n_words, uint32_t* tokens, uint32_t most) noexcept nogil:
    cdef const uint64_t* block
    cdef uint32_t i = 0
    cdef uint32_t count = 0
    cdef uint32_t j
    cdef uint64_t bits
    while i < n_words and count <= most:
        block = <const uint64_t*>(words + i)
        if block[0] | block[1] | block[2] | block[3]:
            for j in range(i, i + BLOCK, 2):
                bits = words[j] | <uint64_t>words[j + 1] << 32
                while bits:
                    tokens[count] = j << 5 | lowest_bit64(bits)
                    count += 1
                    bits &= bits - 1
        i += BLOCK
    return count


cdef StoredMask* table_pack(MaskTable* t, const uint32_t* words, uint32_t n_words, uint32_t* scratch) noexcept nogil:
    cdef uint32_t most = n_words >> 2
    cdef uint32_t count = list_tokens(words, n_words, scratch, most)
    cdef uint32_t size = count
    cdef const uint32_t* packed = scratch
    cdef uint64_t hash
    cdef StoredMask* mask
    if count > most:
        count = DENSE
        size = n_words
        packed = words
    hash = hash_mask(packed, size)
    mask = find_equal(t, hash, count, size, packed)
    if mask != NULL:
        return mask
    mask = <StoredMask*>malloc(mask_bytes(size))
    if mask == NULL:
        return NULL
    mask.refs = 1
    mask.size = size
    mask.count = count
    mask.hash = hash
    memcpy(mask.words, packed, size * sizeof(uint32_t))
    return mask


cdef void mask_release(StoredMask* mask) noexcept nogil:
    if mask != NULL and atomic_add(&mask.refs, <uint32_t>-1) == 1:
        free(mask)


cdef void mask_unpack(const StoredMask* mask, uint32_t n_words, uint32_t* target, size_t count) noexcept nogil:
    cdef uint32_t i
    if mask.count == DENSE:
        memcpy(target, mask.words, n_words * sizeof(uint32_t))
        if count > n_words:
            memset(target + n_words, 0, (count - n_words) * sizeof(uint32_t))
        return
    memset(target, 0, count * sizeof(uint32_t))
    for i in range(mask.count):
        bit_set(target, mask.words[i])
