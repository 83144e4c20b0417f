"""The walk keeps the lexer state of each ancestor by depth, so that a step is one load from the automaton's table. It asks about a
state only where it is another than the one before.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.owner cimport Owner, own_vec, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_push
from ffgrammar.engine.masks.trie_walk cimport CONSUMED
from ffgrammar.engine.recognizer.completability cimport completable
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, LEAVE, UNKNOWN, dfa_accept, dfa_fill
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token, subtree_end,
)


cdef int segment_walk_init(SegmentWalk* w, Owner* owner, const Vocabulary* vocab) noexcept nogil:
    w.vocab = vocab
    w.epoch = 0
    own_vec(owner, &w.tokens)
    own_vec(owner, &w.bits)
    own_vec(owner, &w.exits)
    own_vec(owner, &w.reached)
    own_vec(owner, &w.stamps)
    return owner_status(owner)


cdef void segment_walk_clear(SegmentWalk* w) noexcept nogil:
    w.stamps.len = 0


cdef void segment_walk_end(SegmentWalk* w) noexcept nogil:
    if w.as_bits:
        memset(w.bits.data, 0, w.bits.len * sizeof(uint32_t))


cdef inline int note_token(SegmentWalk* w, const TrieNode* node) noexcept nogil:
    """Note the token of a node, if it has one. Returns OK or NO_MEMORY."""
    if w.as_bits:
        # (a node without a token sets a bit of the spare word)
        bit_set(w.bits.data, node_token(node))
        return OK
    return vec_push(&w.tokens, node_token(node)) if node_token(node) >> 5 < w.vocab.n_words else OK


cdef int reach(SegmentWalk* w, uint32_t state) noexcept nogil:
    """Note that tokens reach a state. Returns 1; 0 if the text cannot be completed from there in the walk's row; or a status."""
    cdef uint32_t number = state >> 8
    cdef Config config
    cdef int status
    if number >= w.stamps.len and vec_fill(&w.stamps, number + 1 - w.stamps.len, 0) < 0:
        return NO_MEMORY
    if w.stamps.data[number] == w.epoch:
        return 1
    if w.row != NO_ROW:
        config.row = w.row
        config.state = state
        # (a state that is refused is not noted, and asked about again: its verdict is kept)
        status = completable(w.completability, w.m, &config)
        if status <= 0:
            return status
    w.stamps.data[number] = w.epoch
    return NO_MEMORY if vec_push(&w.reached, state) < 0 else 1


cdef int note_exit(SegmentWalk* w, uint32_t at, uint32_t target, uint32_t state, uint32_t depth) noexcept nogil:
    """Note that the lexeme ends at a node: before its byte if `target` is LEAVE, else with it. Returns OK or NO_MEMORY."""
    cdef uint32_t[E_WORDS] words
    words[E_PARENT] = w.parents[depth - 1]
    words[E_NODE] = at
    words[E_STATE] = state
    if target == LEAVE:
        words[E_LEXEMES] = dfa_accept(&w.m.dfa, state)
    else:
        words[E_LEXEMES] = dfa_accept(&w.m.dfa, target & LAST_STATE)
        words[E_NODE] |= <uint32_t>CONSUMED
    return vec_extend(&w.exits, words, E_WORDS)


cdef int walk_nodes(SegmentWalk* w, uint32_t at, uint32_t end) noexcept nogil:
    """Walk the nodes from `at` to `end`; the state before the first is in `states`. Returns OK or a status."""
    cdef const TrieNode* nodes = w.vocab.nodes
    cdef const uint32_t* delta = w.m.dfa.delta.data
    cdef uint32_t known = DEAD
    cdef TrieNode node
    cdef uint32_t state, target, depth
    cdef int status
    while at < end:
        # (a copy, because the compiler must assume that a write to the mask may change the trie)
        node = nodes[at]
        depth = node_depth(&node)
        state = w.states[depth - 1]
        target = delta[state + node_byte(&node)]
        if target == UNKNOWN:
            status = dfa_fill(&w.m.dfa, state, node_byte(&node), &target)
            if status < 0:
                return status
            delta = w.m.dfa.delta.data
        if target <= LAST_STATE:
            if target != known:
                status = reach(w, target)
                if status < 0:
                    return status
                # (a search for a completion fills the automaton)
                delta = w.m.dfa.delta.data
                if status == 0:
                    at += node_size(&node)
                    continue
                known = target
            w.states[depth] = target
            w.parents[depth] = at
            if note_token(w, &node) < 0:
                return NO_MEMORY
            at += 1
            continue
        if target != DEAD and note_exit(w, at, target, state, depth) < 0:
            return NO_MEMORY
        at += node_size(&node)
    return OK


cdef void stand_at(SegmentWalk* w, uint32_t node, uint32_t state) noexcept nogil:
    """Let the walk go on below a node, in a lexer state."""
    cdef uint32_t depth = node_depth(&w.vocab.nodes[node])
    w.states[depth] = state
    w.parents[depth] = node


cdef int walk_children(SegmentWalk* w, uint32_t state, uint32_t above, const uint32_t* bytes) noexcept nogil:
    """Walk the children of a node that begin with a byte of a set. Returns OK or a status."""
    cdef const TrieNode* nodes = w.vocab.nodes
    cdef uint32_t at = above + 1
    cdef uint32_t end = subtree_end(nodes, above)
    cdef int status = OK
    stand_at(w, above, state)
    if end - above >= LARGE:
        if w.bits.len == 0 and vec_fill(&w.bits, w.vocab.n_words + 1, 0) < 0:
            return NO_MEMORY
        w.as_bits = True
    while at < end and status >= 0:
        if bit_test(bytes, node_byte(&nodes[at])):
            status = walk_nodes(w, at, subtree_end(nodes, at))
        at = subtree_end(nodes, at)
    return status


cdef int walk_place(SegmentWalk* w, uint32_t state, uint32_t place) noexcept nogil:
    """Walk one place of a tail of places. Returns OK or a status."""
    cdef const TrieNode* nodes = w.vocab.nodes
    cdef uint32_t at = place & ~<uint32_t>CONSUMED
    cdef uint32_t depth = node_depth(&nodes[at])
    cdef int status
    if not place & CONSUMED:
        w.states[depth - 1] = state
        # (no lexeme ends between two siblings here, so it does not matter which node is above)
        w.parents[depth - 1] = 0
        return walk_nodes(w, at, subtree_end(nodes, at))
    status = reach(w, state)
    if status <= 0:
        return status
    if note_token(w, &nodes[at]) < 0:
        return NO_MEMORY
    stand_at(w, at, state)
    return walk_nodes(w, at + 1, subtree_end(nodes, at))


cdef int walk_tail(SegmentWalk* w, uint32_t row, uint32_t state, const uint32_t* tail, uint32_t count) noexcept nogil:
    cdef uint32_t[MAX_TOKEN_BYTES + 1] states
    cdef uint32_t[MAX_TOKEN_BYTES + 1] parents
    cdef uint32_t i
    cdef int status = OK
    w.states = states
    w.parents = parents
    w.row = row
    w.as_bits = False
    w.exits.len = w.tokens.len = w.reached.len = 0
    w.epoch += 1
    if w.epoch == 0:
        # the count has wrapped around
        w.stamps.len = 0
        w.epoch = 1
    if tail[0] == <uint32_t>CHILDREN:
        return walk_children(w, state, tail[1], tail + 2)
    for i in range(count):
        if status >= 0:
            status = walk_place(w, state, tail[i])
    return status
