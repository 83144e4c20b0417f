"""One walk over the trie finds the state after each token. The tokens are then sorted by their states."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.bits cimport bit_set, lowest_bit
from ffgrammar.core.intern cimport intern_count, intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_fill, vec_free, vec_init, vec_push, vec_reserve
from ffgrammar.engine.budget.token_set cimport push_mask_set, push_set
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.masks.partition_cache cimport KEPT
from ffgrammar.engine.masks.partition_notes cimport partitions_find_note, partitions_keep_note
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, Dfa, LAST_STATE, NO_LEXEMES, dfa_accept, dfa_step
from ffgrammar.regex.expr.nodes cimport EMPTY
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token,
)

cdef enum:
    # the topic of notes (engine/masks/partition_cache.pxd)
    STATE_CLASSES = 0xFFFFFFFF
    # a walk over fewer nodes takes less time than a note
    SHORT_WALK = 500
    NO_SLOT = 0xFFFFFFFF


cdef int inside_step(Engine engine, uint32_t state, uint32_t byte, uint32_t* target, bint* exits) noexcept nogil:
    cdef Dfa* dfa = &engine.recognizer.dfa
    cdef int status
    exits[0] = False
    target[0] = DEAD
    if state == <uint32_t>DEAD:
        return 0
    status = dfa_step(dfa, state, byte, target)
    if status < 0:
        return status
    exits[0] = target[0] != <uint32_t>DEAD and (
        target[0] > LAST_STATE or intern_len(&dfa.states, target[0] >> 8) == 3
        and intern_get(&dfa.states, target[0] >> 8)[2] == EMPTY)
    if exits[0]:
        target[0] = DEAD
    return status


cdef class ClassWords:
    """What is kept of a lexer state for all grammars."""

    def __cinit__(self):
        vec_init(&self.words)

    def __dealloc__(self):
        vec_free(&self.words)


cdef class Walk:
    """What a walk over the trie finds: scratch."""

    cdef bytearray back     # the tokens that lead back to the state, as a mask with a spare word; inside a string nearly all
    cdef Vec tokens         # the others that stay inside the lexeme: (state, token)
    cdef Vec exits          # (node, state above it)
    cdef uint32_t steps     # nodes that were visited
    cdef bint open          # whether a state inside the lexeme is complete and may go on

    def __cinit__(self, uint32_t n_words):
        self.back = bytearray((n_words + 1) * sizeof(uint32_t))
        vec_init(&self.tokens)
        vec_init(&self.exits)

    def __dealloc__(self):
        vec_free(&self.tokens)
        vec_free(&self.exits)


cdef inline bint is_open(Engine engine, uint32_t state) noexcept nogil:
    """Whether a state inside a lexeme is complete. It may go on then, or it would be an exit."""
    return dfa_accept(&engine.recognizer.dfa, state) != NO_LEXEMES


cdef int walk_state(Engine engine, uint32_t state, Walk walk, uint32_t* back) noexcept nogil:
    """Walk from a lexer state. `back` are the words of the mask of that name. Returns a status."""
    cdef const TrieNode* nodes = engine.trie.nodes
    cdef const Dfa* dfa = &engine.recognizer.dfa
    cdef TrieNode node
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef uint32_t at = 1
    cdef uint32_t steps = 0
    cdef uint32_t depth, target
    cdef bint exits
    cdef int status
    states[0] = state
    while at < engine.trie.node_count:
        # (a copy, because the compiler must assume that a write to `back` may change the trie)
        node = nodes[at]
        depth = node_depth(&node)
        steps += 1
        target = dfa.delta.data[states[depth - 1] + node_byte(&node)]
        if target == state:
            # (inside a string, mostly)
            states[depth] = target
            bit_set(back, node_token(&node))
            at += 1
            continue
        if target == <uint32_t>DEAD:
            at = next_node(nodes, at, False)
            continue
        status = inside_step(engine, states[depth - 1], node_byte(&node), &target, &exits)
        if status < 0:
            return status
        if target == state:
            states[depth] = target
            bit_set(back, node_token(&node))
        elif target <= LAST_STATE:
            states[depth] = target
            walk.open |= is_open(engine, target)
            if node_token(&node) != engine.trie.pad_token:
                if vec_push(&walk.tokens, target) < 0 or vec_push(&walk.tokens, node_token(&node)) < 0:
                    return NO_MEMORY
        elif exits:
            if vec_push(&walk.exits, at) < 0 or vec_push(&walk.exits, states[depth - 1]) < 0:
                return NO_MEMORY
        at = next_node(nodes, at, target <= LAST_STATE)
    walk.steps = steps
    return OK


cdef uint32_t token_below(Engine engine, uint32_t at) noexcept nogil:
    """A token whose bytes lead through a node: the node's own, or the next one in the trie, which is below it."""
    while node_token(&engine.trie.nodes[at]) == engine.trie.pad_token:
        at += 1
    return node_token(&engine.trie.nodes[at])


