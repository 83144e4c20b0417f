"""One walk over the trie finds the state after each token. The tokens are then sorted by their states.

The words that are kept for all grammars:

- whether the state of some node is open: its lexeme is complete and may go on;
- how many states stand above exits; for each of them a token and a length: that many bytes of the token lead to it;
- how many exits there are; for each of them its node, and which of these states is above it;
- for each class one of its tokens, then the set of them.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from cpython.bytearray cimport PyByteArray_AS_STRING

from ffgrammar.core.bits cimport bit_count, bit_set, lowest_bit
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.budget.class_patch cimport Patch, inside_step, patch_find, patch_free, patch_init
from ffgrammar.engine.budget.counted_loop cimport with_longer_loop
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.masks.base_state cimport base_state
from ffgrammar.engine.masks.partition_cache cimport KEPT, partitions_find_note, partitions_keep_note
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, NO_LEXEMES, dfa_accept, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token,
)

cdef enum:
    # the topic of notes (engine/masks/partition_cache.pxd)
    STATE_CLASSES = 0xFFFFFFFF
    # a walk over fewer nodes takes less time than a note
    SHORT_WALK = 500


cdef void add_set(const uint32_t* set_words, uint32_t n_words, uint32_t* mask) noexcept nogil:
    cdef uint32_t count = set_words[0]
    cdef uint32_t i
    if count > n_words >> 2:
        for i in range(n_words):
            mask[i] |= set_words[i + 1]
    else:
        for i in range(count):
            bit_set(mask, set_words[i + 1])


cdef int push_set(Vec* words, const uint32_t* tokens, size_t count, uint32_t n_words) noexcept nogil:
    """Append the set of `count` tokens. Returns OK or NO_MEMORY."""
    cdef size_t start = words.len + 1
    cdef size_t i
    if count <= n_words >> 2:
        return NO_MEMORY if vec_push(words, <uint32_t>count) < 0 else vec_extend(words, tokens, count)
    if vec_push(words, n_words) < 0 or vec_fill(words, n_words, 0) < 0:
        return NO_MEMORY
    for i in range(count):
        bit_set(words.data + start, tokens[i])
    return OK


cdef int push_mask_set(Vec* words, const uint32_t* mask, uint32_t n_words) noexcept nogil:
    """Append the set of the tokens of a mask. Returns OK or NO_MEMORY."""
    cdef uint32_t i, bits
    cdef size_t count = 0
    for i in range(n_words):
        if mask[i]:
            count += bit_count(mask[i])
    if count > n_words >> 2:
        return NO_MEMORY if vec_push(words, n_words) < 0 else vec_extend(words, mask, n_words)
    if vec_push(words, <uint32_t>count) < 0:
        return NO_MEMORY
    for i in range(n_words):
        bits = mask[i]
        while bits:
            if vec_push(words, i << 5 | lowest_bit(bits)) < 0:
                return NO_MEMORY
            bits &= bits - 1
    return OK


cdef class ClassWords:
    """What is kept of a lexer state for all grammars."""

    def __cinit__(self):
        vec_init(&self.words)

    def __dealloc__(self):
        vec_free(&self.words)


cdef class StateClasses:
    """The tokens that stay inside the lexeme of a state."""

    def __cinit__(self):
        self.states = []
        self.starts = []
        vec_init(&self.patched)
        vec_init(&self.exits)

    def __dealloc__(self):
        vec_free(&self.patched)
        vec_free(&self.exits)

    cdef size_t size(self):
        return (self.patched.cap + self.exits.cap) * sizeof(uint32_t) + (len(self.states) + len(self.starts)) * sizeof(void*)


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
    cdef dict slots = {}
    cdef const uint32_t* back = <uint32_t*>PyByteArray_AS_STRING(walk.back)
    cdef Vec slot_of    # per token its slot
    cdef Vec ends       # per slot: where its tokens end in `grouped`
    cdef Vec grouped
    cdef uint32_t last = LAST_STATE
    cdef uint32_t slot = 0
    cdef uint32_t i
    cdef size_t end
    vec_init(&slot_of)
    vec_init(&ends)
    vec_init(&grouped)
    try:
        for i in range(0, walk.tokens.len, 2):
            # (neighbours mostly lead to the same state)
            if walk.tokens.data[i] != last:
                last = walk.tokens.data[i]
                slot = slots.setdefault(last, len(slots))
                if slot == ends.len and vec_push(&ends, 0) < 0:
                    raise MemoryError
            if vec_push(&slot_of, slot) < 0:
                raise MemoryError
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
        vec_free(&slot_of)
        vec_free(&ends)
        vec_free(&grouped)
    return 0


cdef uint32_t state_after(Engine engine, uint32_t state, uint32_t token, uint32_t length) except? 0xFFFFFFFE:
    """The state after the first bytes of a token; DEAD if they do not stay inside the lexeme."""
    cdef uint32_t at = engine.trie.offsets[token]
    cdef uint32_t i
    for i in range(at, at + length):
        engine.checked(dfa_step(&engine.recognizer.dfa, state, engine.trie.blob[i], &state))
        if state > LAST_STATE:
            return DEAD
    return state


cdef int read_words(Engine engine, StateClasses made, uint32_t state) except -1:
    """Find the grammar's own states, and where the sets begin."""
    cdef const uint32_t* words = made.kept.words.data
    cdef list above = []
    cdef uint32_t i, target, token
    cdef size_t at = 2
    for i in range(words[1]):
        above.append(state_after(engine, state, words[at], words[at + 1]))
        at += 2
    for i in range(words[at]):
        target = above[words[at + 2 + 2 * i]]
        if target != <uint32_t>DEAD and (
                vec_push(&made.exits, words[at + 1 + 2 * i]) < 0 or vec_push(&made.exits, target) < 0):
            raise MemoryError
    at += 1 + 2 * <size_t>words[at]
    while at < made.kept.words.len:
        token = words[at]
        target = state_after(engine, state, token, engine.trie.offsets[token + 1] - engine.trie.offsets[token])
        if target != <uint32_t>DEAD:
            made.states.append(target)
            made.starts.append(at + 1)
        at += 2 + <size_t>words[at + 1]
    return 0


