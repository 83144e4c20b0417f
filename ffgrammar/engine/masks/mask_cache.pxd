"""Stored masks, and a table of them that is read without the engine's lock.

A mask is stored as a list of tokens where that is shorter than its words. It is counted and never changes: a thread that has
found one copies it while others add masks, or forget them all. Changing the table takes the engine's lock and the table's own.
A look-up by key takes the table's own only, which is never held for long.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
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
    Owner owner
    Lock lock
    bint has_lock
    uint32_t generation  # goes up when all masks are forgotten
    Map index            # key (see mask_key) -> number of a mask
    Map contents         # hash -> number of a mask
    StoredMask** masks
    uint32_t len
    uint32_t room
    size_t bytes         # of the masks
    size_t hits

# Returns OK or NO_MEMORY. table_free may be called after either, and on zeros.
cdef int table_init(MaskTable* t) noexcept nogil
cdef void table_free(MaskTable* t) noexcept nogil

# Forget all masks. Keys of other generations than this one find nothing from now on.
cdef void table_clear(MaskTable* t, uint32_t generation) noexcept nogil

# Bytes of the masks and of the table itself.
cdef size_t table_bytes(const MaskTable* t) noexcept nogil

# The mask of a key, to be released; NULL if it is not known or the key is of another generation. Needs no lock.
cdef StoredMask* table_find(MaskTable* t, uint32_t generation, uint64_t key) noexcept nogil

# A stored mask equal to `words`, to be released: one that the table has, or a new one that is not in the table yet; NULL if
# there is no memory. `words` are `n_words` in whole blocks with zeros behind them (see block_words), and `scratch` has room for
# scratch_words. The engine's lock must be held. (Looking for an equal mask first saves half of the allocations and copies.)
cdef StoredMask* table_pack(MaskTable* t, const uint32_t* words, uint32_t n_words, uint32_t* scratch) noexcept nogil

# Keep a mask from table_pack under a key. The engine's lock must be held. Returns OK or NO_MEMORY.
cdef int table_put(MaskTable* t, uint64_t key, StoredMask* mask) noexcept nogil

# Give a mask back; NULL is allowed.
cdef void mask_release(StoredMask* mask) noexcept nogil

# Write a mask of `n_words` words to the `count` words of `target`, at least as many. Those beyond become zero.
cdef void mask_unpack(const StoredMask* mask, uint32_t n_words, uint32_t* target, size_t count) noexcept nogil


cdef inline uint64_t mask_key(uint32_t parser_row, uint32_t state) noexcept nogil:
    """The key of a configuration's mask. It has the parser's row, never a virtual one: masks that depend on the text are not
    kept in the table, and all others are the same for all texts in that row."""
    return <uint64_t>parser_row << 32 | state


cdef inline size_t block_words(uint32_t n_words) noexcept nogil:
    """How many words a mask of `n_words` and a spare word take in whole blocks."""
    return (<size_t>n_words + BLOCK) // BLOCK * BLOCK


cdef inline size_t scratch_words(uint32_t n_words) noexcept nogil:
    """How many words of scratch table_pack needs. A list of tokens is found too long only at the end of a block."""
    return (n_words >> 2) + 1 + 32 * BLOCK
