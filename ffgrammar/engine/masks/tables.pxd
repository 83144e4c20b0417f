"""What an engine keeps for its masks: finished ones, what it has learnt of lexer states, and room for the one being made."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.config_walk cimport ConfigTable
from ffgrammar.engine.masks.mask_cache cimport MaskTable, StoredMask
from ffgrammar.engine.masks.partition_cache cimport KeyCache, Partitions
from ffgrammar.engine.masks.products cimport Products
from ffgrammar.engine.masks.scratch cimport Scratch, ScratchPool
from ffgrammar.engine.masks.segments cimport Segments
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.recognizer.completability cimport Completability

cdef struct Masks:
    # The engine sets these six before it calls masks_init.
    Vocabulary vocab
    Completability* completability
    Partitions* partitions
    ScratchPool* pool
    size_t max_bytes     # of the masks that are kept
    uint64_t max_work    # of one mask; 0: any
    uint32_t max_states      # of the automaton, whatever a mask needs
    uint32_t max_new_states  # of one mask, or of one lexeme that its partition is made from
    Owner owner
    KeyCache keys
    MaskTable table
    Map base_states      # state -> its base, see base_state.pxd
    Map lengths          # of pairs of states: distinguishing lengths, see trie_walk.pxd
    Segments segments    # for grammars that are not delimited
    ConfigTable configs  # for grammars whose lexemes may end anywhere
    Vec other            # scratch: a mask; empty until it is needed
    Vec ends             # scratch: where the lexemes of a state that is split end, see split_state.pyx
    Vec wide             # the lexemes of wide states, see split_state.pxd: for each state their number, and the lexemes
    Vec reached          # scratch: lexer states
    Vec exits            # scratch: see trie_walk.pxd
    uint32_t room        # how many lexer states a walk may add (split_room) before it ends with WIDE; 0: any number
    uint64_t work        # how much work a walk may do before a search or a new lexer state ends it with WIDE; 0: any
    Products products    # states that are taken apart
    Scratch* scratch     # the mask being made; NULL between calls
    uint32_t takers      # how many calls, one inside the other, use it
    StoredMask* recent   # the mask of the last configuration whose mask depends on its text, or NULL
    uint64_t recent_key  # the key of that configuration
    size_t recent_hits
    size_t misses
    size_t drops
    size_t visited       # how many trie nodes were walked so far

# Returns OK or NO_MEMORY. masks_free may be called after either, and on a struct of zeros.
cdef int masks_init(Masks* k) noexcept nogil
cdef void masks_free(Masks* k) noexcept nogil

# Forget all masks, and everything that has numbers of states or expressions in it. `generation` is the engine's new generation.
cdef void masks_clear(Masks* k, uint32_t generation) noexcept nogil

# Bytes of the stored masks and their table.
cdef size_t masks_bytes(const Masks* k) noexcept nogil

# Bytes of everything else that `Masks` owns.
cdef size_t masks_other_bytes(const Masks* k) noexcept nogil

# Have `scratch`, with a mask that is all zero, until give_scratch. Calls may nest: the inner one begins before the outer one has
# set a bit. Returns OK or NO_MEMORY.
cdef int take_scratch(Masks* k) noexcept nogil
cdef void give_scratch(Masks* k) noexcept nogil

# Forget the partition or mask that is in `scratch` and `exits`.
cdef void reset_scratch(Masks* k) noexcept nogil
