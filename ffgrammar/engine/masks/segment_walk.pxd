"""The walk of a tail: which tokens a lexer state reads to their end, and where lexemes end.

A *tail* is a set of places in the vocabulary trie where a lexeme has ended, and what is left of the tokens there. It is stored as
words: (CHILDREN, node, 8 words: a set of bytes) for the children of a node that begin with one of these bytes; else nodes, sorted,
with the flag CONSUMED (trie_walk.pxd) where the lexeme has ended with the node's byte and not before it.

This is the walk of trie_walk.pxd with two differences. It begins anywhere in the trie. And it notes which lexer states tokens
reach, so that it is asked once for each state, not once for each node, whether the text can be completed from there.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.masks.trie_walk cimport Vocabulary
from ffgrammar.engine.recognizer.completability cimport Completability
from ffgrammar.engine.recognizer.recognizer cimport Recognizer

cdef enum:
    CHILDREN = 0xFFFFFFFF
    CHILDREN_WORDS = 10   # of a tail of children
    NO_ROW = 0xFFFFFFFF
    # From this many nodes on, tokens are noted as bits. Children of one node with as many nodes below them are a tail of their own.
    LARGE = 512
    # words of an exit
    E_LEXEMES = 0         # the set of lexemes that end
    E_PARENT              # the node above
    E_NODE                # the node, with the flag CONSUMED if the lexemes end with its byte
    E_STATE               # the lexer state at the node above
    E_WORDS

cdef struct SegmentWalk:
    # what does not change
    const Vocabulary* vocab
    Completability* completability
    Recognizer* m
    # of the current walk
    uint32_t row          # a row: tokens go only through lexer states from which the text can be completed in it; NO_ROW: all
    bint as_bits          # whether tokens are noted in `bits`; if not, they are in `tokens`
    uint32_t* states      # by depth; valid during walk_tail
    uint32_t* parents     # by depth: the last node; likewise
    # what it found
    Vec tokens
    Vec bits              # a mask and a spare word, all zero between walks; empty until it is needed
    Vec exits             # E_WORDS each
    Vec reached           # lexer states
    Vec stamps            # per number of a lexer state: the epoch in which it was reached
    uint32_t epoch

# Register the walk's arrays with their owner. Returns OK or NO_MEMORY.
cdef int segment_walk_init(SegmentWalk* w, Owner* owner, const Vocabulary* vocab) noexcept nogil

# Forget lexer states. Call this when their numbers change.
cdef void segment_walk_clear(SegmentWalk* w) noexcept nogil

# Walk a tail of `count` words from a lexer state. `row` is as in SegmentWalk. Returns OK or a status. Call segment_walk_end in
# either case.
cdef int walk_tail(SegmentWalk* w, uint32_t row, uint32_t state, const uint32_t* tail, uint32_t count) noexcept nogil

# Forget the tokens of a walk.
cdef void segment_walk_end(SegmentWalk* w) noexcept nogil
