"""Notes on lexer states, kept for all grammars on a vocabulary."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.partition_cache cimport KeyCache, Partitions
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# A note is a list of words about a lexer state and a topic (engine/canonical/notes.pxd). It depends on the same things as the
# partition of the state. Look up a note, and append its words to `words`. Returns KEPT, NOT_KEPT, or a status below zero. Takes
# the table's lock.
cdef int partitions_find_note(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, uint32_t topic, Vec* words,
) noexcept nogil

# Keep a note, as partitions_keep keeps a partition. Returns OK or a status below zero. Takes the table's lock.
cdef int partitions_keep_note(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, uint32_t topic, const uint32_t* words, uint32_t count,
) noexcept nogil

# Look up and keep notes whose topic is a list of words. The calls return as those above.
cdef int partitions_find_long_note(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, const uint32_t* topic, uint32_t size, Vec* words,
) noexcept nogil
cdef int partitions_keep_long_note(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, const uint32_t* topic, uint32_t size, const uint32_t* words,
    uint32_t count,
) noexcept nogil
