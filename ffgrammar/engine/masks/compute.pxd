"""Token masks: which tokens of the vocabulary may come next in a configuration.

`masks_find` is all that matchers need. It looks a mask up in the table (mask_cache.pxd), and computes the mask if it is not
there: the trie walk partitions the vocabulary, then the parser is asked about the tokens that exit the lexeme. compute.pyx says
how, and what it costs.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer
from ffgrammar.engine.masks.config_walk cimport ConfigTable
from ffgrammar.engine.masks.partition_cache cimport KeyCache, Partitions
from ffgrammar.engine.masks.segments cimport Segments
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.masks.mask_cache cimport MaskTable, StoredMask
from ffgrammar.engine.recognizer.completability cimport Completability

cdef struct Masks:
    # The engine sets these five before it calls masks_init.
    Vocabulary vocab
    Completability* completability
    Partitions* partitions
    size_t max_bytes     # of the masks that are kept
    uint64_t max_work    # of one mask; 0: any
    Owner owner
    KeyCache keys
    MaskTable table
    Map base_states      # state -> its base, see base_state.pxd
    Map lengths          # of pairs of states: distinguishing lengths, see trie_walk.pxd
    Segments segments    # for grammars that are not delimited
    ConfigTable configs  # for grammars whose lexemes may end anywhere
    Vec other            # scratch: a mask; empty until it is needed
    Vec reached          # scratch: lexer states
    Vec tokens           # scratch: for table_pack
    Vec exits            # scratch: see trie_walk.pxd
    # made for the first mask: one mask and a spare word, in whole blocks (see mask_cache.pxd); all zero between calls
    Vec buffer
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

cdef enum:
    # instead of a base: all tokens of the mask that are in the trie have leads
    NO_BASE = 0xFFFFFFFF

# Find out where the tokens of a configuration's mask lead: write leads (trie_walk.pxd) to `leads`, and keep the mask. If a token
# of the trie is in the mask and has no lead, it stays inside the lexeme, and acts as it does from the lexer state `base` (see
# LEAD_MARGIN in trie_walk.pxd). If a token has several leads, the last one holds. A token that is not in the mask may have leads,
# too. If the lexeme is complete and cannot go on, the mask is that of the configuration after it. `start` becomes the
# configuration that the mask belongs to. A lead's row is a lasting one (recognizer.pxd). Sets `text_dependent` as masks_find does.
# The grammar must be delimited. Returns OK or a status. The engine's lock must be held.
cdef int masks_explain(
    Masks* k, Recognizer* m, const Config* config, Vec* leads, Config* start, uint32_t* base, bint* text_dependent,
) noexcept nogil

# Find or compute the mask of a configuration. The caller releases it. Sets `text_dependent` to True if the mask holds for this
# text only, and not for all texts in the parser's row. Otherwise `text_dependent` stays as it is. Returns OK or a status. The
# engine's lock must be held.
cdef int masks_find(Masks* k, Recognizer* m, const Config* config, StoredMask** mask, bint* text_dependent) noexcept nogil

# Whether the current lexeme is complete and cannot go on, so that the mask is that of the configuration after it. (False in a few
# cases where this is not checked.)
cdef bint must_exit(const Masks* k, const Recognizer* m, const Config* config) noexcept nogil