cdef ClassWords words_of(Engine engine, uint32_t state):
    """What is kept of a state, found or made."""
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


cdef int merge_exits(StateClasses made, StateClasses base, const Patch* patch) except -1:
    """Write the exits of a base that are not dropped, and those of the patch, in the order of their nodes."""
    cdef size_t i = 0
    cdef size_t j = 0
    cdef size_t k = 0
    while i < base.exits.len or j < patch.exits.len:
        if j == patch.exits.len or i < base.exits.len and base.exits.data[i] < patch.exits.data[j]:
            while k < patch.dropped.len and patch.dropped.data[k] < base.exits.data[i]:
                k += 1
            if k == patch.dropped.len or patch.dropped.data[k] != base.exits.data[i]:
                if vec_extend(&made.exits, base.exits.data + i, 2) < 0:
                    raise MemoryError
            i += 2
        else:
            if vec_extend(&made.exits, patch.exits.data + j, 2) < 0:
                raise MemoryError
            j += 2
    return 0


cdef StateClasses patched_classes(StateClasses base, const Patch* patch):
    """The classes of a state that differs from its base at the tokens of a patch."""
    cdef StateClasses made = StateClasses()
    cdef dict slots = {}
    cdef uint32_t state
    cdef size_t i
    made.kept = base.kept
    made.states = base.states.copy()
    made.starts = base.starts
    for i in range(0, patch.tokens.len, 2):
        state = patch.tokens.data[i + 1]
        if state != <uint32_t>DEAD and state not in slots:
            slots[state] = len(made.states)
            made.states.append(state)
        if vec_push(&made.patched, patch.tokens.data[i]) < 0 or vec_push(
                &made.patched, NO_CLASS if state == <uint32_t>DEAD else slots[state]) < 0:
            raise MemoryError
    merge_exits(made, base, patch)
    return made


cdef class ClassTable:
    """The classes of a grammar's lexer states."""

    def __cinit__(self):
        self.by_state = {}
        self.words = {}
        self.bytes = 0

    cdef void clear(self) noexcept:
        self.by_state.clear()
        self.words.clear()
        self.bytes = 0

    cdef StateClasses find(self, Engine engine, uint32_t state):
        cdef StateClasses made = self.by_state.get(state)
        if made is None:
            made = self.make(engine, state)
            self.by_state[state] = made
            self.bytes += made.size()
        return made

    cdef ClassWords words_of(self, Engine engine, uint32_t state):
        cdef ClassWords found = self.words.get(state)
        if found is None:
            found = self.words[state] = words_of(engine, state)
            self.bytes += found.words.cap * sizeof(uint32_t)
        return found

    cdef StateClasses make(self, Engine engine, uint32_t state):
        cdef StateClasses made = StateClasses()
        cdef uint32_t other
        engine.checked(with_longer_loop(&engine.recognizer.dfa, state, &other))
        if other != state:
            made.kept = self.words_of(engine, other)
            if made.kept.words.data[0]:
                made.kept = None
        if made.kept is None:
            engine.checked(base_state(
                &engine.recognizer.dfa, state, &engine.masks.base_states, &engine.masks.reached, &other))
            if other != state:
                patched = self.patch(engine, state, other)
                if patched is not None:
                    return patched
            made.kept = self.words_of(engine, state)
        read_words(engine, made, state)
        return made

    cdef StateClasses patch(self, Engine engine, uint32_t state, uint32_t base):
        cdef Patch patch
        patch_init(&patch)
        try:
            if engine.checked(patch_find(engine, state, base, &patch)):
                return patched_classes(self.find(engine, base), &patch)
            return None
        finally:
            patch_free(&patch)
