"""What an engine keeps for its masks."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from ffgrammar.core.map cimport map_clear
from ffgrammar.core.owner cimport own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.engine.masks.config_walk cimport config_table_clear, config_table_init
from ffgrammar.engine.masks.mask_cache cimport (
    block_words, mask_release, table_bytes, table_clear, table_free, table_init,
)
from ffgrammar.engine.masks.partition_cache cimport key_cache_clear, key_cache_init
from ffgrammar.engine.masks.products cimport products_bytes, products_free
from ffgrammar.engine.masks.scratch cimport scratch_give, scratch_take
from ffgrammar.engine.masks.segments cimport segments_clear, segments_init

cdef uint64_t NO_KEY = <uint64_t>-1


cdef int masks_init(Masks* k) noexcept nogil:
    k.recent = NULL
    k.scratch = NULL
    k.takers = 0
    k.room = 0
    k.work = 0
    k.recent_key = NO_KEY
    k.recent_hits = k.misses = k.drops = k.visited = 0
    owner_init(&k.owner)
    own_vec(&k.owner, &k.exits)
    own_vec(&k.owner, &k.reached)
    own_map(&k.owner, &k.base_states)
    own_map(&k.owner, &k.lengths)
    own_vec(&k.owner, &k.wide)
    own_vec(&k.owner, &k.ends)
    own_vec(&k.owner, &k.other)
    if owner_status(&k.owner) < 0 or table_init(&k.table) < 0 or key_cache_init(&k.keys) < 0:
        return NO_MEMORY
    return NO_MEMORY if segments_init(&k.segments, &k.vocab, &k.configs) < 0 else config_table_init(&k.configs)


cdef void masks_free(Masks* k) noexcept nogil:
    mask_release(k.recent)
    table_free(&k.table)
    products_free(&k.products)
    owner_free(&k.keys.owner)
    owner_free(&k.segments.owner)
    owner_free(&k.configs.owner)
    owner_free(&k.owner)


cdef void masks_clear(Masks* k, uint32_t generation) noexcept nogil:
    table_clear(&k.table, generation)
    k.recent_key = NO_KEY
    map_clear(&k.base_states)
    map_clear(&k.lengths)
    k.wide.len = 0
    products_free(&k.products)
    segments_clear(&k.segments)
    config_table_clear(&k.configs)
    key_cache_clear(&k.keys)


cdef size_t masks_bytes(const Masks* k) noexcept nogil:
    return table_bytes(&k.table)


cdef size_t masks_other_bytes(const Masks* k) noexcept nogil:
    return (owner_bytes(&k.owner) + owner_bytes(&k.keys.owner) + owner_bytes(&k.segments.owner)
            + owner_bytes(&k.configs.owner) + products_bytes(&k.products))


cdef int take_scratch(Masks* k) noexcept nogil:
    if k.takers == 0:
        k.scratch = scratch_take(k.pool, k.vocab.n_words)
        if k.scratch == NULL:
            return NO_MEMORY
    k.takers += 1
    return OK


cdef void give_scratch(Masks* k) noexcept nogil:
    reset_scratch(k)
    k.takers -= 1
    if k.takers == 0:
        scratch_give(k.pool, k.scratch)
        k.scratch = NULL


cdef void reset_scratch(Masks* k) noexcept nogil:
    memset(k.scratch.mask, 0, block_words(k.vocab.n_words) * sizeof(uint32_t))
    k.exits.len = 0
