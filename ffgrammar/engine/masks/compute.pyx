"""The mask of a configuration is found in two parts. The lexer alone splits the vocabulary (trie_walk.pyx): tokens that stay
inside the lexeme, tokens that die, and exits in the trie where tokens leave it. The parser is asked about those exits only, and
the trie below them is walked from the new row (lexeme_exit.pyx). The split rests on expressions alone; a long one is kept for
other rows, and for other grammars (partition_cache.pyx). Most states resemble one whose split is known: a string of at most 40
characters, or of which 30 names are taken, any string; only what differs is walked then. (Inside a JSON string on cl100k 315 us
with nothing kept, and 6 us with the split known; 7 where other keys than 30 may come, 16 where the string has 40 characters at
most.)

A mask depends on (row, lexer state) and on nothing else, and both are interned, so a stored mask can never be stale:
whoever forgets rows or states forgets the masks with them.

On a virtual row (engine/values/trace.pxd) most masks depend on the parser's row alone, and are kept for it: all those for which
no check had to be asked. Of the others only the last one is kept, for that text will not come again.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_add
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.masks.lexeme_exit cimport walk_exits, walk
from ffgrammar.engine.masks.base_state cimport base_state
from ffgrammar.engine.recognizer.recognizer cimport recognizer_accepting, recognizer_end_lexeme, parser_row
from ffgrammar.engine.masks.partition_cache cimport (
    KEPT, SHORT, known_clear, known_free, known_init, partitions_find, partitions_keep,
)
from ffgrammar.engine.masks.trie_walk cimport partition_vocabulary, partition_from_base
from ffgrammar.engine.masks.mask_cache cimport (
    StoredMask, block_words, mask_release, scratch_words, table_bytes, table_clear, table_find, table_free, table_init,
    table_pack, table_put,
)
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_mark, trace_release, trace_settle, trace_try
from ffgrammar.engine.recognizer.completability cimport step, completable
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, dfa_accept
from ffgrammar.regex.expr.nodes cimport EMPTY

cdef enum:
    MAX_REACHED = 64  # lexer states that are looked at one by one before the plain walk is taken
    LONG_WALK = 4096  # nodes from which a split is kept: the copy of its mask is then a small part of it

cdef uint64_t NO_KEY = <uint64_t>-1


cdef int masks_init(Masks* k) noexcept nogil:
    vec_init(&k.buffer)
    k.recent = NULL
    k.recent_key = NO_KEY
    k.recent_hits = k.misses = k.drops = k.visited = 0
    vec_init(&k.tokens)
    vec_init(&k.exits)
    vec_init(&k.reached)
    if (table_init(&k.table) < 0 or map_init(&k.base_states) < 0 or map_init(&k.distinguishing_lengths) < 0
            or map_init(&k.walked) < 0):
        return NO_MEMORY
    if known_init(&k.known) < 0:
        return NO_MEMORY
    if vec_fill(&k.tokens, scratch_words(k.vocab.n_words), 0) < 0:
        return NO_MEMORY
    return vec_fill(&k.buffer, block_words(k.vocab.n_words), 0)


cdef void masks_free(Masks* k) noexcept nogil:
    table_free(&k.table)
    map_free(&k.base_states)
    map_free(&k.distinguishing_lengths)
    map_free(&k.walked)
    known_free(&k.known)
    mask_release(k.recent)
    vec_free(&k.buffer)
    vec_free(&k.tokens)
    vec_free(&k.exits)
    vec_free(&k.reached)


cdef void masks_clear(Masks* k, uint32_t generation) noexcept nogil:
    table_clear(&k.table, generation)
    k.recent_key = NO_KEY
    map_clear(&k.base_states)
    map_clear(&k.distinguishing_lengths)
    map_clear(&k.walked)
    known_clear(&k.known)


cdef size_t masks_bytes(const Masks* k) noexcept nogil:
    return table_bytes(&k.table)


cdef size_t masks_other_bytes(const Masks* k) noexcept nogil:
    return (map_bytes(&k.base_states) + map_bytes(&k.distinguishing_lengths) + map_bytes(&k.walked) + map_bytes(&k.known.exprs)
            + map_bytes(&k.known.states) + (k.buffer.cap + k.tokens.cap + k.exits.cap + k.reached.cap) * sizeof(uint32_t))


cdef int all_viable(Masks* k, Recognizer* m, const Config* config) noexcept nogil:
    """Whether the text can be completed from every lexer state that a token may reach inside the lexeme."""
    cdef Config reached = config[0]
    cdef uint32_t byte, target
    cdef size_t at = 0
    cdef size_t i
    cdef int status
    k.reached.len = 0
    if vec_push(&k.reached, config.state) < 0:
        return NO_MEMORY
    while at < k.reached.len:
        for byte in range(256):
            # the split has just been there: what it did not compute, no token reaches
            target = m.dfa.delta.data[k.reached.data[at] + byte]
            if target > LAST_STATE:
                continue
            for i in range(1, k.reached.len):
                if k.reached.data[i] == target:
                    break
            else:
                reached.state = target
                status = completable(k.completability, m, &reached)
                if status <= 0:
                    return status
                if vec_push(&k.reached, target) < 0:
                    return NO_MEMORY
                if k.reached.len > MAX_REACHED:
                    return 0
        at += 1
    return 1


cdef int add_others(Masks* k, Recognizer* m, const Config* config, uint32_t* mask) noexcept nogil:
    """The tokens that are not nodes of the trie: aliases, very long tokens, end of sequence."""
    cdef uint32_t i, j, token
    cdef Config moved
    cdef int status
    # these tokens may be as long as any string
    trace_settle(&m.trace)
    for i in range(k.vocab.alias_count):
        token = k.vocab.alias_of[i]
        if (mask[token >> 5] >> (token & 31)) & 1:
            token = k.vocab.alias_id[i]
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
    for i in range(k.vocab.long_count):
        token = k.vocab.long_list[i]
        moved = config[0]
        status = 1
        for j in range(k.vocab.offsets[token], k.vocab.offsets[token + 1]):
            status = step(k.completability, m, &moved, k.vocab.blob[j])
            if status <= 0:
                break
        if status < 0:
            return status
        if status:
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
    status = recognizer_accepting(m, config)
    if status > 0:
        for i in range(k.vocab.eos_count):
            token = k.vocab.eos[i]
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
    return status


cdef int find_split(Masks* k, Recognizer* m, uint32_t state, bint wanted) noexcept nogil:
    """The partition of a state into `buffer` and `exits`: 1; 0 where its walk is short, and it is not `wanted` nevertheless (then
    neither is touched); or a status."""
    cdef size_t before = k.visited
    cdef int status = partitions_find(
        k.partitions, &k.known, &m.dfa, state, k.buffer.data, k.vocab.n_words, &k.exits)
    cdef int made
    if status < 0 or status == KEPT:
        return status
    if status == SHORT and not wanted:
        return 0
    made = partition_vocabulary(&m.dfa, &k.vocab, state, k.buffer.data, &k.exits, &k.visited)
    if made < 0:
        return made
    if status == SHORT:
        return 1
    if k.visited - before >= LONG_WALK:
        status = partitions_keep(
            k.partitions, &k.known, &m.dfa, state, k.buffer.data, k.vocab.n_words, &k.exits)
        return status if status < 0 else 1
    status = partitions_keep(k.partitions, &k.known, &m.dfa, state, NULL, 0, NULL)
    if not wanted:
        memset(k.buffer.data, 0, block_words(k.vocab.n_words) * sizeof(uint32_t))
        k.exits.len = 0
    return status if status < 0 else wanted


cdef int keep_walked(Masks* k, Recognizer* m, uint32_t state, size_t visited) noexcept nogil:
    """Note that the partition of a state was made here, and so its transitions: all_viable goes along them."""
    if visited >= LONG_WALK and k.partitions.max_bytes:
        if partitions_keep(
                k.partitions, &k.known, &m.dfa, state, k.buffer.data, k.vocab.n_words, &k.exits) < 0:
            return NO_MEMORY
    return map_put(&k.walked, state, 0)


cdef int patch_from_base(Masks* k, Recognizer* m, const Config* config, uint32_t other) noexcept nogil:
    """Make of the partition of a state that ours resembles, in `buffer` and `exits`, what `partition_vocabulary` would have made
    of ours. (Of the tokens that leave, those that do so from both states are then set already.) 1 or a status."""
    cdef size_t before = k.visited
    cdef int status = walk_exits(&k.vocab, k.completability, m, config.row, &k.exits, k.buffer.data)
    k.exits.len = 0
    if status >= 0:
        status = partition_from_base(
            &m.dfa, &k.vocab, config.state, other, k.buffer.data, &k.exits, &k.distinguishing_lengths, &k.visited)
    if status >= 0 and k.visited - before >= LONG_WALK:
        # they are not that much alike: in the next row a split of its own is made, and kept
        status = map_put(&k.base_states, config.state, config.state)
    return status if status < 0 else 1


cdef int compute(Masks* k, Recognizer* m, const Config* config) noexcept nogil:
    """The mask of a configuration, into `buffer`, by the trie."""
    cdef uint32_t other = config.state
    cdef size_t before = k.visited
    cdef int status = 0
    k.exits.len = 0
    if k.partitions.max_bytes and (not k.completability.enabled or map_get(&k.walked, config.state) != ABSENT):
        if not k.completability.enabled:
            status = base_state(&m.dfa, config.state, &k.base_states, &k.reached, &other)
        if status >= 0:
            status = find_split(k, m, other, other == config.state)
        if status > 0 and other != config.state:
            status = patch_from_base(k, m, config, other)
    if status == 0:
        status = partition_vocabulary(&m.dfa, &k.vocab, config.state, k.buffer.data, &k.exits, &k.visited)
        if status >= 0 and k.completability.enabled:
            status = keep_walked(k, m, config.state, k.visited - before)
    if status >= 0 and k.completability.enabled:
        status = all_viable(k, m, config)
        if status == 0:
            memset(k.buffer.data, 0, block_words(k.vocab.n_words) * sizeof(uint32_t))
            k.exits.len = 0
            status = walk(&k.vocab, k.completability, m, 0, config, k.buffer.data)
    if status >= 0:
        status = walk_exits(&k.vocab, k.completability, m, config.row, &k.exits, k.buffer.data)
    return add_others(k, m, config, k.buffer.data) if status >= 0 else status


cdef int mask_after_exit(Masks* k, Recognizer* m, const Config* config, StoredMask** mask) noexcept nogil:
    """Where the lexeme can only end, the mask is that of what follows: 1 with that, 0 where this is not so, or a status."""
    cdef const uint32_t* pairs = intern_get(&m.dfa.states, config.state >> 8)
    cdef uint32_t count = intern_len(&m.dfa.states, config.state >> 8)
    cdef Config left
    cdef uint32_t i
    cdef int status
    if config.row & VIRTUAL or k.completability.enabled or m.rules.has_checks or pairs[0]:
        return 0
    for i in range(2, count, 2):
        if pairs[i] != EMPTY:
            return 0
    status = recognizer_end_lexeme(m, config.row, dfa_accept(&m.dfa, config.state), &left)
    if status > 0:
        status = masks_find(k, m, &left, mask)
    return status if status < 0 else 1


cdef int make(Masks* k, Recognizer* m, const Config* config, StoredMask** mask) noexcept nogil:
    """Compute the mask of a configuration; the table has no key for it yet."""
    cdef TraceMark mark = trace_mark(&m.trace)
    cdef int status
    m.trace.text_dependent = False
    status = trace_try(&m.trace, config.row) if config.row & VIRTUAL else OK
    if status >= 0:
        status = compute(k, m, config)
    trace_settle(&m.trace)
    trace_release(&m.trace, &mark)
    if status >= 0:
        # where nodes without a token go
        k.buffer.data[k.vocab.n_words] = 0
        mask[0] = table_pack(&k.table, k.buffer.data, k.vocab.n_words, k.tokens.data)
        status = NO_MEMORY if mask[0] == NULL else OK
    memset(k.buffer.data, 0, block_words(k.vocab.n_words) * sizeof(uint32_t))
    return status


cdef int masks_find(Masks* k, Recognizer* m, const Config* config, StoredMask** mask) noexcept nogil:
    cdef uint64_t key = <uint64_t>parser_row(m, config.row) << 32 | config.state
    cdef uint64_t own_key = <uint64_t>config.row << 32 | config.state
    cdef int status
    mask[0] = table_find(&k.table, k.table.generation, key)
    if mask[0] != NULL:
        return OK
    if own_key == k.recent_key:
        k.recent_hits += 1
        mask[0] = k.recent
        atomic_add(&k.recent.refs, 1)
        return OK
    if k.table.bytes > k.max_bytes:
        # all of them: those in use are soon there again
        table_clear(&k.table, k.table.generation)
        k.drops += 1
    k.misses += 1
    status = mask_after_exit(k, m, config, mask)
    if status == 0:
        status = make(k, m, config, mask)
    if status < 0:
        return status
    if config.row & VIRTUAL and m.trace.text_dependent:
        if k.max_bytes:
            mask_release(k.recent)
            atomic_add(&mask[0].refs, 1)
            k.recent = mask[0]
            k.recent_key = own_key
        return OK
    status = table_put(&k.table, key, mask[0])
    if status < 0:
        mask_release(mask[0])
    return status
