"""Both walks keep the lexer states of the nodes above: a step is one load of the automaton's table."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, LEAVE, UNKNOWN, dfa_accept, dfa_fill
from ffgrammar.regex.expr.nodes cimport FAR
from ffgrammar.regex.expr.approximate cimport min_distinguishing_length
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES


cdef inline int add_place(Dfa* dfa, Vec* exits, uint32_t at, uint32_t state, uint32_t target) noexcept nogil:
    """The lexeme ends before the byte of a node (LEAVE) or with it (LAZY)."""
    if target != LEAVE:
        state = target & LAST_STATE
        at |= <uint32_t>CONSUMED
    return NO_MEMORY if vec_push(exits, at) < 0 or vec_push(exits, dfa_accept(dfa, state)) < 0 else OK


cdef int partition_vocabulary(
    Dfa* dfa, const Vocabulary* v, uint32_t state, uint32_t* mask, Vec* exits, size_t* visited,
) noexcept nogil:
    cdef const TrieNode* nodes = v.nodes
    cdef const uint32_t* delta = dfa.delta.data
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef uint32_t at = 1
    cdef uint32_t steps = 0
    cdef uint32_t word, size, target, token
    cdef int status
    states[0] = state
    while at < v.node_count:
        word = nodes[at].word
        size = nodes[at].size
        state = states[(size & 0xFF) - 1]
        target = delta[state + (word & 0xFF)]
        if target <= LAST_STATE:
            states[size & 0xFF] = target
            token = word >> 8
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
            at += 1
            steps += 1
            continue
        if target == UNKNOWN:
            status = dfa_fill(dfa, state, word & 0xFF, &target)
            if status < 0:
                return status
            delta = dfa.delta.data
            continue
        if target != DEAD and add_place(dfa, exits, at, state, target) < 0:
            return NO_MEMORY
        at += size >> 8
    visited[0] += steps
    return OK


cdef uint32_t states_horizon(const Dfa* dfa, uint32_t a, uint32_t b) noexcept nogil:
    """Texts shorter than this lead to the same from two lexer states."""
    cdef const uint32_t* x = intern_get(&dfa.states, a >> 8)
    cdef const uint32_t* y = intern_get(&dfa.states, b >> 8)
    cdef uint32_t count = intern_len(&dfa.states, a >> 8)
    cdef uint32_t least = FAR
    cdef uint32_t i, found
    if count != intern_len(&dfa.states, b >> 8):
        return 0
    for i in range(1, count, 2):
        if x[i] != y[i]:
            return 0
        found = min_distinguishing_length(dfa.nodes, x[i + 1], y[i + 1])
        if found < least:
            least = found
    # an eager lexeme ends where nothing can follow: the next byte matters, too
    return least - 1 if dfa.eager and least else least


cdef inline int known_horizon(Dfa* dfa, Map* distinguishing_lengths, uint32_t a, uint32_t b, uint32_t* found) noexcept nogil:
    cdef uint64_t key = <uint64_t>a << 32 | b
    found[0] = map_get(distinguishing_lengths, key)
    if found[0] != ABSENT:
        return OK
    found[0] = states_horizon(dfa, a, b)
    return map_put(distinguishing_lengths, key, found[0])


cdef inline void clear_below(const TrieNode* nodes, uint32_t at, uint32_t* mask) noexcept nogil:
    """Clear a node's token and all below it."""
    cdef uint32_t end = at + (nodes[at].size >> 8)
    cdef uint32_t token
    while at < end:
        token = nodes[at].word >> 8
        mask[token >> 5] &= ~(<uint32_t>1 << (token & 31))
        at += 1


cdef int partition_from_base(
    Dfa* dfa, const Vocabulary* v, uint32_t state, uint32_t other, uint32_t* mask, Vec* exits, Map* distinguishing_lengths,
    size_t* visited,
) noexcept nogil:
    cdef const TrieNode* nodes = v.nodes
    # of the nodes above: the state, and the other state, or LEAVE or DEAD where that ended: the mask has tokens below, or none
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef uint32_t others[MAX_TOKEN_BYTES + 1]
    # the horizons of the two; of those that ended 0
    cdef uint32_t horizons_above[MAX_TOKEN_BYTES + 1]
    cdef uint32_t at = 1
    cdef uint32_t byte, size, depth, target, other_target, token, found
    cdef int status
    states[0] = state
    others[0] = other
    status = known_horizon(dfa, distinguishing_lengths, state, other, &horizons_above[0])
    if status < 0:
        return status
    while at < v.node_count:
        visited[0] += 1
        byte = nodes[at].word & 0xFF
        size = nodes[at].size
        depth = size & 0xFF
        if horizons_above[depth - 1] > <uint32_t>v.heights[at] + 1:
            # no token below is long enough to tell
            at += size >> 8
            continue
        state = states[depth - 1]
        other = others[depth - 1]
        target = dfa.delta.data[state + byte]
        if target == UNKNOWN:
            status = dfa_fill(dfa, state, byte, &target)
            if status < 0:
                return status
        other_target = other
        found = 0
        if other <= LAST_STATE:
            other_target = dfa.delta.data[other + byte]
            if other_target == UNKNOWN:
                status = dfa_fill(dfa, other, byte, &other_target)
                if status < 0:
                    return status
            if target == other_target and (target != LEAVE or dfa_accept(dfa, state) == dfa_accept(dfa, other)):
                at += size >> 8
                continue
            if target <= LAST_STATE and other_target <= LAST_STATE:
                status = known_horizon(dfa, distinguishing_lengths, target, other_target, &found)
                if status < 0:
                    return status
        horizons_above[depth] = found
        if target <= LAST_STATE:
            token = nodes[at].word >> 8
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
            states[depth] = target
            # (where the other lexeme ended with this byte, tokens below may have been set)
            others[depth] = other_target if other_target <= LAST_STATE or other_target == DEAD else <uint32_t>LEAVE
            at += 1
            continue
        if other_target != DEAD:
            clear_below(nodes, at, mask)
        if target != DEAD and add_place(dfa, exits, at, state, target) < 0:
            return NO_MEMORY
        at += size >> 8
    return OK
