"""A lexeme's exits say only where the state may exit: it stays inside while another lexeme goes on. So the state itself is
followed, but along these places alone."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set, bit_test, bit_words, lowest_bit
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_fill, vec_push
from ffgrammar.engine.masks.tables cimport reset_scratch
from ffgrammar.engine.masks.trie_walk cimport CONSUMED, EXIT_WORDS, Vocabulary
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, LEAVE, dfa_accept, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, next_node, node_byte, node_depth, node_token, subtree_end,
)

cdef enum:
    # How many states a walk may add, and how many more for each lexeme. (In many vocabularies the numbers of up to three digits are
    # 1,110 tokens. Each leads to a state of its own where numbers are multiples, and a lexeme alone would need as many. Keys and
    # other fixed words add a state for each of their bytes that the walk reads.)
    ROOM = 1500
    ROOM_EACH = 16
    # When the lists of the lexemes of wide states have more words than this, they are dropped.
    MAX_WIDE = 4096


cdef uint32_t split_room(const Dfa* dfa, uint32_t state) noexcept nogil:
    cdef const uint32_t* pairs = intern_get(&dfa.states, state >> 8) + 1
    cdef uint32_t count = intern_len(&dfa.states, state >> 8) - 1
    cdef uint32_t i
    if count <= 2 or dfa.threads.present:
        return 0
    for i in range(0, count, 2):
        # (such lexemes end others that could go on)
        if dfa.lazy.data[pairs[i]] or pairs[i] >= dfa.first_word:
            return 0
    return ROOM + ROOM_EACH * (count >> 1)


cdef bint has_most(const uint32_t* all, uint32_t count, const uint32_t* pairs, uint32_t words) noexcept nogil:
    """Whether the lexemes of some pairs are among others, and at least half as many. Both are sorted."""
    cdef uint32_t at = 0
    cdef uint32_t i
    if words < count:
        return False
    for i in range(0, words, 2):
        while at < count and all[at] < pairs[i]:
            at += 1
        if at == count or all[at] != pairs[i]:
            return False
    return True


cdef bint is_known_wide(const Masks* k, const Dfa* dfa, uint32_t state) noexcept nogil:
    cdef const uint32_t* pairs = intern_get(&dfa.states, state >> 8) + 1
    cdef uint32_t words = intern_len(&dfa.states, state >> 8) - 1
    cdef size_t at = 0
    while at < k.wide.len:
        if has_most(k.wide.data + at + 1, k.wide.data[at], pairs, words):
            return True
        at += 1 + k.wide.data[at]
    return False


cdef int note_wide(Masks* k, const Dfa* dfa, uint32_t state) noexcept nogil:
    cdef uint32_t i
    if k.wide.len > MAX_WIDE:
        k.wide.len = 0
    if vec_push(&k.wide, (intern_len(&dfa.states, state >> 8) - 1) >> 1) < 0:
        return NO_MEMORY
    for i in range(1, intern_len(&dfa.states, state >> 8), 2):
        if vec_push(&k.wide, intern_get(&dfa.states, state >> 8)[i]) < 0:
            k.wide.len = 0
            return NO_MEMORY
    return OK


cdef int split_begin(Masks* k) noexcept nogil:
    # the tokens that stay; the nodes where a lexeme ends; those with whose byte it ends
    k.other.len = k.ends.len = 0
    if vec_fill(&k.other, k.vocab.n_words, 0) < 0 or vec_fill(&k.ends, 2 * bit_words(k.vocab.node_count), 0) < 0:
        return NO_MEMORY
    return OK


cdef void split_add(Masks* k) noexcept nogil:
    cdef uint32_t* consumed = k.ends.data + bit_words(k.vocab.node_count)
    cdef size_t i
    cdef uint32_t node
    for i in range(k.vocab.n_words):
        k.other.data[i] |= k.scratch.mask[i]
    for i in range(k.exits.len // EXIT_WORDS):
        node = k.exits.data[i * EXIT_WORDS]
        bit_set(k.ends.data, node & ~<uint32_t>CONSUMED)
        if node & CONSUMED:
            bit_set(consumed, node & ~<uint32_t>CONSUMED)


cdef struct Walk:
    Dfa* dfa
    const Vocabulary* vocab
    uint32_t* mask
    Vec* exits
    uint32_t at                              # the node that was visited last
    uint32_t[MAX_TOKEN_BYTES + 1] states     # by depth, of the nodes above it


cdef int visit(Walk* w, uint32_t node, uint32_t* target) noexcept nogil:
    """Go on to a node, with the states of those above it, and write its target. Returns OK or a status."""
    cdef uint32_t depth
    cdef int status
    while True:
        depth = node_depth(&w.vocab.nodes[w.at])
        if w.at == node or node < subtree_end(w.vocab.nodes, w.at):
            status = dfa_step(w.dfa, w.states[depth - 1], node_byte(&w.vocab.nodes[w.at]), target)
            if status < 0 or w.at == node:
                return status
            w.states[depth] = target[0]
        w.at = next_node(w.vocab.nodes, w.at, node < subtree_end(w.vocab.nodes, w.at))


cdef int add_exit(Walk* w, uint32_t node, uint32_t target) noexcept nogil:
    """Note that the lexeme ends at the node that was visited last. Returns OK or NO_MEMORY."""
    cdef uint32_t state = w.states[node_depth(&w.vocab.nodes[node]) - 1]
    if target != LEAVE:
        state = target & LAST_STATE
        node |= <uint32_t>CONSUMED
    return NO_MEMORY if vec_push(w.exits, node) < 0 or vec_push(w.exits, dfa_accept(w.dfa, state)) < 0 else OK


cdef int walk_below(Walk* w, uint32_t top, uint32_t target) noexcept nogil:
    """Walk below a node at which the state stays inside its lexemes, and which leads to `target`. Returns OK or a status."""
    cdef uint32_t end = subtree_end(w.vocab.nodes, top)
    cdef uint32_t at = top + 1
    cdef uint32_t depth
    cdef int status
    w.states[node_depth(&w.vocab.nodes[top])] = target
    while at < end:
        depth = node_depth(&w.vocab.nodes[at])
        status = dfa_step(w.dfa, w.states[depth - 1], node_byte(&w.vocab.nodes[at]), &w.states[depth])
        if status < 0:
            return status
        target = w.states[depth]
        if target <= LAST_STATE:
            bit_set(w.mask, node_token(&w.vocab.nodes[at]))
        elif target != DEAD and add_exit(w, at, target) < 0:
            return NO_MEMORY
        at = next_node(w.vocab.nodes, at, target <= LAST_STATE)
    return OK


cdef int add_end(Walk* w, uint32_t node, bint consumed) noexcept nogil:
    """Add what the state does at a node where one of its lexemes ends, with the node's byte if `consumed`. Returns 1 if all nodes
    below are done, 0, or a status."""
    cdef uint32_t target
    cdef int status = visit(w, node, &target)
    if status < 0:
        return status
    if target > LAST_STATE:
        status = add_exit(w, node, target) if target != DEAD else OK
    elif consumed:
        # the lexeme that ended cannot go on, but another one can: the text is that lexeme's where this one comes to its end
        status = walk_below(w, node, target)
    else:
        return 0
    return status if status < 0 else 1


cdef int split_end(Masks* k, Recognizer* m, uint32_t state) noexcept nogil:
    cdef size_t words = bit_words(k.vocab.node_count)
    cdef Walk walk
    cdef uint32_t done = 0
    cdef uint32_t i, node, bits
    cdef int status
    reset_scratch(k)
    memcpy(k.scratch.mask, k.other.data, k.vocab.n_words * sizeof(uint32_t))
    walk.dfa = &m.dfa
    walk.vocab = &k.vocab
    walk.mask = k.scratch.mask
    walk.exits = &k.exits
    walk.at = 1
    walk.states[0] = state
    for i in range(<uint32_t>words):
        bits = k.ends.data[i]
        while bits:
            node = i << 5 | lowest_bit(bits)
            bits &= bits - 1
            if node < done:
                continue
            status = add_end(&walk, node, bit_test(k.ends.data + words, node))
            if status < 0:
                return status
            if status:
                done = subtree_end(k.vocab.nodes, node)
    return OK