cdef int push_exits(Engine engine, Walk walk, Vec* words) except -1:
    """Append the exits, and the states above them."""
    cdef dict numbers = {}
    cdef uint32_t node
    cdef size_t i
    cdef size_t start = words.len
    if vec_push(words, 0) < 0:
        raise MemoryError
    for i in range(0, walk.exits.len, 2):
        node = walk.exits.data[i]
        if walk.exits.data[i + 1] not in numbers:
            numbers[walk.exits.data[i + 1]] = len(numbers)
            if vec_push(words, token_below(engine, node)) < 0 or vec_push(
                    words, node_depth(&engine.trie.nodes[node]) - 1) < 0:
                raise MemoryError
    words.data[start] = <uint32_t>len(numbers)
    if vec_push(words, <uint32_t>(walk.exits.len // 2)) < 0:
        raise MemoryError
    for i in range(0, walk.exits.len, 2):
        if vec_push(words, walk.exits.data[i]) < 0 or vec_push(words, numbers[walk.exits.data[i + 1]]) < 0:
            raise MemoryError
    return 0


cdef int push_class(Engine engine, Vec* words, const uint32_t* tokens, size_t count) except -1:
    """Append the class of `count` tokens."""
    if vec_push(words, tokens[0]) < 0 or push_set(words, tokens, count, engine.trie.n_words) < 0:
        raise MemoryError
    return 0


cdef int push_classes(Engine engine, Walk walk, Vec* words) except -1:
    """Append the classes."""
    cdef const uint32_t* back = <uint32_t*>PyByteArray_AS_STRING(walk.back)
    cdef Vec slots      # per number of a lexer state: its slot, or NO_SLOT
    cdef Vec slot_of    # per token its slot
    cdef Vec ends       # per slot: where its tokens end in `grouped`
    cdef Vec grouped
    cdef uint32_t last = LAST_STATE
    cdef uint32_t slot = 0
    cdef uint32_t i
    cdef size_t end
    vec_init(&slots)
    vec_init(&slot_of)
    vec_init(&ends)
    vec_init(&grouped)
    try:
        if vec_fill(&slots, intern_count(&engine.recognizer.dfa.states), 0xFF) < 0 or vec_reserve(
                &slot_of, walk.tokens.len // 2) < 0:
            raise MemoryError
        for i in range(0, walk.tokens.len, 2):
            # (neighbours mostly lead to the same state)
            if walk.tokens.data[i] != last:
                last = walk.tokens.data[i]
                slot = slots.data[last >> 8]
                if slot == <uint32_t>NO_SLOT:
                    slot = slots.data[last >> 8] = <uint32_t>ends.len
                    if vec_push(&ends, 0) < 0:
                        raise MemoryError
            slot_of.data[slot_of.len] = slot
            slot_of.len += 1
            ends.data[slot] += 1
        for i in range(1, ends.len):
            ends.data[i] += ends.data[i - 1]
        if vec_fill(&grouped, slot_of.len, 0) < 0:
            raise MemoryError
        # from the end, so that each end becomes a beginning
        for i in range(slot_of.len, 0, -1):
            slot = slot_of.data[i - 1]
            ends.data[slot] -= 1
            grouped.data[ends.data[slot]] = walk.tokens.data[2 * i - 1]
        for i in range(ends.len):
            end = ends.data[i + 1] if i + 1 < ends.len else grouped.len
            push_class(engine, words, grouped.data + ends.data[i], end - ends.data[i])
        for i in range(engine.trie.n_words):
            if back[i]:
                if vec_push(words, i << 5 | lowest_bit(back[i])) < 0 or push_mask_set(words, back, engine.trie.n_words) < 0:
                    raise MemoryError
                break
    finally:
        vec_free(&slots)
        vec_free(&slot_of)
        vec_free(&ends)
        vec_free(&grouped)
    return 0


cdef ClassWords words_of(Engine engine, uint32_t state):
    cdef ClassWords made = ClassWords()
    cdef Walk walk
    if engine.checked(partitions_find_note(
            engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, STATE_CLASSES, &made.words)) == KEPT:
        return made
    walk = Walk(engine.trie.n_words)
    engine.checked(walk_state(engine, state, walk, <uint32_t*>PyByteArray_AS_STRING(walk.back)))
    if vec_push(&made.words, walk.open) < 0:
        raise MemoryError
    push_exits(engine, walk, &made.words)
    push_classes(engine, walk, &made.words)
    if walk.steps >= SHORT_WALK:
        engine.checked(partitions_keep_note(
            engine.masks.partitions, &engine.masks.keys, &engine.recognizer.dfa, state, STATE_CLASSES, made.words.data,
            <uint32_t>made.words.len))
    return made
