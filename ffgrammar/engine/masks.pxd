"""Token masks, by configuration: made from what the lexer says of the vocabulary and the parser of what leaves a lexeme; kept."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.machine cimport Config, Machine
from ffgrammar.engine.partitions cimport Known, Partitions
from ffgrammar.engine.split cimport Vocabulary
from ffgrammar.engine.stored cimport MaskTable, StoredMask
from ffgrammar.engine.viability cimport Viability

cdef struct Masks:
    Vocabulary vocab
    Viability* viability
    Partitions* partitions
    Known known
    MaskTable table  # by row << 32 | state
    Map likes        # state -> a state that it resembles, see likeness.pxd
    Map horizons     # of pairs of states, see split.pxd
    Map walked       # states whose transitions along the vocabulary are all computed
    Vec reached      # scratch: lexer states
    Vec tokens       # scratch: for table_pack
    Vec places       # scratch: where tokens leave, see split.pxd
    StoredMask* recent  # of the last configuration whose mask depends on its text, or NULL
    uint64_t recent_key
    Vec buffer       # one mask and a spare word, in whole blocks (see stored.pxd); all zero between calls
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
cdef int masks_find(Masks* k, Machine* m, const Config* config, StoredMask** mask) noexcept nogil
