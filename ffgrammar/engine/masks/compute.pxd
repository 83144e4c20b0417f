"""Token masks: which tokens of the vocabulary may come next in a configuration.

`masks_find` is all that matchers need. It looks a mask up in the table (mask_cache.pxd), and computes the mask if it is not
there: the trie walk partitions the vocabulary, then the parser is asked about the tokens that exit the lexeme. compute.pyx says
how, and what it costs.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.mask_cache cimport StoredMask
from ffgrammar.engine.masks.tables cimport Masks
from ffgrammar.engine.recognizer.recognizer cimport Config, Recognizer

cdef enum:
    # instead of a base: all tokens of the mask that are in the trie have leads
    NO_BASE = 0xFFFFFFFF

# Find out where the tokens of a configuration's mask lead: write leads (trie_walk.pxd) to `leads`, and keep the mask. If a token
# of the trie is in the mask and has no lead, it stays inside the lexeme, and acts as it does from the lexer state `base` (see
# LEAD_MARGIN in trie_walk.pxd). Where `base` is the open state (open_state.pxd) of another state, the two act alike as long as the
# text stays inside the lexeme. If a token has several leads, the last one holds. A token that is not in the mask may have leads,
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

# Whether the mask of a configuration is kept. (False where it is known in another way: that of the configuration after the lexeme,
# or the one mask that holds for this text only.)
cdef bint masks_know(Masks* k, Recognizer* m, const Config* config) noexcept nogil

# Whether the current lexeme is complete and cannot go on, so that the mask is that of the configuration after it. (False in a few
# cases where this is not checked.)
cdef bint must_exit(const Masks* k, const Recognizer* m, const Config* config) noexcept nogil

# Whether the lexemes of a lexer state are complete, and none can go on.
cdef bint is_complete(const Recognizer* m, uint32_t state) noexcept nogil

cdef struct Bounds:
    # What bounded a recognizer before a mask.
    uint32_t max_states  # of its automaton
    uint64_t done_most   # of its pulse

# Bound the work and the lexer states of one mask from now on. Inside another mask, that mask's bound on work stays. `spent` is work
# that was done for the mask already. Returns the bounds as they were.
cdef Bounds begin_work(const Masks* k, Recognizer* m, uint64_t spent) noexcept nogil

# Set the bounds as they were.
cdef void end_work(Recognizer* m, const Bounds* before) noexcept nogil
