"""Hash-consing of tuples of 32-bit words: equal tuples have equal ids, so ids are compared instead of tuples.

Ids count up from 0 in the order in which tuples are added, so a table can be cut back to an earlier length
(`intern_truncate`). The tuples lie one after another in one array.

The hash table is that of buckets.pxd.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp

from ffgrammar.core.buckets cimport (
    Buckets, bucket_of, buckets_copy, buckets_free, buckets_init, buckets_reserve, buckets_split,
)
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_copy, vec_extend, vec_free, vec_init, vec_push, vec_reserve

cdef struct Intern:
    Vec words        # the tuples
    Vec starts       # per tuple: its offset in `words`; one more entry holds the end of the last tuple
    Vec chains       # per tuple two words: the low 32 bits of its hash; and the next tuple of its bucket: its id + 1, or 0
    Buckets buckets


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
    vec_init(&t.chains)
    if buckets_init(&t.buckets) < 0:
        return NO_MEMORY
    return vec_push(&t.starts, 0)


cdef inline void intern_free(Intern* t) noexcept nogil:
    """Free everything. Call intern_init before using the table again."""
    vec_free(&t.words)
    vec_free(&t.starts)
    vec_free(&t.chains)
    buckets_free(&t.buckets)


cdef inline int intern_copy(Intern* to, const Intern* t) noexcept nogil:
    """Make `to` equal to another table. `to` must be initialised. Returns OK or NO_MEMORY."""
    if vec_copy(&to.words, &t.words) < 0 or vec_copy(&to.starts, &t.starts) < 0:
        return NO_MEMORY
    return NO_MEMORY if vec_copy(&to.chains, &t.chains) < 0 else buckets_copy(&to.buckets, &t.buckets)


cdef inline uint32_t intern_count(const Intern* t) noexcept nogil:
    """How many tuples there are. Every id is below this number."""
    return <uint32_t>(t.chains.len >> 1)


cdef inline const uint32_t* intern_get(const Intern* t, uint32_t id) noexcept nogil:
    """The words of a tuple. Adding a tuple may move them."""
    return t.words.data + t.starts.data[id]


cdef inline uint32_t intern_len(const Intern* t, uint32_t id) noexcept nogil:
    """How many words a tuple has."""
    return t.starts.data[id + 1] - t.starts.data[id]


cdef inline size_t intern_bytes(const Intern* t) noexcept nogil:
    """How many bytes the table has allocated."""
    return (t.words.cap + t.starts.cap + t.chains.cap + t.buckets.heads.cap) * sizeof(uint32_t)


cdef inline uint32_t* intern_chain(const Intern* t, uint32_t number) noexcept nogil:
    """The two words of a tuple in `chains`. `number` is its id + 1."""
    return t.chains.data + 2 * <size_t>number - 2


cdef inline uint32_t intern_look(const Intern* t, const uint32_t* words, size_t count, uint32_t h) noexcept nogil:
    """The id of a tuple with the hash `h`, plus 1; 0 if there is none."""
    cdef uint32_t number = bucket_of(&t.buckets, h)[0]
    cdef const uint32_t* chain
    while number:
        chain = intern_chain(t, number)
        if (chain[0] == h and intern_len(t, number - 1) == count
                and (count == 0 or memcmp(intern_get(t, number - 1), words, count * sizeof(uint32_t)) == 0)):
            break
        number = chain[1]
    return number


cdef inline void intern_split(Intern* t) noexcept nogil:
    """Add a bucket, for which there is room, and move the tuples there that belong into it. They keep their order."""
    cdef uint32_t* stay = buckets_split(&t.buckets)
    cdef size_t bucket = t.buckets.heads.len - 1
    cdef uint32_t* move = t.buckets.heads.data + bucket
    cdef uint32_t* chain
    while stay[0]:
        chain = intern_chain(t, stay[0])
        if chain[0] & t.buckets.mask == bucket:
            move[0] = stay[0]
            stay[0] = chain[1]
            move = chain + 1
        else:
            stay = chain + 1
    move[0] = 0


cdef inline bint intern_find(const Intern* t, const uint32_t* words, size_t count, uint32_t* id) noexcept nogil:
    """Whether there is a tuple with these words; if so, its id is written."""
    cdef uint32_t number = intern_look(t, words, count, hash_words(words, count))
    if number:
        id[0] = number - 1
    return number != 0


cdef inline int intern_add(Intern* t, const uint32_t* words, size_t count, uint32_t* id) noexcept nogil:
    """Find or add a tuple, whose words must not lie in the table itself. Writes the tuple's id. Returns 1 if the tuple is new, 0
    if it was known, or NO_MEMORY, which leaves the table as it was."""
    cdef uint32_t h = hash_words(words, count)
    cdef uint32_t number = intern_look(t, words, count, h)
    cdef uint32_t* bucket
    if number:
        id[0] = number - 1
        return 0
    # reserve everything first, so that a failure changes nothing; offsets are 32 bits wide
    if t.words.len + count > <size_t>0xFFFFFFFF or vec_reserve(&t.words, t.words.len + count) < 0:
        return NO_MEMORY
    if vec_reserve(&t.chains, t.chains.len + 2) < 0 or vec_reserve(&t.starts, t.starts.len + 1) < 0:
        return NO_MEMORY
    if buckets_reserve(&t.buckets) < 0:
        return NO_MEMORY
    id[0] = intern_count(t)
    if id[0] >= t.buckets.heads.len:
        intern_split(t)
    bucket = bucket_of(&t.buckets, h)
    vec_extend(&t.words, words, count)
    vec_push(&t.starts, <uint32_t>t.words.len)
    vec_push(&t.chains, h)
    vec_push(&t.chains, bucket[0])
    bucket[0] = id[0] + 1
    return 1


cdef inline void intern_truncate(Intern* t, uint32_t count) noexcept nogil:
    """Forget the tuples with ids from `count` on."""
    cdef uint32_t number = intern_count(t)
    cdef const uint32_t* chain
    while number > count:
        # (the newest tuple is the first one of its bucket)
        chain = intern_chain(t, number)
        bucket_of(&t.buckets, chain[0])[0] = chain[1]
        number -= 1
    t.chains.len = 2 * <size_t>count
    t.starts.len = count + 1
    t.words.len = t.starts.data[count]
