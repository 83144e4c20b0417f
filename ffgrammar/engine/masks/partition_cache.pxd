"""Partitions of a vocabulary, kept for all grammars on that vocabulary.

A partition is what the trie walk makes of a lexer state: the mask of the tokens that stay inside the lexeme, and the exits
(trie_walk.pxd). It depends only on the expressions that may follow inside the state's lexemes, and on where these lexemes end:
which of them are lazy, words or read beside others (`Dfa.beside`), and whether the automaton is eager (`Dfa.eager`). So the
partition of a JSON string that was made for one schema serves the next one. An expression has a different number in each
grammar. So expressions are interned here once more, by structure: two expressions that were built in the same way get the same
number.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.threads cimport Lock
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.scratch cimport ScratchPool
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

cdef enum PartitionStatus:
    # what is known of a state
    NOT_KEPT = 0            # nothing
    KEPT = 1                # its partition
    SHORT = 2               # that its walk is short, so that making another partition from its own would not pay

cdef struct Partition:
    # Reference-counted, and never changed. So a thread that has found a partition copies it without the lock.
    uint32_t refs
    uint32_t exit_count
    uint32_t token_count    # of the mask; or DENSE where the words of the mask are stored
    uint32_t size           # of the mask, in words of memory
    bint is_short           # whether the walk was short
    # The exits, then the tokens or the words of the mask. Here the lexemes of an exit are bits: bit i stands for lexeme number i
    # of the lexer state.
    uint32_t[1] words

cdef struct Partitions:
    Owner owner
    Lock lock
    bint has_lock
    Intern exprs            # expressions: (kind, then the bytes of a literal, or the numbers of the parts and plain numbers)
    # (`Dfa.eager` + 2 * the number of words, the lazy lexemes of the state as bits, expressions...). Where some lexeme is read
    # beside another one, the first word has the bit HAS_BESIDE, and the places of those others follow.
    Intern keys
    # By key: a partition; NULL where nothing is known; or an odd address where the walk was short and the partition was not kept.
    Partition** by_key
    size_t room             # for how many entries `by_key` has memory
    Intern topics           # (key, words of a long topic)
    Map notes_at            # key << 32 | topic, or LONG_TOPIC | number in `topics` -> number of a note
    uint32_t** notes        # each is a count, and that many words
    uint32_t note_count
    size_t bytes            # of the partitions and the notes
    Vec scratch
    size_t max_bytes
    uint32_t generation     # how often all was dropped, counted from 1
    size_t hits
    size_t misses
    size_t kept

cdef class SharedPartitions:
    cdef Partitions table
    cdef ScratchPool pool

# The partition table of a tokenizer, made for its first grammar. (If two threads make one at the same time, the tokenizer keeps
# one of the two, and the other is used by a single grammar.)
cdef SharedPartitions shared_partitions(object tokenizer)

cdef struct KeyCache:
    # What one engine has looked up in the table. It has the engine's numbers of expressions and states, so the engine clears it
    # when it forgets expressions or states.
    Owner owner
    uint32_t generation     # of the table
    Map exprs               # the engine's expression -> number in the table
    Map states              # lexer state -> key in the table, or NO_KEY

# Returns OK or NO_MEMORY.
cdef int key_cache_init(KeyCache* cache) noexcept nogil

# Forget everything, but keep the memory of the maps.
cdef void key_cache_clear(KeyCache* cache) noexcept nogil

# Look up the partition of a lexer state. If it is KEPT, its tokens are added to `mask`, whose words are zeros before, and its exits
# to `exits`. A partition whose walk is short counts as KEPT only if `even_short` is true. Returns a PartitionStatus, or a status
# below zero. Takes the table's lock.
cdef int partitions_find(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, bint even_short, uint32_t* mask, Vec* exits,
) noexcept nogil

# Keep the partition of a lexer state, with the words of its mask as table_pack takes them. One whose walk is short is kept only if
# it is small, or if another engine has come to the same state, and it is not large. Nothing is kept for a state with too many
# lexemes or with very large ones, or if another engine has kept the partition meanwhile. Returns OK or a status below zero. Takes
# the table's lock.
cdef int partitions_keep(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, bint is_short, const uint32_t* words, uint32_t n_words,
    const Vec* exits, uint32_t* scratch,
) noexcept nogil

# Find or make the key of a lexer state, with the table's lock held. Returns 1 with the key, 0 where the state has none, or a status
# below zero. If the table is over its budget, everything in it is dropped first.
cdef int find_key(Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, uint32_t* key) noexcept nogil
