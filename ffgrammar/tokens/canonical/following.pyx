"""Which tokens may follow a canonical sequence.

A token may follow if two things are true. The rules allow it (rules.pyx). And some text goes on after it and leaves all tokens
so far as they are. The first is found by two walks over the trie: one for the case that the pre-token ends before the token,
and one for the case that it goes on. A walk keeps the state of each ancestor by depth, so a byte that many tokens share is fed
once. The second is found by a search for further tokens that lead to a place where a pre-token may end. Mostly none or one is
needed.

To find all tokens that may follow takes 0.1 to 0.25 s on cl100k and o200k, so the masks of the engine use boundary transitions and
successors instead. The walks made here are only over the tokens that begin with certain bytes, and these are few.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc

from ffgrammar.core.bits cimport bit_set
from ffgrammar.tokens.canonical.rules cimport FAILED, FIRST, CanonicalRules, CanonicalState
from ffgrammar.tokens.vocabulary.trie cimport TrieNode, next_node, node_byte, node_depth, node_token, subtree_end

cdef enum:
    NEAR = 255  # where tokens have no more bytes than this, the states by depth are put on the stack, else they are allocated


cdef int follow(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, uint32_t* mask, uint32_t ahead
) noexcept nogil:
    cdef int ended = 0
    cdef int went_on
    if not at.character.need and at.last != <uint32_t>FIRST:
        ended = follow_one_way(rules, at, node, text, True, mask, ahead)
        if ended < 0 or (ended and mask == NULL):
            return ended
    went_on = follow_one_way(rules, at, node, text, False, mask, ahead)
    return went_on if went_on < 0 else ended + went_on


cdef int follow_one_way(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, bint ends, uint32_t* mask, uint32_t ahead
) noexcept nogil:
    cdef CanonicalState[NEAR + 1] near
    cdef CanonicalState* states = near
    cdef int status
    if rules.trie.max_depth > NEAR:
        states = <CanonicalState*>malloc((<size_t>rules.trie.max_depth + 1) * sizeof(CanonicalState))
        if states == NULL:
            return FAILED
    states[0] = at[0]
    rules.start(&states[0], ends)
    if at.character.need and node == 0:
        status = follow_character(rules, states, ends, mask, ahead)
    else:
        status = follow_text(rules, states, node, text, ends, mask, ahead)
    if states != near:
        free(states)
    return status


cdef int follow_text(
    CanonicalRules rules, CanonicalState* states, uint32_t node, const uint8_t* text, bint ends, uint32_t* mask, uint32_t ahead
) noexcept nogil:
    """The same from states[0], for the tokens that begin with the text of a node."""
    cdef const TrieNode* nodes = rules.trie.nodes
    cdef uint32_t size = node_depth(&nodes[node])
    cdef uint32_t depth
    cdef int found = 0
    cdef int status
    for depth in range(size):
        states[depth + 1] = states[depth]
        if not rules.feed(&states[depth + 1], text[depth]):
            return 0
    if size and node_token(&nodes[node]) != rules.trie.pad_token:
        found = may_come(rules, &states[size], node_token(&nodes[node]), ends, mask, ahead)
        if found < 0 or (found and mask == NULL):
            return found
    status = follow_below(rules, states, node + 1, subtree_end(nodes, node), ends, mask, ahead)
    return status if status < 0 else found + status


cdef int follow_character(
    CanonicalRules rules, CanonicalState* states, bint ends, uint32_t* mask, uint32_t ahead
) noexcept nogil:
    """The same for all tokens, from a state inside a character. Only few bytes can come there. So only the subtrees of these
    bytes are walked, which are far apart in the trie."""
    cdef uint32_t byte, root
    cdef int found = 0
    cdef int status
    for byte in range(states[0].character.low, <uint32_t>states[0].character.high + 1):
        root = rules.trie.roots[byte]
        if root:
            status = follow_below(rules, states, root, subtree_end(rules.trie.nodes, root), ends, mask, ahead)
            found += status
            if status < 0 or (found and mask == NULL):
                return status
    return found


cdef int follow_below(
    CanonicalRules rules, CanonicalState* states, uint32_t node, uint32_t stop, bint ends, uint32_t* mask, uint32_t ahead
) noexcept nogil:
    """The same for the nodes from `node` up to, and without, `stop`. `states` has a state for each depth; that of the parent of
    the first node is set."""
    cdef const TrieNode* nodes = rules.trie.nodes
    cdef uint32_t depth, token
    cdef int found = 0
    cdef int status
    cdef bint alive
    while node < stop:
        depth = node_depth(&nodes[node])
        token = node_token(&nodes[node])
        states[depth] = states[depth - 1]
        alive = rules.feed(&states[depth], node_byte(&nodes[node]))
        if alive and token != rules.trie.pad_token:
            status = may_come(rules, &states[depth], token, ends, mask, ahead)
            found += status
            if status < 0 or (found and mask == NULL):
                return status
        node = next_node(nodes, node, alive)
    return found


cdef int may_come(
    CanonicalRules rules, const CanonicalState* at, uint32_t token, bint ends, uint32_t* mask, uint32_t ahead
) noexcept nogil:
    """Whether a token may come whose bytes have led to `at`: whether merges allow it, and some text can go on after it. If so,
    sets its bit. Returns True, False or FAILED."""
    cdef CanonicalState after
    cdef int status = rules.fits(at, token, ends)
    if status <= 0:
        return status
    after = at[0]
    status = rules.settle(&after, token)
    if status > 0:
        status = can_go_on(rules, &after, ahead)
    if status > 0 and mask != NULL:
        bit_set(mask, token)
    return status


cdef int can_go_on(CanonicalRules rules, const CanonicalState* at, uint32_t ahead) noexcept nogil:
    cdef uint32_t i
    cdef int status
    if not at.character.need:
        for i in range(at.count):
            if rules.may_stop[at.hypothesis[i]] and (at.unmergeable or not rules.is_unmergeable(at.node[i])):
                return True
    # Try one further token first, then two, and so on: a search that goes deep at once would try all tokens that begin with
    # blanks, say. But inside a character use the full depth at once, because few bytes can come there.
    for i in range(ahead - 1 if at.character.need and ahead else 0, ahead):
        status = follow(rules, at, 0, NULL, NULL, i)
        if status:
            return status
    return False
