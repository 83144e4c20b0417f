"""The two walks here keep the lexer state of each ancestor by depth, so that a step is one load from the automaton's table."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_clear, bit_set, lowest_bit
from ffgrammar.core.compare cimport bits_unlike
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, LEAVE, UNKNOWN, dfa_accept, dfa_fill, dfa_step
from ffgrammar.regex.expr.nodes cimport FAR
from ffgrammar.regex.expr.approximate cimport min_distinguishing_length
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, node_byte, node_depth, node_size, node_token, subtree_end,
)


cdef int partition_vocabulary(
    Dfa* dfa, const Vocabulary* v, uint32_t state, uint32_t* mask, Vec* exits, size_t* visited,
) noexcept nogil:
    cdef const TrieNode* nodes = v.nodes
    cdef const uint32_t* delta = dfa.delta.data
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef TrieNode node
    cdef uint32_t at = 1
    cdef uint32_t steps = 0
    cdef uint32_t target
    cdef int status
    states[0] = state
    while at < v.node_count:
        # (a copy, because the compiler must assume that a write to the mask may change the trie)
        node = nodes[at]
        state = states[node_depth(&node) - 1]
        target = delta[state + node_byte(&node)]
        if target <= LAST_STATE:
            states[node_depth(&node)] = target
            bit_set(mask, node_token(&node))
            at += 1
            steps += 1
            continue
        if target == UNKNOWN:
            status = dfa_fill(dfa, state, node_byte(&node), &target)
            if status < 0:
                return status
            delta = dfa.delta.data
            continue
        if target != DEAD and add_exit(dfa, exits, at, state, target) < 0:
            return NO_MEMORY
        at += node_size(&node)
    visited[0] += steps
    return OK


cdef int lead_inside(
    Dfa* dfa, const Vocabulary* v, uint32_t row, uint32_t state, uint32_t* mask, Vec* exits, Vec* leads, size_t room,
) noexcept nogil:
    # (few bytes may come, so the nodes of the others are not looked at)
    cdef uint32_t word, live, root
    cdef int status = OK
    cdef int result = OK
    for word in range(8):
        live = bits_unlike(dfa.delta.data + state + 32 * word, DEAD)
        while live:
            root = v.roots[word << 5 | lowest_bit(live)]
            live &= live - 1
            if root:
                status = lead_below(dfa, v, row, state, root, mask, exits, leads, room)
            if status < 0:
                return status
            result |= status
    return result


cdef int lead_below(
    Dfa* dfa, const Vocabulary* v, uint32_t row, uint32_t state, uint32_t at, uint32_t* mask, Vec* exits, Vec* leads, size_t room,
) noexcept nogil:
    """lead_inside for the tokens below a child of the root."""
    cdef const TrieNode* nodes = v.nodes
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef uint32_t stop = subtree_end(nodes, at)
    cdef uint32_t depth
    cdef bint many = False
    cdef int status
    states[0] = state
    while at < stop:
        depth = node_depth(&nodes[at])
        status = dfa_step(dfa, states[depth - 1], node_byte(&nodes[at]), &states[depth])
        if status < 0:
            return status
        if states[depth] > LAST_STATE:
            if states[depth] != DEAD and add_exit(dfa, exits, at, states[depth - 1], states[depth]) < 0:
                return NO_MEMORY
            at += node_size(&nodes[at])
            continue
        bit_set(mask, node_token(&nodes[at]))
        if leads.len >= room:
            many = True
        elif note_lead(leads, node_token(&nodes[at]), row, states[depth]) < 0:
            return NO_MEMORY
        at += 1
    return many


cdef uint32_t states_length(const Dfa* dfa, uint32_t a, uint32_t b) noexcept nogil:
    """The distinguishing length of two lexer states, in bytes: any shorter text has the same effect from both."""
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
    # whether an eager lexeme ends depends on what may follow, so a text that is one byte shorter can tell the states apart
    return least - 1 if dfa.eager and least else least


cdef inline int cached_length(Dfa* dfa, Map* lengths, uint32_t a, uint32_t b, uint32_t* found) noexcept nogil:
    """states_length, through the cache. Returns OK or a status."""
    cdef uint64_t key = <uint64_t>a << 32 | b
    found[0] = map_get(lengths, key)
    if found[0] != ABSENT:
        return OK
    found[0] = states_length(dfa, a, b)
    return map_put(lengths, key, found[0])


cdef inline void clear_subtree(const TrieNode* nodes, uint32_t at, uint32_t* mask) noexcept nogil:
    cdef uint32_t end = subtree_end(nodes, at)
    while at < end:
        bit_clear(mask, node_token(&nodes[at]))
        at += 1


cdef struct Pair:
    # At a node: the lexer states to which the walk from the state and the walk from its base have come, and the distinguishing
    # length of these two (0 if the walk from the base has ended).
    uint32_t state
    uint32_t base    # if this walk has ended: LEAVE if the mask may have tokens below the node, else DEAD
    uint32_t length


cdef inline int step_pair(
    Dfa* dfa, Map* lengths, const Pair* above, uint32_t byte, Pair* here, bint* same,
) noexcept nogil:
    """Move both walks by a byte. Sets `same` to whether the subtree is the same for both. Returns OK or a status."""
    cdef int status = dfa_step(dfa, above.state, byte, &here.state)
    here.base = above.base
    here.length = 0
    same[0] = False
    if status < 0 or above.base > LAST_STATE:
        return status
    status = dfa_step(dfa, above.base, byte, &here.base)
    if status < 0:
        return status
    if here.state == here.base:
        same[0] = here.state != LEAVE or dfa_accept(dfa, above.state) == dfa_accept(dfa, above.base)
    if not same[0] and here.state <= LAST_STATE and here.base <= LAST_STATE:
        status = cached_length(dfa, lengths, here.state, here.base, &here.length)
    return status


cdef int partition_from_base(
    Dfa* dfa, const Vocabulary* v, uint32_t row, uint32_t state, uint32_t base, uint32_t* mask, Vec* exits, Vec* leads,
    Map* lengths, size_t room, size_t* visited,
) noexcept nogil:
    cdef const TrieNode* nodes = v.nodes
    cdef size_t most = visited[0] + room
    cdef Pair pairs[MAX_TOKEN_BYTES + 1]  # by depth
    cdef Pair* above
    cdef Pair* here
    cdef TrieNode node
    cdef uint32_t at = 1
    cdef uint32_t margin = 1 if leads == NULL else 1 + LEAD_MARGIN
    cdef bint same
    cdef int status
    pairs[0].state = state
    pairs[0].base = base
    status = cached_length(dfa, lengths, state, base, &pairs[0].length)
    if status < 0:
        return status
    while at < v.node_count:
        if visited[0] == most:
            return UNLIKE
        visited[0] += 1
        node = nodes[at]
        above = &pairs[node_depth(&node) - 1]
        here = above + 1
        if above.length > v.heights[at] + margin:
            # no token below is long enough to tell the two apart
            at += node_size(&node)
            continue
        status = step_pair(dfa, lengths, above, node_byte(&node), here, &same)
        if status < 0:
            return status
        if same:
            at += node_size(&node)
        elif here.state <= LAST_STATE:
            bit_set(mask, node_token(&node))
            if leads != NULL and note_lead(leads, node_token(&node), row, here.state) < 0:
                return NO_MEMORY
            if here.base > LAST_STATE and here.base != DEAD:
                # if a lazy lexeme of the base ends with this byte, the mask may have tokens below the node
                here.base = LEAVE
            at += 1
        else:
            if here.base != DEAD:
                clear_subtree(nodes, at, mask)
            if here.state != DEAD and add_exit(dfa, exits, at, above.state, here.state) < 0:
                return NO_MEMORY
            at += node_size(&node)
    return OK
