"""The buckets of a hash table that grows by one bucket at a time (linear hashing; Litwin 1980).

A table that doubles at once makes one call in many slow. In JavaScript such tables made the slowest mask: it took 3.5 ms, and
takes 0.9. Here each new entry splits one bucket, and the memory of a large table grows page by page.

A bucket is a list of entries, the newest first. An entry is known by its number, which begins with 1, and the table stores the
next entry's number with each entry.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.core.status cimport OK
from ffgrammar.core.vec cimport Vec, vec_copy, vec_fill, vec_free, vec_init, vec_reserve

cdef enum:
    FIRST_BUCKETS = 64

cdef struct Buckets:
    Vec heads    # per bucket: the number of its newest entry, or 0
    size_t mask  # the least power of two that is not below the number of buckets, minus 1


cdef inline int buckets_init(Buckets* b) noexcept nogil:
    """Make empty buckets. Returns OK or NO_MEMORY; buckets_free may be called after either."""
    vec_init(&b.heads)
    b.mask = FIRST_BUCKETS - 1
    return vec_fill(&b.heads, FIRST_BUCKETS, 0)


cdef inline void buckets_free(Buckets* b) noexcept nogil:
    """Free the memory. Call buckets_init before using the buckets again."""
    vec_free(&b.heads)


cdef inline int buckets_copy(Buckets* to, const Buckets* b) noexcept nogil:
    """Make `to` equal to other buckets. `to` must be initialised. Returns OK or NO_MEMORY."""
    to.mask = b.mask
    return vec_copy(&to.heads, &b.heads)


cdef inline void buckets_clear(Buckets* b) noexcept nogil:
    """Empty all buckets, and keep the memory."""
    memset(b.heads.data, 0, b.heads.len * sizeof(uint32_t))


cdef inline uint32_t* bucket_of(const Buckets* b, size_t h) noexcept nogil:
    """The bucket of a hash."""
    cdef size_t bucket = h & b.mask
    return b.heads.data + (bucket if bucket < b.heads.len else bucket & b.mask >> 1)


cdef inline int buckets_reserve(Buckets* b) noexcept nogil:
    """Make room for one more bucket. Returns OK or NO_MEMORY."""
    return OK if b.heads.len < b.heads.cap else vec_reserve(&b.heads, b.heads.len + 1)


cdef inline uint32_t* buckets_split(Buckets* b) noexcept nogil:
    """Add an empty bucket, for which there is room, as the last one. Returns the bucket whose entries may now belong there: those
    whose hash, cut by the mask, is the number of the new bucket."""
    cdef size_t bucket = b.heads.len
    if bucket > b.mask:
        b.mask = 2 * b.mask + 1
    b.heads.data[bucket] = 0
    b.heads.len += 1
    return b.heads.data + (bucket & b.mask >> 1)
