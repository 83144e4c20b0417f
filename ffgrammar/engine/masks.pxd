"""Token masks: the trie walk, partitions of the vocabulary by lexer state, and the masks already known by configuration."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.machine cimport Config, Machine
from ffgrammar.engine.stored cimport MaskTable, StoredMask
from ffgrammar.engine.viability cimport Viability
from ffgrammar.tokens.trie cimport TokenTrie, TrieNode

cdef struct Vocabulary:
    # what a mask needs of a TokenTrie (see tokens/trie.pxd), without the object
    const TrieNode* nodes
    uint32_t node_count
    uint32_t n_words
    uint32_t alias_count
    const uint32_t* alias_of
    const uint32_t* alias_id
    uint32_t long_count
    const uint32_t* long_list
    const unsigned char* blob
    const uint32_t* offsets
    const uint32_t* eos
    uint32_t eos_count

cdef struct Masks:
    Vocabulary vocab
    Viability* viability
    MaskTable table  # by row << 32 | state
    Map partitions   # state -> offset in words, of states where the walk is long
    Vec reached      # scratch: lexer states
    Vec leaves       # scratch: (node, lexeme set, whether the node's byte is in the lexeme) where tokens leave it
    Vec words        # of partitions
    StoredMask* recent  # of the last configuration whose mask depends on its text, or NULL
    uint64_t recent_key
    Vec buffer       # one mask and a spare word, all zero between calls
    size_t recent_hits
    size_t misses

cdef int masks_init(Masks* k) noexcept nogil
cdef void masks_free(Masks* k) noexcept nogil
cdef void masks_clear(Masks* k, uint32_t generation) noexcept nogil
cdef size_t masks_bytes(const Masks* k) noexcept nogil

# The stored mask of a configuration, made if need be. Returns a status. To be released.
cdef int masks_find(Masks* k, Machine* m, const Config* config, StoredMask** mask) noexcept nogil
