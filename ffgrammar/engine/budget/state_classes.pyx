"""One walk over the trie finds the state after each token. The tokens are then sorted by their states."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memset

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from ffgrammar.core.bits cimport bit_count, bit_set, lowest_bit
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.engine cimport Engine
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, LAST_STATE, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token,
)


cdef class TokenSet:
    """Some tokens."""

    cdef void add_to(self, uint32_t* mask) noexcept:
        cdef const uint32_t* words = <const uint32_t*>PyBytes_AS_STRING(self.words)
        cdef uint32_t i
        if self.dense:
            for i in range(self.count):
                mask[i] |= words[i]
        else:
            for i in range(self.count):
                bit_set(mask, words[i])


cdef TokenSet new_set(bint dense, size_t count):
    cdef TokenSet made = TokenSet()
    made.dense = dense
    made.count = <uint32_t>count
    made.words = PyBytes_FromStringAndSize(NULL, count * sizeof(uint32_t))
    memset(PyBytes_AS_STRING(made.words), 0, count * sizeof(uint32_t))
    return made


cdef TokenSet set_of_list(const uint32_t* tokens, size_t count, uint32_t n_words):
    cdef bint dense = count > n_words >> 2
    cdef TokenSet made = new_set(dense, n_words if dense else count)
    cdef uint32_t* words = <uint32_t*>PyBytes_AS_STRING(made.words)
    cdef size_t i
    for i in range(count):
        if dense:
            bit_set(words, tokens[i])
        else:
            words[i] = tokens[i]
    return made


cdef TokenSet set_of_mask(const uint32_t* mask, uint32_t n_words):
    cdef TokenSet made
    cdef uint32_t* words
    cdef uint32_t i, bits
    cdef size_t count = 0
    for i in range(n_words):
        if mask[i]:
            count += bit_count(mask[i])
    made = new_set(count > n_words >> 2, n_words if count > n_words >> 2 else count)
    words = <uint32_t*>PyBytes_AS_STRING(made.words)
    count = 0
    for i in range(n_words):
        bits = mask[i]
        if made.dense:
            words[i] = bits
        while bits and not made.dense:
            words[count] = i << 5 | lowest_bit(bits)
            count += 1
            bits &= bits - 1
    return made


cdef class StateClasses:
    """The tokens that stay inside the lexeme of a state."""

    def __cinit__(self):
        self.states = []
        self.sets = []
        vec_init(&self.exits)

    def __dealloc__(self):
        vec_free(&self.exits)

    cdef size_t size(self):
        return sum([len((<TokenSet>found).words) for found in self.sets]) + self.exits.len * sizeof(uint32_t)


cdef int walk_state(Engine engine, uint32_t state, uint32_t* back, Vec* tokens, Vec* exits) noexcept nogil:
    """Find the tokens that stay inside the lexeme, and where the others leave it. Those that lead back to the state become bits of
    `back`, which has a spare word; inside a free string they are nearly all. The others are added to `tokens` (state, token).
    Returns a status."""
    cdef const TrieNode* nodes = engine.trie.nodes
    cdef TrieNode node
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef uint32_t at = 1
    cdef uint32_t depth, target
    cdef int status
    states[0] = state
    while at < engine.trie.node_count:
        # (a copy, because the compiler must assume that a write to `back` may change the trie)
        node = nodes[at]
        depth = node_depth(&node)
        status = dfa_step(&engine.recognizer.dfa, states[depth - 1], node_byte(&node), &target)
        if status < 0:
            return status
        if target == state:
            states[depth] = target
            bit_set(back, node_token(&node))
        elif target <= LAST_STATE:
            states[depth] = target
            if node_token(&node) != engine.trie.pad_token:
                if vec_push(tokens, target) < 0 or vec_push(tokens, node_token(&node)) < 0:
                    return NO_MEMORY
        elif target != DEAD:
            if vec_push(exits, at) < 0 or vec_push(exits, states[depth - 1]) < 0:
                return NO_MEMORY
        at = next_node(nodes, at, target <= LAST_STATE)
    return OK


cdef StateClasses classes_of(Engine engine, uint32_t state):
    cdef StateClasses made = StateClasses()
    cdef dict slots = {}
    cdef list lists = []
    cdef bytearray back = bytearray((engine.trie.n_words + 1) * sizeof(uint32_t))
    cdef Vec tokens
    cdef Vec slot_of    # per token its slot
    cdef Vec ends       # per slot: where its tokens end in `grouped`
    cdef Vec grouped
    cdef uint32_t last = LAST_STATE
    cdef uint32_t slot = 0
    cdef uint32_t first = 0
    cdef size_t i
    vec_init(&tokens)
    vec_init(&slot_of)
    vec_init(&ends)
    vec_init(&grouped)
    try:
        engine.checked(walk_state(engine, state, <uint32_t*>PyByteArray_AS_STRING(back), &tokens, &made.exits))
        for i in range(0, tokens.len, 2):
            # (neighbours mostly lead to the same state)
            if i == 0 or tokens.data[i] != last:
                last = tokens.data[i]
                slot = slots.setdefault(last, len(slots))
                if slot == ends.len and vec_push(&ends, 0) < 0:
                    raise MemoryError
            if vec_push(&slot_of, slot) < 0:
                raise MemoryError
            ends.data[slot] += 1
        for i in range(1, ends.len):
            ends.data[i] += ends.data[i - 1]
        if vec_fill(&grouped, tokens.len // 2, 0) < 0:
            raise MemoryError
        # from the end, so that each end becomes a beginning
        for i in range(tokens.len // 2, 0, -1):
            slot = slot_of.data[i - 1]
            ends.data[slot] -= 1
            grouped.data[ends.data[slot]] = tokens.data[2 * i - 1]
        made.states = [*slots, state]
        for i in range(ends.len):
            first = ends.data[i]
            last = ends.data[i + 1] if i + 1 < ends.len else <uint32_t>grouped.len
            lists.append(set_of_list(grouped.data + first, last - first, engine.trie.n_words))
        lists.append(set_of_mask(<uint32_t*>PyByteArray_AS_STRING(back), engine.trie.n_words))
        made.sets = lists
    finally:
        vec_free(&tokens)
        vec_free(&slot_of)
        vec_free(&ends)
        vec_free(&grouped)
    return made
