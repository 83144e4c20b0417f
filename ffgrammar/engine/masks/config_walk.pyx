"""The table is filled one byte at a time, when a walk first needs it."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.map cimport ABSENT, map_clear, map_get, map_put
from ffgrammar.core.owner cimport own_map, own_vec, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free
from ffgrammar.engine.masks.segment_walk cimport CHILDREN
from ffgrammar.engine.masks.trie_walk cimport CONSUMED
from ffgrammar.engine.recognizer.completability cimport completable, step
from ffgrammar.engine.recognizer.recognizer cimport config_key
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, LEAVE, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token, subtree_end,
)

cdef enum:
    MAX_CONFIGS = 1 << 14
    # bytes: printable ASCII has 95, and a name 63
    MANY_ENDINGS = 80
    NOT_ALLOWED = 0xFFFFFFFE
    NOT_TRIED = 0xFFFFFFFF


cdef int config_table_init(ConfigTable* t) noexcept nogil:
    owner_init(&t.owner)
    own_map(&t.owner, &t.index)
    own_vec(&t.owner, &t.configs)
    own_vec(&t.owner, &t.delta)
    return owner_status(&t.owner)


cdef void config_table_clear(ConfigTable* t) noexcept nogil:
    map_clear(&t.index)
    # (freed, because what a table keeps when it is dropped is not counted any more)
    vec_free(&t.configs)
    vec_free(&t.delta)


cdef int ends_everywhere(Recognizer* m, uint32_t state) noexcept nogil:
    cdef uint32_t count = 0
    cdef uint32_t byte, target
    cdef int status
    for byte in range(256):
        status = dfa_step(&m.dfa, state, byte, &target)
        if status < 0:
            return status
        count += target > LAST_STATE and target < LEAVE
    return count >= MANY_ENDINGS


cdef inline uint32_t config_count(const ConfigTable* t) noexcept nogil:
    return <uint32_t>(t.configs.len >> 1)


cdef int find_config(ConfigTable* t, const Config* config, uint32_t* offset) noexcept nogil:
    """Find or add a configuration, and write the offset of its words in `delta`. Returns OK or NO_MEMORY."""
    cdef uint64_t key = config_key(config)
    cdef uint32_t number = map_get(&t.index, key)
    if number == ABSENT:
        number = config_count(t)
        if vec_fill(&t.delta, 256, 0xFF) < 0 or vec_extend(&t.configs, <const uint32_t*>config, 2) < 0:
            return NO_MEMORY
        if map_put(&t.index, key, number) < 0:
            return NO_MEMORY
    offset[0] = number << 8
    return OK


cdef inline Config config_at(const ConfigTable* t, uint32_t offset) noexcept nogil:
    return (<const Config*>t.configs.data)[offset >> 8]


cdef int empty_table(ConfigTable* t, uint32_t* offsets, uint32_t first, uint32_t depth) noexcept nogil:
    """Forget all configurations but those on the way of a walk, from depth `first` on. Their offsets change. Returns OK or
    NO_MEMORY."""
    cdef Config[MAX_TOKEN_BYTES + 1] way
    cdef uint32_t i
    for i in range(first, depth + 1):
        way[i] = config_at(t, offsets[i])
    map_clear(&t.index)
    t.configs.len = t.delta.len = 0
    for i in range(first, depth + 1):
        if find_config(t, &way[i], &offsets[i]) < 0:
            return NO_MEMORY
    return OK


cdef int take_step(
    ConfigTable* t, Completability* c, Recognizer* m, uint32_t offset, uint32_t byte, uint32_t* target,
) noexcept nogil:
    """Find the target of a step that was not tried yet. Returns OK or a status."""
    cdef Config config = config_at(t, offset)
    cdef uint32_t state = config.state
    cdef int status = step(c, m, &config, byte, NULL)
    cdef const uint32_t* reads
    cdef uint32_t other
    target[0] = NOT_ALLOWED
    if status > 0:
        status = find_config(t, &config, target)
    if status < 0:
        return status
    t.delta.data[offset + byte] = target[0]
    reads = m.dfa.delta.data + state
    if reads[byte] != LEAVE:
        # bytes that the lexer does not tell apart lead to the same configuration
        for other in range(256):
            if reads[other] == reads[byte]:
                t.delta.data[offset + other] = target[0]
    return status


cdef int walk_nodes(
    ConfigTable* t, const Vocabulary* v, Completability* c, Recognizer* m, uint32_t* offsets, uint32_t at, uint32_t end,
    uint32_t* mask,
) noexcept nogil:
    """Walk the nodes from `at` to `end`, which is behind it. `offsets` has the configuration above the first node at its depth.
    Returns OK or a status."""
    cdef const TrieNode* nodes = v.nodes
    cdef uint32_t first = node_depth(&nodes[at]) - 1
    cdef uint32_t target, depth
    cdef TrieNode node
    cdef int status = OK
    while at < end and status >= 0:
        # (a copy, because the compiler must assume that a write to the mask may change the trie)
        node = nodes[at]
        depth = node_depth(&node)
        target = t.delta.data[offsets[depth - 1] + node_byte(&node)]
        if target == NOT_TRIED:
            if config_count(t) >= MAX_CONFIGS:
                status = empty_table(t, offsets, first, depth - 1)
            if status >= 0:
                status = take_step(t, c, m, offsets[depth - 1], node_byte(&node), &target)
            if status < 0:
                return status
        if target == NOT_ALLOWED:
            at += node_size(&node)
            continue
        offsets[depth] = target
        bit_set(mask, node_token(&node))
        at += 1
    return status


cdef int walk_configs(
    ConfigTable* t, const Vocabulary* v, Completability* c, Recognizer* m, const Config* config, uint32_t* mask,
) noexcept nogil:
    cdef uint32_t[MAX_TOKEN_BYTES + 1] offsets
    cdef int status = find_config(t, config, &offsets[0])
    if status >= 0 and v.node_count > 1:
        status = walk_nodes(t, v, c, m, offsets, 1, v.node_count, mask)
    return status


cdef int walk_configs_of_tail(
    ConfigTable* t, const Vocabulary* v, Completability* c, Recognizer* m, const Config* config,
    const uint32_t* tail, uint32_t count, uint32_t* mask,
) noexcept nogil:
    cdef const TrieNode* nodes = v.nodes
    cdef uint32_t[MAX_TOKEN_BYTES + 1] offsets
    cdef uint32_t i, at, end, depth
    cdef int status = completable(c, m, config)
    if status <= 0:
        return status
    if tail[0] == <uint32_t>CHILDREN:
        at = tail[1] + 1
        end = subtree_end(nodes, tail[1])
        while at < end and status >= 0:
            if bit_test(tail + 2, node_byte(&nodes[at])):
                # (found anew each time, because the walk may empty the table)
                status = find_config(t, config, &offsets[node_depth(&nodes[at]) - 1])
                if status >= 0:
                    status = walk_nodes(t, v, c, m, offsets, at, subtree_end(nodes, at), mask)
            at = subtree_end(nodes, at)
        return status
    for i in range(count):
        at = tail[i] & ~<uint32_t>CONSUMED
        end = subtree_end(nodes, at)
        depth = node_depth(&nodes[at]) - 1
        if tail[i] & CONSUMED:
            bit_set(mask, node_token(&nodes[at]))
            at += 1
            depth += 1
        status = find_config(t, config, &offsets[depth])
        if status >= 0 and at < end:
            status = walk_nodes(t, v, c, m, offsets, at, end, mask)
        if status < 0:
            return status
    return OK
