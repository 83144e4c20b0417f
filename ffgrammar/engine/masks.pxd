"""Token masks, by configuration: made from what the lexer says of the vocabulary and the parser of what leaves a lexeme; kept."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.machine cimport Config, Machine
from ffgrammar.engine.partitions cimport Known, Partitions
from ffgrammar.engine.split cimport Vocabulary
from ffgrammar.engine.viability cimport Viability

cdef struct Masks:
    Vocabulary vocab
    Viability* viability
    Partitions* partitions
    Known known
    Map index        # row << 32 | state -> offset in words
    Map contents     # hash of a mask -> its offset
    Map likes        # state -> a state that it resembles, see state_like
    Map horizons     # of pairs of states, see split.pxd
    Map walked       # states whose transitions along the vocabulary are all computed
    Vec reached      # scratch: lexer states
    Vec places       # scratch: where tokens leave, see split.pxd
    Vec words        # (count, tokens...) or (DENSE, mask words...)
    Vec recent       # the same of the last configuration whose mask depends on its text
    uint64_t recent_key
    Vec buffer       # one mask, a spare word, and what makes whole blocks of it; all zero between calls
    size_t max_bytes  # of the masks that are kept
    size_t hits
    size_t misses
    size_t drops
    size_t visited   # trie nodes

cdef int masks_init(Masks* k) noexcept nogil
cdef void masks_free(Masks* k) noexcept nogil

# Forget the masks.
cdef void masks_drop(Masks* k) noexcept nogil
# Forget what rests on states and expressions, too.
cdef void masks_clear(Masks* k) noexcept nogil

# Bytes of the masks; bytes of all else.
cdef size_t masks_bytes(const Masks* k) noexcept nogil
cdef size_t masks_other_bytes(const Masks* k) noexcept nogil

# Write the mask of a configuration to `count` words; surplus words become zero. Returns a status.
cdef int masks_write(Masks* k, Machine* m, const Config* config, uint32_t* target, size_t count) noexcept nogil
