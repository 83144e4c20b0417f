"""Room for a mask that is being made, shared by the engines of a tokenizer.

An engine needs it only while it makes a mask. A grammar with room of its own takes 17 KB more on cl100k_base, which is a fifth of
an average grammar of MaskBench.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.threads cimport Lock

cdef struct Scratch:
    Scratch* next      # in the pool
    uint32_t* tokens   # room for a list of tokens, see table_pack
    uint32_t[1] mask   # a mask and a spare word, in whole blocks (see mask_cache.pxd); all zero when it is taken

cdef struct ScratchPool:
    Lock lock          # no other lock is taken while it is held
    bint has_lock
    Scratch* unused    # as many as were in use at the same time

# Returns OK or NO_MEMORY. scratch_pool_free may be called after either, and on a struct of zeros, when all are given back.
cdef int scratch_pool_init(ScratchPool* pool) noexcept nogil
cdef void scratch_pool_free(ScratchPool* pool) noexcept nogil

# Take room for masks of `n_words` words, the same number in all calls for a pool. Returns NULL if there is no memory.
cdef Scratch* scratch_take(ScratchPool* pool, uint32_t n_words) noexcept nogil

# Give it back, with its mask all zero.
cdef void scratch_give(ScratchPool* pool, Scratch* scratch) noexcept nogil
