"""Partitions of a vocabulary, kept for all grammars on that vocabulary.

A partition is what the trie walk makes of a lexer state: the mask of the tokens that stay inside the lexeme, and the exits
(trie_walk.pxd). It depends only on the expressions that may follow inside the state's lexemes. So a string's partition that one
schema has paid for serves the next one. Expressions have other numbers in every grammar; hence they are interned here once more
by structure, and two that were built in the same way get the same number.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.threads cimport Lock
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

cdef enum PartitionStatus:
    # what is known of a state
    NOT_KEPT = 0            # nothing
    KEPT = 1                # its partition
    SHORT = 2               # that its walk is short, so that keeping the partition would not pay

cdef struct Partition:
    # Counted, and never changed: a thread that has found one copies it without the lock.
    uint32_t refs
    uint32_t exit_count
    uint32_t[1] words       # exits, with the lexemes as bits in the state's order; then the mask

cdef struct Partitions:
    Owner owner
    Lock lock
    bint has_lock
    Intern exprs            # by structure: kind, and numbers, bytes or members
    Intern keys             # (flags, lexemes that are lazy, expressions...)
    Partition** by_key      # NULL where nothing is known, SHORT_WALK where the walk was short
    size_t room             # of `by_key`
    size_t bytes            # of the partitions
    Vec scratch
    size_t max_bytes
    uint32_t generation     # how often all was dropped, counted from 1
    size_t hits
    size_t misses
    size_t kept

cdef class SharedPartitions:
    cdef Partitions table

cdef struct KeyCache:
    # What one engine has looked up in the table. Its numbers are the engine's: clear it when expressions or states are forgotten.
    Owner owner
    uint32_t generation     # of the table
    Map exprs               # the engine's expression -> number in the table
    Map states              # lexer state -> key in the table, or NO_KEY

# Returns OK or NO_MEMORY.
cdef int key_cache_init(KeyCache* cache) noexcept nogil

# Forget everything, and keep the tables for more.
cdef void key_cache_clear(KeyCache* cache) noexcept nogil

# Look a lexer state up. Where it is KEPT, copy its mask of `n_words` words to `mask` and append its exits to `exits`. Returns a
# PartitionStatus, or a status below zero. Takes the table's lock.
cdef int partitions_find(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, uint32_t* mask, size_t n_words, Vec* exits,
) noexcept nogil

# Keep the partition of a lexer state. States with too many lexemes, or with very large ones, are not kept; nor is one that
# another engine has kept meanwhile. Returns OK or a status below zero. Takes the table's lock.
cdef int partitions_keep(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, const uint32_t* mask, size_t n_words, const Vec* exits,
) noexcept nogil

# Note that the walk of a lexer state is SHORT. Returns OK or a status below zero. Takes the table's lock.
cdef int partitions_note_short(Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state) noexcept nogil
