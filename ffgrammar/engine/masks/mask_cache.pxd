"""Stored masks, and a table of them that is read without the engine's lock.

A mask is stored as a list of tokens if the list has at most a quarter as many words as the mask. A stored mask is
reference-counted and never changes. So a thread can copy a mask that it has found while other threads add or forget masks.
Changing the table takes the engine's lock and the table's own lock. A look-up by key takes only the table's own lock, which is
never held for long.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.threads cimport Lock

cdef enum:
    DENSE = 0xFFFFFFFF  # instead of a count: the words of the mask are stored
    BLOCK = 8  # this many words of a mask are looked at together, as four words of 64 bits

cdef struct StoredMask:
    uint64_t hash
    uint32_t refs
    uint32_t count     # of tokens; or DENSE where the words of the mask are stored
    uint32_t size      # of `words`
    uint32_t[1] words  # tokens; or the words of the mask

cdef struct MaskTable:
    Owner owner
    Lock lock
    bint has_lock
    uint32_t generation  # the generation of the engine's caches in which the keys were made
    Map index            # key (see mask_key) -> number of a mask
    Map contents         # hash -> number of a mask
    StoredMask** masks
    uint32_t len
    uint32_t room
    size_t bytes         # of the masks
    size_t hits

# Returns OK or NO_MEMORY. table_free may be called after either, and on a struct of zeros.
cdef int table_init(MaskTable* t) noexcept nogil
cdef void table_free(MaskTable* t) noexcept nogil

# Forget all masks. From now on only keys of this generation find anything.
cdef void table_clear(MaskTable* t, uint32_t generation) noexcept nogil

# Bytes of the masks and of the table itself.
cdef size_t table_bytes(const MaskTable* t) noexcept nogil

# Return the mask of a key. The caller releases it. The key was made in `generation`. Returns NULL if the mask is not known, or if
# the table is of another generation. This takes the table's own lock; the engine's lock need not be held.
# Without `wait`, it also returns NULL if this lock is not free soon. A thread that holds the GIL, but not the engine's lock, must
# not wait: a thread that forks takes the locks of all tables, and may need the GIL before it gives them back.
cdef StoredMask* table_find(MaskTable* t, uint32_t generation, uint64_t key, bint wait) noexcept nogil

# Return a stored mask equal to `words`: one that the table has, or a new one, which is not in the table yet. The caller releases
# it. Returns NULL if there is no memory. `words` are `n_words` words, with zeros behind them up to the end of a block (see
# block_words), and `scratch` has room for as many words as `scratch_words` says. The engine's lock must be held. (Looking for an
# equal mask first saves half of the allocations and copies.)
cdef StoredMask* table_pack(MaskTable* t, const uint32_t* words, uint32_t n_words, uint32_t* scratch) noexcept nogil

# Write the tokens of a mask to `tokens` and return how many were written. This stops at the end of the block in which their number
# exceeds `most`. `words` and `tokens` have room as for table_pack. (Counting the bits first is slow if the compiler may not use the
# processor's instruction for counting bits.)
cdef uint32_t list_tokens(const uint32_t* words, uint32_t n_words, uint32_t* tokens, uint32_t most) noexcept nogil

# Keep a mask from table_pack under a key. The table holds a reference of its own. The engine's lock must be held. Returns OK or
# NO_MEMORY.
cdef int table_put(MaskTable* t, uint64_t key, StoredMask* mask) noexcept nogil

# Give a mask back; NULL is allowed.
cdef void mask_release(StoredMask* mask) noexcept nogil

# Write a mask of `n_words` words to the `count` words of `target`. `count` must be at least `n_words`; the words after
# these become zero.
cdef void mask_unpack(const StoredMask* mask, uint32_t n_words, uint32_t* target, size_t count) noexcept nogil


cdef inline uint64_t mask_key(uint32_t parser_row, uint32_t state) noexcept nogil:
    """The key of a configuration's mask. It has the parser's row, never a virtual one: masks that depend on the text are not
    kept in the table, and any other mask is the same for all texts in that row."""
    return <uint64_t>parser_row << 32 | state


cdef inline size_t block_words(uint32_t n_words) noexcept nogil:
    """How many words a mask of `n_words` words and a spare word take, rounded up to whole blocks."""
    return (<size_t>n_words + BLOCK) // BLOCK * BLOCK


cdef inline size_t scratch_words(uint32_t n_words) noexcept nogil:
    """How many words of scratch table_pack needs: the longest list of tokens that is kept, and the tokens of one more block,
    because a list is found to be too long only at the end of a block."""
    return (n_words >> 2) + 1 + 32 * BLOCK
