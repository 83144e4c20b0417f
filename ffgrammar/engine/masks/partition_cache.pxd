"""Partitions of a vocabulary by what may follow inside lexemes, kept for all grammars on the vocabulary.

A partition is the mask of the tokens that stay inside, and the exits in the trie where tokens leave: it rests on expressions
alone. Expressions of different grammars are the same if they are built in the same way; so they are interned here once more,
by structure.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.threads cimport Lock
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

cdef enum:
    # what partitions_find says of a state
    NOT_KEPT = 0
    KEPT = 1
    SHORT = 2               # the walk was short; it is not kept

cdef struct Partition:
    # it is counted, and does not change: who has found one copies it without the lock
    uint32_t refs
    uint32_t exit_count
    uint32_t[1] words       # exits, with the lexemes as bits in the state's order; then the mask

cdef struct Partitions:
    Lock lock
    bint has_lock
    Intern exprs            # by structure: kind, and numbers, bytes or members
    Intern keys             # (flags, lexemes that are lazy, expressions...)
    Partition** found       # per key: its partition; NULL if there is none, or a mark that its walk was short
    size_t room             # of `found`
    size_t bytes            # of the partitions
    Vec scratch
    size_t max_bytes
    uint32_t generation     # how often all was dropped; from 1
    size_t hits
    size_t misses
    size_t kept

cdef class SharedPartitions:
    cdef Partitions table

# What one engine knows of the table: which expression is which there. Forget it where expressions are forgotten.
cdef struct Known:
    uint32_t generation
    Map exprs
    Map states

cdef int known_init(Known* known) noexcept nogil
cdef void known_free(Known* known) noexcept nogil
cdef void known_clear(Known* known) noexcept nogil

# What is kept for a lexer state: NOT_KEPT, SHORT, or KEPT with its mask copied to `mask` and its exits (see trie_walk.pxd)
# appended to `exits`; or a status.
cdef int partitions_find(
    Partitions* p, Known* known, Dfa* dfa, uint32_t state, uint32_t* mask, size_t n_words, Vec* exits,
) noexcept nogil

# Keep a partition, or, if `mask` is NULL, that the walk is short. Nothing is kept where there is no room.
cdef int partitions_keep(
    Partitions* p, Known* known, Dfa* dfa, uint32_t state, const uint32_t* mask, size_t n_words, const Vec* exits,
) noexcept nogil
