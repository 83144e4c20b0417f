"""Masks that are kept, and a table of them that is read without the engine's lock.

A stored mask is counted, and stays where it is until nobody holds it: who has found one copies it while others add masks or
forget them all. Whoever changes the table holds the engine's lock and the table's own, which is never held for long: a look-up
by key takes that one only.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.threads cimport Lock

cdef enum:
    BLOCK = 8  # words of a mask that are looked at together, as four of 64 bits

cdef struct StoredMask:
    uint64_t hash
    uint32_t refs
    uint32_t count     # of tokens; or DENSE
    uint32_t size      # of `words`
    uint32_t[1] words  # tokens; or the words of the mask

cdef struct MaskTable:
    Lock lock
    bint has_lock
    uint32_t generation  # goes up when all are forgotten
    Map index            # row << 32 | state -> number of a mask
    Map contents         # hash -> number of a mask
    StoredMask** masks
    uint32_t len
    uint32_t room
    size_t bytes         # of the masks
    size_t hits

cdef int table_init(MaskTable* t) noexcept nogil
cdef void table_free(MaskTable* t) noexcept nogil
cdef void table_clear(MaskTable* t, uint32_t generation) noexcept nogil
cdef size_t table_bytes(const MaskTable* t) noexcept nogil

# The mask of a key; NULL if it is not known, or the key is of another generation. To be released.
cdef StoredMask* table_find(MaskTable* t, uint32_t generation, uint64_t key) noexcept nogil

# The mask of `n_words` words, which lie in whole blocks with nothing but zeros behind them: one that is kept, or a copy, which
# is a list of tokens if there are few. NULL if there is no memory. To be released. `scratch` has room for scratch_words. With
# the engine's lock held, as the next one. (Looking first saves half of the allocations and copies.)
cdef StoredMask* table_pack(MaskTable* t, const uint32_t* words, uint32_t n_words, uint32_t* scratch) noexcept nogil

# Keep a mask from table_pack for a key. Returns a status.
cdef int table_put(MaskTable* t, uint64_t key, StoredMask* mask) noexcept nogil

cdef void mask_release(StoredMask* mask) noexcept nogil

# Write it to `count` words; those beyond `n_words` become zero.
cdef void mask_unpack(const StoredMask* mask, uint32_t n_words, uint32_t* target, size_t count) noexcept nogil


cdef inline size_t block_words(uint32_t n_words) noexcept nogil:
    """The words of whole blocks that hold a mask and a spare word."""
    return (<size_t>n_words + BLOCK) // BLOCK * BLOCK


cdef inline size_t scratch_words(uint32_t n_words) noexcept nogil:
    """A list of tokens ends with the block in which it is found too long."""
    return (n_words >> 2) + 1 + 32 * BLOCK
