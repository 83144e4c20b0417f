"""Tokens that begin to spell an unmergeable token."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie


@cython.final
cdef class Spelled:
    cdef CanonicalRules rules
    cdef TokenTrie trie
    cdef Map at             # node -> offset in `tokens`
    cdef Vec tokens         # lists: a count, then the tokens

    # All methods run with the engine's lock held.

    # Bytes of what is kept. Returns a size.
    cdef size_t bytes(self) noexcept nogil

    # Forget everything. Returns OK or NO_MEMORY.
    cdef int clear(self) noexcept nogil

    # Write where in `tokens` the list of a node begins. It has the tokens whose bytes, after those of the node, begin or spell an
    # unmergeable token. The node must lead to such a token (CanonicalRules.leads_to_unmergeable). Returns OK or NO_MEMORY.
    cdef int find(self, uint32_t node, uint32_t* offset) noexcept nogil

    # Part of `find`: append the tokens that the tokenizer keeps for a node. If it has none, list them and let it keep them.
    cdef int add_list(self, uint32_t node) noexcept with gil

    # Part of add_list: append the tokens.
    cdef int list_tokens(self, uint32_t node) noexcept nogil

    # Part of list_tokens: append the tokens that spell the bytes of `node` from the byte after `above` to any byte from `first` on.
    cdef int add_prefixes(self, uint32_t node, uint32_t above, uint32_t first) noexcept nogil
