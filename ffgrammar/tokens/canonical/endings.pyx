"""Endings: bytes after a token with which its pre-token can end.

After most tokens the pre-token can end, if some suitable character comes. After others it must go on first. A token may end
inside a character, so that only a few further tokens can come. Or it may end with an apostrophe that the pattern takes together
with the next letter. Whether further tokens can come after such a token, and bring the pre-token to its end, is decided by the
merges. One example of such tokens is enough. It is looked for with the tokenizer alone, among printable ASCII characters and the
missing bytes of a character. Its bytes are the ending of the token. An ending serves every grammar that lets its bytes come and
lets the pre-token end after them. If no ending is found, or if the grammar does not let it come, the token is judged together
with the grammar (engine/canonical/dead_ends.pyx).
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

from ffgrammar.core.bits cimport bit_set, bit_test, lowest_bit
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend
from ffgrammar.tokens.canonical.rules cimport FIRST, NO_NODE, UNCONSTRAINED, CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.transitions cimport BEGINS, ENDS, IS_CUT, Transition
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token, subtree_end

cdef enum:
    MAX_BYTES = 8      # how many bytes an ending may have
    MAX_WAY_ON = 4     # how many bytes a way on may have: those that are missing of a character, and an ASCII character
    MAX_CHARACTERS = 2  # how many characters an ending may complete
    # How many tokens are tried for one transition. (Of some 20 vocabularies, Command R+ needs the most, 4,615. On Gemma 2, some
    # tokens have no ending, and every bound is reached.)
    MAX_TRIES = 1 << 13
    MAX_WORDS = 128    # how many words a set of hypotheses may have: the automaton of pre-tokens has at most 4,000 states


cdef struct Path:
    # What the search has put after the token so far.
    uint64_t bytes       # as in an ending
    uint32_t count       # how many bytes there are
    uint32_t characters  # how many characters they complete
    uint32_t* tries_left
    bint way_on          # whether the search is for a way on
    CanonicalState at    # the state after these bytes


cdef int find_endings(CanonicalRules rules, Transition* transition, uint32_t hypothesis, uint32_t way) noexcept nogil:
    cdef uint32_t words = rules.outcomes.words
    cdef uint32_t[2] tries_left  # for endings, and for ways on
    cdef uint32_t word, left, token, i, j
    cdef bint can_end
    cdef int status
    tries_left[0] = tries_left[1] = MAX_TRIES
    # (an earlier call may have run out of memory half-way)
    free(transition.needs_ending)
    transition.endings.len = 0
    transition.needs_ending = <bint*>calloc(<size_t>transition.count + 1, sizeof(bint))
    if transition.needs_ending == NULL:
        return NO_MEMORY
    transition.lacks_endings = False
    for i in range(transition.count):
        can_end = False
        for j in range(words):
            can_end |= transition.outcomes[i * words + j] & rules.free_ends[j] != 0
        transition.needs_ending[i] = transition.is_listed[i] and not can_end
        transition.lacks_endings |= not transition.is_listed[i] and not can_end
    for word in range(rules.trie.n_words):
        left = transition.mask[word]
        while left:
            token = word << 5 | lowest_bit(left)
            left &= left - 1
            if transition.after[token] == IS_CUT or transition.needs_ending[transition.after[token]]:
                status = find_ending(rules, transition, hypothesis, way, token, tries_left)
                if status < 0:
                    return status
    transition.has_endings = True
    return OK


cdef int find_ending(
    CanonicalRules rules, Transition* transition, uint32_t hypothesis, uint32_t way, uint32_t token, uint32_t* tries_left
) noexcept nogil:
    """Find the ending of one token. Returns OK or NO_MEMORY."""
    cdef uint32_t[ENDING_WORDS] words
    cdef Path path, before
    cdef int status
    words[0] = token
    words[1] = words[2] = words[3] = 0
    rules.begin(&path.at)
    path.at.hypothesis[0] = <uint16_t>hypothesis
    path.at.node[0] = 0 if way == BEGINS else NO_NODE
    path.at.last = FIRST if way == BEGINS else UNCONSTRAINED
    path.bytes = path.count = path.characters = 0
    path.tries_left = tries_left
    path.way_on = False
    rules.start(&path.at, way == ENDS)
    status = rules.feed_token(&path.at, token)
    if status > 0:
        status = rules.settle(&path.at, token)
    if status > 0 and not path.at.unmergeable:
        before = path
        status = search(rules, &path)
        if status == 0 and transition.lacks_endings and not rules.has_unmergeable:
            path = before
            path.way_on = True
            path.tries_left = tries_left + 1
            status = search(rules, &path)
        if status > 0:
            words[1] = <uint32_t>path.bytes
            words[2] = <uint32_t>(path.bytes >> 32)
            status = number_of(rules, transition, &path.at, &words[3])
            if path.way_on:
                words[3] |= <uint32_t>WAY_ON
        elif status == 0 and not may_stop(rules, &path.at):
            status = is_followed(rules, &path.at)
            words[3] = NEVER if status == 0 else 0
    return NO_MEMORY if status < 0 or vec_extend(&transition.endings, words, ENDING_WORDS) < 0 else OK


cdef bint may_stop(CanonicalRules rules, const CanonicalState* at) noexcept nogil:
    """Whether the pre-token or the text may end after a state."""
    cdef uint32_t i
    for i in range(0 if at.character.need else at.count):
        if rules.may_stop[at.hypothesis[i]]:
            return True
    return False


cdef int is_followed(CanonicalRules rules, const CanonicalState* at) noexcept nogil:
    """Whether some token may go on with the pre-token after a state. Returns 1, 0 or NO_MEMORY."""
    cdef const TrieNode* nodes = rules.trie.nodes
    cdef CanonicalState[MAX_TOKEN_BYTES + 1] states  # by depth
    cdef uint32_t byte, node, stop, depth
    cdef bint alive
    cdef int status
    states[0] = at[0]
    rules.start(&states[0], False)
    for byte in range(at.character.low if at.character.need else 0, <uint32_t>at.character.high + 1 if at.character.need else 256):
        node = rules.trie.roots[byte]
        stop = subtree_end(nodes, node) if node else 0
        while node < stop:
            depth = node_depth(&nodes[node])
            states[depth] = states[depth - 1]
            alive = rules.feed(&states[depth], node_byte(&nodes[node]))
            if alive and node_token(&nodes[node]) != rules.trie.pad_token:
                status = rules.fits(&states[depth], node_token(&nodes[node]), False)
                if status != 0:
                    return NO_MEMORY if status < 0 else 1
            node = next_node(nodes, node, alive)
    return 0


cdef int number_of(CanonicalRules rules, Transition* transition, const CanonicalState* at, uint32_t* number) noexcept nogil:
    """Find or add the outcome of a state in a transition, and write its number. Hypotheses by which the pre-token must not end
    here are left out. Returns OK or NO_MEMORY."""
    cdef uint32_t[MAX_WORDS] bits
    cdef size_t words = rules.outcomes.words
    cdef uint32_t* more
    cdef uint32_t i
    memset(bits, 0, words * sizeof(uint32_t))
    for i in range(at.count):
        if not rules.is_unmergeable(at.node[i]):
            bit_set(bits, at.hypothesis[i])
    for i in range(transition.all_count):
        if memcmp(transition.outcomes + i * words, bits, words * sizeof(uint32_t)) == 0:
            number[0] = i
            return OK
    more = <uint32_t*>realloc(transition.outcomes, (transition.all_count + 1) * words * sizeof(uint32_t))
    if more == NULL:
        return NO_MEMORY
    transition.outcomes = more
    memcpy(more + transition.all_count * words, bits, words * sizeof(uint32_t))
    number[0] = transition.all_count
    transition.all_count += 1
    return OK


cdef inline uint32_t room_of(const Path* path) noexcept nogil:
    """How many bytes a path may have."""
    return MAX_WAY_ON if path.way_on else MAX_BYTES


cdef bint is_ascii_character(CanonicalRules rules, uint32_t token) noexcept nogil:
    cdef uint32_t start = rules.trie.offsets[token]
    return rules.trie.offsets[token + 1] == start + 1 and rules.trie.blob[start] < 0x80


cdef int search(CanonicalRules rules, Path* path) noexcept nogil:
    """Extend a path by further tokens until the pre-token can end in free text (CanonicalRules.free_ends), or until it is a way on.
    Returns 1, 0 if no such tokens are found, or NO_MEMORY."""
    # (fewer tokens join an exclamation mark than a space)
    cdef uint32_t low = path.at.character.low if path.at.character.need else 0x20 + path.way_on
    cdef uint32_t high = path.at.character.high if path.at.character.need else 0x7E
    cdef uint32_t byte, root
    cdef int status
    for byte in range(low, high + 1):
        root = rules.trie.roots[byte]
        if root:
            status = search_below(rules, path, root)
            if status != 0:
                return status
    return 0


cdef int search_below(CanonicalRules rules, Path* path, uint32_t node) noexcept nogil:
    """`search` at and below one child of the trie's root. Tries tokens of one character, and those that begin with the missing
    bytes of a character. (On Qwen 3, after some tokens only tokens of further characters can complete a character.)"""
    cdef const TrieNode* nodes = rules.trie.nodes
    cdef Path[MAX_BYTES + 1] paths
    cdef uint32_t stop = subtree_end(nodes, node)
    cdef uint32_t depth
    cdef bint is_inside = path.at.character.need > 0
    cdef bint alive
    cdef int status
    paths[0] = path[0]
    rules.start(&paths[0].at, False)
    while node < stop:
        depth = node_depth(&nodes[node])
        paths[depth] = paths[depth - 1]
        paths[depth].bytes |= <uint64_t>node_byte(&nodes[node]) << 8 * paths[depth].count
        paths[depth].count += 1
        alive = rules.feed(&paths[depth].at, node_byte(&nodes[node]))
        if alive and node_token(&nodes[node]) != rules.trie.pad_token:
            status = take(rules, &paths[depth], node_token(&nodes[node]))
            if status > 0:
                path[0] = paths[depth]
            if status != 0:
                return status
        alive = alive and paths[depth].count < room_of(path)
        node = next_node(nodes, node, alive and (is_inside or paths[depth].at.character.need))
    return 0


cdef int take(CanonicalRules rules, Path* path, uint32_t token) noexcept nogil:
    """Extend a path by one token, whose bytes have been fed, and perhaps by further ones. Returns as `search`. Unless it
    returns 1, the path is of no use any more."""
    cdef uint32_t i
    cdef int status
    if path.tries_left[0] == 0:
        return 0
    path.tries_left[0] -= 1
    status = rules.fits(&path.at, token, False)
    if status > 0:
        status = rules.settle(&path.at, token)
    if status <= 0 or path.at.unmergeable:
        return min(status, 0)
    if path.at.character.need == 0:
        path.characters += 1
        if path.way_on and is_ascii_character(rules, token):
            return 1
        for i in range(0 if path.way_on else path.at.count):
            if bit_test(rules.free_ends, path.at.hypothesis[i]) and not rules.is_unmergeable(path.at.node[i]):
                return 1
    return search(rules, path) if path.count < room_of(path) and path.characters < MAX_CHARACTERS else 0
