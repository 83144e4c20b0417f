"""Token masks, by configuration: made from what the lexer says of the vocabulary and the parser of what leaves a lexeme; kept."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer
from ffgrammar.engine.masks.partition_cache cimport Known, Partitions
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.masks.mask_cache cimport MaskTable, StoredMask
from ffgrammar.engine.recognizer.completability cimport Completability

cdef struct Masks:
    Vocabulary vocab
    Completability* completability
    Partitions* partitions
    Known known
    MaskTable table  # by row << 32 | state
    Map base_states        # state -> a state that it resembles, see base_state.pxd
    Map distinguishing_lengths     # of pairs of states, see trie_walk.pxd
    Map walked       # states whose transitions along the vocabulary are all computed
    Vec reached      # scratch: lexer states
    Vec tokens       # scratch: for table_pack
    Vec exits       # scratch: where tokens leave, see trie_walk.pxd
    StoredMask* recent  # of the last configuration whose mask depends on its text, or NULL
    uint64_t recent_key
    Vec buffer       # one mask and a spare word, in whole blocks (see mask_cache.pxd); all zero between calls
    size_t max_bytes  # of the masks that are kept
    size_t recent_hits
    size_t misses
    size_t drops
    size_t visited   # trie nodes

cdef int masks_init(Masks* k) noexcept nogil
cdef void masks_free(Masks* k) noexcept nogil

# Forget the masks, and what rests on states and expressions.
cdef void masks_clear(Masks* k, uint32_t generation) noexcept nogil

# Bytes of the masks; bytes of all else.
cdef size_t masks_bytes(const Masks* k) noexcept nogil
cdef size_t masks_other_bytes(const Masks* k) noexcept nogil

# The stored mask of a configuration, made if need be. Returns a status. To be released.
cdef int masks_find(Masks* k, Recognizer* m, const Config* config, StoredMask** mask) noexcept nogil
