"""Hash-consing of tuples of 32-bit words: equal tuples have equal ids, so ids are compared instead of tuples.

Ids count up from 0 in the order in which tuples are added, so a table can be cut back to an earlier length
(`intern_truncate`). The tuples lie one after another in one array. The hash table holds ids only. It uses open addressing and
is at most half full.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_copy, vec_extend, vec_free, vec_init, vec_push, vec_reserve

cdef struct Intern:
    Vec words      # the tuples
    Vec starts     # per tuple: its offset in `words`; one more entry holds the end of the last tuple
    Vec hashes     # per tuple: the low 32 bits of its hash, so that growing never reads the tuples again
    uint32_t* slots  # the hash table: id + 1, or 0 in a free slot
    size_t mask      # the number of slots minus 1


cdef inline uint64_t mix64(uint64_t x) noexcept nogil:
    """A hash of 64 bits: the finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    x ^= x >> 30
    x *= <uint64_t>0xBF58476D1CE4E5B9
    x ^= x >> 27
    x *= <uint64_t>0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline uint32_t hash_words(const uint32_t* words, size_t count) noexcept nogil:
    """A hash of a tuple of words."""
    cdef uint64_t h = <uint64_t>0x9E3779B97F4A7C15 + count
    cdef size_t i
    for i in range(count):
        h = (h ^ words[i]) * <uint64_t>0xD6E8FEB86659FD93
        h ^= h >> 32
    return <uint32_t>mix64(h)


cdef inline int intern_init(Intern* t) noexcept nogil:
    """Make an empty table. Returns OK or NO_MEMORY; intern_free may be called after either."""
    vec_init(&t.words)
    vec_init(&t.starts)
    vec_init(&t.hashes)
    t.mask = 63
    t.slots = <uint32_t*>calloc(64, sizeof(uint32_t))
    if t.slots == NULL:
        return NO_MEMORY
    return vec_push(&t.starts, 0)


cdef inline void intern_free(Intern* t) noexcept nogil:
    """Free everything. Call intern_init before using the table again."""
    vec_free(&t.words)
    vec_free(&t.starts)
    vec_free(&t.hashes)
    free(t.slots)
    t.slots = NULL


cdef inline int intern_copy(Intern* to, const Intern* t) noexcept nogil:
    """Make `to` equal to another table. `to` must be initialised. Returns OK or NO_MEMORY."""
    cdef uint32_t* slots = <uint32_t*>realloc(to.slots, (t.mask + 1) * sizeof(uint32_t))
    if slots == NULL:
        return NO_MEMORY
    memcpy(slots, t.slots, (t.mask + 1) * sizeof(uint32_t))
    to.slots = slots
    to.mask = t.mask
    if vec_copy(&to.words, &t.words) < 0 or vec_copy(&to.starts, &t.starts) < 0:
        return NO_MEMORY
    return vec_copy(&to.hashes, &t.hashes)


cdef inline uint32_t intern_count(const Intern* t) noexcept nogil:
    """How many tuples there are. Every id is below this number."""
    return <uint32_t>t.hashes.len


cdef inline const uint32_t* intern_get(const Intern* t, uint32_t id) noexcept nogil:
    """The words of a tuple. Adding a tuple may move them."""
    return t.words.data + t.starts.data[id]


cdef inline uint32_t intern_len(const Intern* t, uint32_t id) noexcept nogil:
    """How many words a tuple has."""
    return t.starts.data[id + 1] - t.starts.data[id]


cdef inline size_t intern_bytes(const Intern* t) noexcept nogil:
    """How many bytes the table has allocated."""
    return (t.words.cap + t.starts.cap + t.hashes.cap + t.mask + 1) * sizeof(uint32_t)


cdef inline void intern_index(Intern* t, uint32_t* slots, size_t mask) noexcept nogil:
    """Enter all ids into a hash table of `mask + 1` free slots."""
    cdef uint32_t id
    cdef size_t slot
    for id in range(<uint32_t>t.hashes.len):
        slot = t.hashes.data[id] & mask
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = id + 1


cdef inline int intern_grow(Intern* t) noexcept nogil:
    """Double the hash table. Returns OK or NO_MEMORY."""
    cdef size_t mask = (t.mask + 1) * 2 - 1
    cdef uint32_t* slots = <uint32_t*>calloc(mask + 1, sizeof(uint32_t))
    if slots == NULL:
        return NO_MEMORY
    intern_index(t, slots, mask)
    free(t.slots)
    t.slots = slots
    t.mask = mask
    return OK


cdef inline size_t intern_slot(const Intern* t, const uint32_t* words, size_t count, uint32_t h) noexcept nogil:
    """The slot of a tuple with the hash `h`; if there is none, the free slot where it would go."""
    cdef size_t slot = h & t.mask
    cdef uint32_t found
    while t.slots[slot]:
        found = t.slots[slot] - 1
        if (t.hashes.data[found] == h and intern_len(t, found) == count
                and (count == 0 or memcmp(intern_get(t, found), words, count * sizeof(uint32_t)) == 0)):
            break
        slot = (slot + 1) & t.mask
    return slot


cdef inline bint intern_find(const Intern* t, const uint32_t* words, size_t count, uint32_t* id) noexcept nogil:
    """Whether there is a tuple with these words; if so, its id is written."""
    cdef uint32_t found = t.slots[intern_slot(t, words, count, hash_words(words, count))]
    if found:
        id[0] = found - 1
    return found != 0


cdef inline int intern_add(Intern* t, const uint32_t* words, size_t count, uint32_t* id) noexcept nogil:
    """Find or add a tuple, whose words must not lie in the table itself. Writes the tuple's id. Returns 1 if the tuple is new, 0
    if it was known, or NO_MEMORY, which leaves the table as it was."""
    cdef uint32_t h = hash_words(words, count)
    cdef size_t slot
    cdef uint32_t found
    if t.hashes.len * 2 > t.mask and intern_grow(t) < 0:
        return NO_MEMORY
    slot = intern_slot(t, words, count, h)
    if t.slots[slot]:
        id[0] = t.slots[slot] - 1
        return 0
    found = <uint32_t>t.hashes.len
    # reserve everything first, so that a failure changes nothing; offsets are 32 bits wide
    if t.words.len + count > <size_t>0xFFFFFFFF or vec_reserve(&t.words, t.words.len + count) < 0:
        return NO_MEMORY
    if vec_reserve(&t.hashes, t.hashes.len + 1) < 0 or vec_reserve(&t.starts, t.starts.len + 1) < 0:
        return NO_MEMORY
    vec_extend(&t.words, words, count)
    vec_push(&t.hashes, h)
    vec_push(&t.starts, <uint32_t>t.words.len)
    t.slots[slot] = found + 1
    id[0] = found
    return 1


cdef inline void intern_truncate(Intern* t, uint32_t count) noexcept nogil:
    """Forget the tuples with ids from `count` on."""
    cdef size_t i, slot
    cdef size_t last = t.hashes.len
    if (last - count) * 4 < count:
        # Few are forgotten, so they are taken out of the hash table one by one, the newest first. Freeing a slot breaks no
        # other look-up: only tuples that came later can have been placed behind it, and these are out already.
        while last > count:
            last -= 1
            slot = t.hashes.data[last] & t.mask
            while t.slots[slot] != last + 1:
                slot = (slot + 1) & t.mask
            t.slots[slot] = 0
    else:
        for i in range(t.mask + 1):
            t.slots[i] = 0
    t.hashes.len = count
    t.starts.len = count + 1
    t.words.len = t.starts.data[count]
    if last != count:
        intern_index(t, t.slots, t.mask)
