"""Which tokens may follow a canonical sequence.

A token may follow if two things are true. First, the rules allow it (rules.pyx). Second, some text goes on after it and leaves
all tokens so far as they are. The first is found by two walks over the trie: one for the case that the pre-token ends before the
token, and one for the case that it goes on. A walk keeps the state of each ancestor by depth, so a byte that many tokens share
is fed once. The second is found by a search for further tokens that lead to a place where a pre-token may end. Mostly the search
needs no further token, or one.

To find all tokens that may follow takes 0.1 to 0.25 s on cl100k and o200k, so the masks of the engine use boundary transitions
and successors instead. Mostly the walks here are over tokens that begin with certain bytes, and such tokens are few.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.threads cimport atomic_load_word, atomic_put_word
from ffgrammar.tokens.canonical.rules cimport FAILED, FIRST, KEPT, NO_NODE, CanonicalRules, CanonicalState
from ffgrammar.tokens.vocabulary.token_index cimport mix
from ffgrammar.tokens.vocabulary.trie cimport TrieNode, next_node, node_byte, node_depth, node_token, subtree_end

cdef enum:
    NEAR = 255  # where tokens have no more bytes than this, the states by depth are put on the stack, else they are allocated


cdef struct Wanted:
    # What a walk is for.
    uint32_t* mask   # where the bits of the tokens found are set; NULL to stop at the first token
    uint32_t ahead   # for `can_go_on`
    uint32_t first   # the token at which the walk has stopped
    bint below       # whether the token of the node itself does not count


cdef int follow(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, uint32_t* mask, uint32_t ahead
) noexcept nogil:
    cdef Wanted wanted = Wanted(mask, ahead, 0, False)
    return walk_both_ways(rules, at, node, text, &wanted)


cdef int follow_one_way(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, bint ends, uint32_t* mask, uint32_t ahead
) noexcept nogil:
    cdef Wanted wanted = Wanted(mask, ahead, 0, False)
    return walk(rules, at, node, text, ends, &wanted)


cdef int find_first(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, bint below, uint32_t* token
) noexcept nogil:
    cdef uint64_t key = key_of(rules, at, node, below)
    cdef uint64_t* known = &rules.nothing_follows[mix(key) & (KEPT - 1)]
    cdef Wanted wanted = Wanted(NULL, MAX_AHEAD, 0, below)
    cdef int status
    if key and atomic_load_word(known) == key:
        return False
    status = walk_both_ways(rules, at, node, text, &wanted)
    token[0] = wanted.first
    if status == 0 and key:
        atomic_put_word(known, key)
    return status


cdef uint64_t key_of(CanonicalRules rules, const CanonicalState* at, uint32_t node, bint below) noexcept nogil:
    """A word that stands for the arguments of `find_first`, or 0 if they do not fit into one word."""
    if at.count > 1 or at.character.need or at.hypothesis[0] >= 1 << 14:
        return 0
    if rules.has_unmergeable and (at.unmergeable or at.node[0] != <uint32_t>NO_NODE):
        return 0
    # (the numbers of nodes and tokens have 24 bits)
    return <uint64_t>(at.last & 0xFFFFFF) << 40 | <uint64_t>node << 16 | at.hypothesis[0] << 2 | below << 1 | 1


cdef int walk_both_ways(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, Wanted* wanted
) noexcept nogil:
    """Do what `follow` does, for what `wanted` asks. Returns as `follow`."""
    cdef int ended = 0
    cdef int went_on
    if not at.character.need and at.last != <uint32_t>FIRST:
        ended = walk(rules, at, node, text, True, wanted)
        if ended < 0 or (ended and wanted.mask == NULL):
            return ended
    went_on = walk(rules, at, node, text, False, wanted)
    return went_on if went_on < 0 else ended + went_on


cdef int walk(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, bint ends, Wanted* wanted
) noexcept nogil:
    """Do what `follow_one_way` does, for what `wanted` asks. Returns as `follow`."""
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
        status = walk_character(rules, states, ends, wanted)
    else:
        status = walk_text(rules, states, node, text, ends, wanted)
    if states != near:
        free(states)
    return status


cdef int walk_text(
    CanonicalRules rules, CanonicalState* states, uint32_t node, const uint8_t* text, bint ends, Wanted* wanted
) noexcept nogil:
    """`walk` from states[0], for the tokens that begin with the text of a node."""
    cdef const TrieNode* nodes = rules.trie.nodes
    cdef uint32_t size = node_depth(&nodes[node])
    cdef uint32_t depth
    cdef int found = 0
    cdef int status
    for depth in range(size):
        states[depth + 1] = states[depth]
        if not rules.feed(&states[depth + 1], text[depth]):
            return 0
    if size and not wanted.below and node_token(&nodes[node]) != rules.trie.pad_token:
        found = may_come(rules, &states[size], node_token(&nodes[node]), ends, wanted)
        if found < 0 or (found and wanted.mask == NULL):
            return found
    status = walk_below(rules, states, node + 1, subtree_end(nodes, node), ends, wanted)
    return status if status < 0 else found + status


cdef int walk_character(CanonicalRules rules, CanonicalState* states, bint ends, Wanted* wanted) noexcept nogil:
    """`walk` from states[0], for all tokens, if this state is inside a character. Only few bytes can come there. So only the
    subtrees of these bytes are walked, which are far apart in the trie."""
    cdef uint32_t byte, root
    cdef int found = 0
    cdef int status
    for byte in range(states[0].character.low, <uint32_t>states[0].character.high + 1):
        root = rules.trie.roots[byte]
        if root:
            status = walk_below(rules, states, root, subtree_end(rules.trie.nodes, root), ends, wanted)
            found += status
            if status < 0 or (found and wanted.mask == NULL):
                return status
    return found


cdef int walk_below(
    CanonicalRules rules, CanonicalState* states, uint32_t node, uint32_t stop, bint ends, Wanted* wanted
) noexcept nogil:
    """The part of `walk` for the nodes from `node` up to, and without, `stop`. `states` has room for a state at each depth. The
    state of the parent of the first node must be set."""
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
            status = may_come(rules, &states[depth], token, ends, wanted)
            found += status
            if status < 0 or (found and wanted.mask == NULL):
                return status
        node = next_node(nodes, node, alive)
    return found


cdef int may_come(
    CanonicalRules rules, const CanonicalState* at, uint32_t token, bint ends, Wanted* wanted
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
        status = can_go_on(rules, &after, wanted.ahead)
    if status > 0:
        wanted.first = token
        if wanted.mask != NULL:
            bit_set(wanted.mask, token)
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


cdef int may_come_next(CanonicalRules rules, const CanonicalState* at, uint32_t token) noexcept nogil:
    cdef CanonicalState after = at[0]
    cdef int status = rules.push(&after, token)
    return can_go_on(rules, &after, MAX_AHEAD) if status > 0 else status
