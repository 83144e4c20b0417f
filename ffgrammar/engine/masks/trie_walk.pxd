"""The trie walk: a lexer state against the whole vocabulary, by the lexer alone.

Tokens stay inside the lexeme, or die, or leave it at a place in the trie, below which the parser has to be asked.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.regex.dfa.lazy_dfa cimport Dfa
from ffgrammar.tokens.vocabulary.trie cimport TrieNode

cdef enum:
    # words of a place where tokens leave: the node (and CONSUMED), the lexeme set
    EXIT_WORDS = 2
    CONSUMED = 0x80000000   # flag: the lexeme ends with the node's byte, not before it

cdef struct Vocabulary:
    # what a mask needs of a TokenTrie (see tokens/vocabulary/trie.pxd), without the object
    const TrieNode* nodes
    const uint8_t* heights
    uint32_t node_count
    uint32_t n_words
    uint32_t alias_count
    const uint32_t* alias_of
    const uint32_t* alias_id
    uint32_t long_count
    const uint32_t* long_list
    const uint8_t* blob
    const uint32_t* offsets
    const uint32_t* eos
    uint32_t eos_count

# Set the tokens that stay inside, and append the exits where tokens leave; `visited` counts nodes.
cdef int partition_vocabulary(
    Dfa* dfa, const Vocabulary* v, uint32_t state, uint32_t* mask, Vec* exits, size_t* visited,
) noexcept nogil

# The same where the mask is already that of another state, the tokens that leave from it included: only what differs is
# changed. `horizons` is scratch that may be kept as long as the states.
cdef int partition_from_base(
    Dfa* dfa, const Vocabulary* v, uint32_t state, uint32_t other, uint32_t* mask, Vec* exits, Map* distinguishing_lengths,
    size_t* visited,
) noexcept nogil
