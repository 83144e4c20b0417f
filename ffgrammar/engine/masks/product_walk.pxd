"""The partition of a state that is a product (products.pxd), by a walk over the vocabulary that follows its parts.

Where parts alone do not decide, the walk goes on from a state of the automaton: where a tail begins, where a lexeme may end and not
go on, and where a search for a witness takes long.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.products cimport Products
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# `partition_vocabulary` (trie_walk.pxd), by a walk that takes products apart. Returns OK or a status; WIDE if there are too many
# states or parts.
cdef int partition_products(
    Products* p, Dfa* d, const Vocabulary* v, uint32_t state, uint32_t* mask, Vec* exits, size_t* visited,
) noexcept nogil
