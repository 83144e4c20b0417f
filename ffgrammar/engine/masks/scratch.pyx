from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport lock_free, lock_init, lock_leave, lock_take
from ffgrammar.engine.masks.mask_cache cimport block_words, scratch_words


cdef int scratch_pool_init(ScratchPool* pool) noexcept nogil:
    pool.unused = NULL
    pool.has_lock = lock_init(&pool.lock) == 0
    return OK if pool.has_lock else NO_MEMORY


cdef void scratch_pool_free(ScratchPool* pool) noexcept nogil:
    cdef Scratch* scratch
    while pool.unused != NULL:
        scratch = pool.unused
        pool.unused = scratch.next
        free(scratch)
    if pool.has_lock:
        lock_free(&pool.lock)


cdef Scratch* scratch_take(ScratchPool* pool, uint32_t n_words) noexcept nogil:
    cdef Scratch* scratch
    lock_take(&pool.lock)
    scratch = pool.unused
    if scratch != NULL:
        pool.unused = scratch.next
    lock_leave(&pool.lock)
    if scratch == NULL:
        scratch = <Scratch*>calloc(
            1, sizeof(Scratch) + (block_words(n_words) + scratch_words(n_words)) * sizeof(uint32_t))
        if scratch != NULL:
            scratch.tokens = scratch.mask + block_words(n_words)
    return scratch


cdef void scratch_give(ScratchPool* pool, Scratch* scratch) noexcept nogil:
    lock_take(&pool.lock)
    scratch.next = pool.unused
    pool.unused = scratch
    lock_leave(&pool.lock)
