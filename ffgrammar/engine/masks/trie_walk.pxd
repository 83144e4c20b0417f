"""The trie walk: what one lexer state says of the whole vocabulary.

Walking the trie with the lexer alone divides the tokens of a vocabulary into three kinds. A token *stays* inside the lexeme, or
it *dies*, or it *exits*: the lexeme ends before one of the token's bytes, or with one, and the parser has to be asked what may
come after the lexeme. The walk stops at an exit and notes the node, because all tokens below this node exit there, too.

A partition depends on the lexer state only. So it serves every row of the parser in which that state comes up, and other
grammars as well (partition_cache.pxd). A walk of all of cl100k takes 0.2 to 0.5 ms where most tokens stay.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.core.map cimport Map
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_extend, vec_push
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, LEAVE, Dfa, dfa_accept
from ffgrammar.tokens.vocabulary.trie cimport TrieNode

cdef enum:
    # An exit is two words: a node, which may have the flag CONSUMED, and the set of lexemes that end there.
    EXIT_WORDS = 2
    CONSUMED = 0x80000000   # flag: the lexeme ends with the node's byte, not before it

    # A lead says where a token leads. It is three words: the token, and the row and lexer state after it. The token is
    # pad_token (tokens/vocabulary/trie.pxd) where a node spells none.
    LEAD_WORDS = 3
    # If a token has no lead, a state and its base act alike on the token and on any LEAD_MARGIN bytes after it. This many bytes
    # are enough for the four bytes of an ending and two ASCII characters (engine/canonical/reach.pxd).
    LEAD_MARGIN = 6

    UNLIKE = 3  # a state and its base are told apart at too many nodes (unlike each PartitionStatus of partition_cache.pxd)


cdef inline int note_lead(Vec* leads, uint32_t token, uint32_t row, uint32_t state) noexcept nogil:
    """Append a lead. Returns OK or NO_MEMORY."""
    cdef uint32_t[LEAD_WORDS] words
    words[0] = token
    words[1] = row
    words[2] = state
    return vec_extend(leads, words, LEAD_WORDS)


cdef inline int add_exit(Dfa* dfa, Vec* exits, uint32_t at, uint32_t state, uint32_t target) noexcept nogil:
    """Note that the lexeme ends at a node, whose byte is read from `state`: before this byte if `target` is LEAVE, and with it if
    `target` is a state with the flag LAZY. Returns OK or NO_MEMORY."""
    if target != LEAVE:
        state = target & LAST_STATE
        at |= <uint32_t>CONSUMED
    return NO_MEMORY if vec_push(exits, at) < 0 or vec_push(exits, dfa_accept(dfa, state)) < 0 else OK


cdef struct Vocabulary:
    # What a mask needs of a TokenTrie, without the object. See tokens/vocabulary/trie.pxd for the fields.
    const TrieNode* nodes
    const uint16_t* heights
    const uint32_t* roots
    uint32_t node_count
    uint32_t max_depth
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

# Walk the trie from a lexer state. Sets in `mask` the tokens that stay, appends the exits in preorder to `exits`, and adds to
# `visited` how many nodes stay inside the lexeme. The spare bit behind the mask (pad_token) may be set, too. Returns OK or a
# status.
cdef int partition_vocabulary(
    Dfa* dfa, const Vocabulary* v, uint32_t state, uint32_t* mask, Vec* exits, size_t* visited,
) noexcept nogil

# partition_vocabulary, where few tokens stay inside the lexeme: appends a lead with `row` to `leads` for each of them, until there
# are `room` words in `leads`. Returns OK; 1 if some of these tokens got no lead; or a status.
cdef int lead_inside(
    Dfa* dfa, const Vocabulary* v, uint32_t row, uint32_t state, uint32_t* mask, Vec* exits, Vec* leads, size_t room,
) noexcept nogil

# Turn the mask of the state `base` into that of `state`, and walk only where the two differ. Before the call, `mask` has the
# tokens that stay from `base`. It also has those tokens that exit from `base` and that the parser's row allows. After the call,
# `mask` has the tokens that stay from `state`; tokens that exit from both states in the same way are set as before. Exits of
# `state` that `base` does not share are appended to `exits`. `lengths` caches the distinguishing lengths of pairs of states
# (`states_length` in trie_walk.pyx), and may be kept as long as the states. Adds to `visited` how many nodes were looked at. If
# `leads` is not NULL, a lead with `row` is appended to it for each token that stays from `state` and may act otherwise than from
# `base`. If more than `room` nodes would have to be looked at, the walk ends with UNLIKE, and the mask and the exits are
# incomplete. Returns OK, UNLIKE or a status.
cdef int partition_from_base(
    Dfa* dfa, const Vocabulary* v, uint32_t row, uint32_t state, uint32_t base, uint32_t* mask, Vec* exits, Vec* leads,
    Map* lengths, size_t room, size_t* visited,
) noexcept nogil
