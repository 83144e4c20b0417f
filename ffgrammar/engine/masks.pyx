"""The mask of a configuration is found in two parts. The lexer alone splits the vocabulary (split.pyx): tokens that stay inside
the lexeme, tokens that die, and places in the trie where tokens leave it. The parser is asked about those places only, and the
trie below them is walked from the new row (leave.pyx). The split rests on expressions alone; a long one is kept for other rows,
and for other grammars (partitions.pyx). Most states resemble one whose split is known: a string of at most 40 characters, or
of which 30 names are taken, any string; only what differs is walked then. (Inside a JSON string on cl100k 315 us with nothing
kept, and 6 us with the split known; 7 where other keys than 30 may come, 16 where the string has 40 characters at most.)

A mask depends on (row, lexer state) and on nothing else, and both are interned, so a stored mask can never be stale:
whoever forgets rows or states forgets the masks with them.

On a virtual row (tape.pxd) most masks depend on the parser's row alone, and are kept for it: all those for which no check had
to be asked. Of the others only the last one is kept, for that text will not come again.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from ffgrammar.core.intern cimport intern_get, intern_len, mix64
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_extend, vec_fill, vec_free, vec_init, vec_push, vec_reserve
from ffgrammar.engine.leave cimport leave_at, walk
from ffgrammar.engine.machine cimport machine_accepting, machine_leave, parser_row
from ffgrammar.engine.partitions cimport (
    KEPT, NOT_KEPT, known_clear, known_free, known_init, partitions_find, partitions_keep,
)
from ffgrammar.engine.split cimport split, split_apart
from ffgrammar.engine.tape cimport VIRTUAL, TapeMark, tape_mark, tape_release, tape_settle, tape_try
from ffgrammar.engine.viability cimport step, viable
from ffgrammar.regex.dfa cimport LAST_STATE, dfa_accept, dfa_inside
from ffgrammar.regex.nodes cimport EMPTY, K_AND, K_CAT, K_REP, NO_BOUND, Nodes, node, node_kind
from ffgrammar.regex.similar cimport horizon, relaxed

cdef extern from *:
    int lowest_bit "__builtin_ctz"(unsigned int) nogil

cdef enum:
    MOST_REACHED = 64  # lexer states that are looked at one by one before the plain walk is taken
    BLOCK = 8  # words of a mask that are looked at together, as four of 64 bits
    MOST_LIKE = 1000  # lexemes of a state that are looked at to find a similar one
    SOON = 16  # bytes; where a loop has at most so many left (no 3 in 100 tokens of cl100k are longer)
    LONG_WALK = 4096  # nodes from which a split is kept: the copy of its mask is then a small part of it
    DENSE = 0xFFFFFFFF

cdef uint64_t NO_KEY = <uint64_t>-1


cdef inline size_t buffer_words(uint32_t n_words) noexcept nogil:
    """Words of `buffer`: whole blocks, the spare word included."""
    return (<size_t>n_words + BLOCK) // BLOCK * BLOCK


cdef int masks_init(Masks* k) noexcept nogil:
    vec_init(&k.words)
    vec_init(&k.buffer)
    vec_init(&k.recent)
    k.recent_key = NO_KEY
    k.hits = k.misses = k.drops = k.visited = 0
    vec_init(&k.places)
    vec_init(&k.reached)
    if map_init(&k.contents) < 0 or map_init(&k.index) < 0 or map_init(&k.likes) < 0:
        return NO_MEMORY
    if map_init(&k.horizons) < 0 or map_init(&k.walked) < 0:
        return NO_MEMORY
    if known_init(&k.known) < 0:
        return NO_MEMORY
    return vec_fill(&k.buffer, buffer_words(k.vocab.n_words), 0)


cdef void masks_free(Masks* k) noexcept nogil:
    map_free(&k.index)
    map_free(&k.contents)
    map_free(&k.likes)
    map_free(&k.horizons)
    map_free(&k.walked)
    known_free(&k.known)
    vec_free(&k.words)
    vec_free(&k.recent)
    vec_free(&k.buffer)
    vec_free(&k.places)
    vec_free(&k.reached)


cdef void masks_drop(Masks* k) noexcept nogil:
    map_clear(&k.index)
    map_clear(&k.contents)
    vec_free(&k.words)
    k.recent_key = NO_KEY


cdef void masks_clear(Masks* k) noexcept nogil:
    masks_drop(k)
    map_clear(&k.likes)
    map_clear(&k.horizons)
    map_clear(&k.walked)
    known_clear(&k.known)


cdef size_t masks_bytes(const Masks* k) noexcept nogil:
    return map_bytes(&k.index) + map_bytes(&k.contents) + (k.words.cap + k.recent.cap) * sizeof(uint32_t)


cdef size_t masks_other_bytes(const Masks* k) noexcept nogil:
    return (map_bytes(&k.likes) + map_bytes(&k.horizons) + map_bytes(&k.walked) + map_bytes(&k.known.exprs)
            + map_bytes(&k.known.states) + (k.buffer.cap + k.places.cap + k.reached.cap) * sizeof(uint32_t))


cdef int all_viable(Masks* k, Machine* m, const Config* config) noexcept nogil:
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
                status = viable(k.viability, m, &reached)
                if status <= 0:
                    return status
                if vec_push(&k.reached, target) < 0:
                    return NO_MEMORY
                if k.reached.len > MOST_REACHED:
                    return 0
        at += 1
    return 1


cdef int add_others(Masks* k, Machine* m, const Config* config, uint32_t* mask) noexcept nogil:
    """The tokens that are not nodes of the trie: aliases, very long tokens, end of sequence."""
    cdef uint32_t i, j, token
    cdef Config moved
    cdef int status
    # these tokens may be as long as any string
    tape_settle(&m.tape)
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
            status = step(k.viability, m, &moved, k.vocab.blob[j])
            if status <= 0:
                break
        if status < 0:
            return status
        if status:
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
    status = machine_accepting(m, config)
    if status > 0:
        for i in range(k.vocab.eos_count):
            token = k.vocab.eos[i]
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
    return status


cdef int store(Masks* k, Vec* words) noexcept nogil:
    """Append the mask in `buffer` to `words` (as a list of tokens when that is smaller) and clear the buffer."""
    cdef uint32_t n_words = k.vocab.n_words
    cdef uint32_t* mask = k.buffer.data
    cdef size_t start = words.len
    cdef size_t most = start + 1 + (n_words >> 2)
    cdef uint64_t* block
    cdef uint32_t i, j, bits
    cdef int status = OK
    mask[n_words] = 0
    if vec_reserve(words, most + 32 * BLOCK) < 0:
        status = NO_MEMORY
        most = 0
    else:
        words.len = start + 1
    # (counting the bits first cost 8 us a mask where the compiler may not use the processor's instruction for it)
    i = 0
    while i < n_words and words.len <= most:
        block = <uint64_t*>(mask + i)
        if block[0] | block[1] | block[2] | block[3]:
            for j in range(i, i + BLOCK):
                bits = mask[j]
                while bits:
                    words.data[words.len] = j << 5 | <uint32_t>lowest_bit(bits)
                    words.len += 1
                    bits &= bits - 1
        i += BLOCK
    if status >= 0 and words.len <= most:
        words.data[start] = <uint32_t>(words.len - start - 1)
    elif status >= 0:
        words.len = start
        if vec_push(words, DENSE) < 0 or vec_extend(words, mask, n_words) < 0:
            status = NO_MEMORY
    memset(mask, 0, buffer_words(n_words) * sizeof(uint32_t))
    return status


cdef uint64_t hash_mask(const uint32_t* words, size_t count) noexcept nogil:
    """Four chains of multiplications side by side: 0.6 us for a mask of cl100k, where one chain takes 4."""
    cdef uint64_t lanes[4]
    cdef uint64_t word
    cdef size_t i = 0
    cdef int j
    for j in range(4):
        lanes[j] = count + j
    while i + 8 <= count:
        for j in range(4):
            memcpy(&word, words + i + 2 * j, 8)
            lanes[j] = (lanes[j] ^ word) * <uint64_t>0x9E3779B97F4A7C15
            lanes[j] ^= lanes[j] >> 32
        i += 8
    while i < count:
        lanes[0] = (lanes[0] ^ words[i]) * <uint64_t>0x9E3779B97F4A7C15
        i += 1
    return mix64(lanes[0] ^ mix64(lanes[1] ^ mix64(lanes[2] ^ mix64(lanes[3])))) >> 1


cdef int share(Masks* k, size_t start, uint32_t* offset) noexcept nogil:
    """Where a mask like the one at the end of `words` lies: there, or earlier. Most are met again in other rows: of 2,419 that
    are not short along three schemas 80 differ."""
    cdef const uint32_t* words = k.words.data + start
    cdef size_t count = k.words.len - start
    cdef uint64_t key = hash_mask(words, count)
    offset[0] = map_get(&k.contents, key)
    # (a mask that another one's hash leads to is not found again, no more)
    if offset[0] != ABSENT and offset[0] + count <= start:
        if memcmp(k.words.data + offset[0], words, count * sizeof(uint32_t)) == 0:
            k.words.len = start
            return OK
    offset[0] = <uint32_t>start
    return map_put(&k.contents, key, <uint32_t>start)


cdef bint is_and(const Nodes* n, uint32_t e) noexcept nogil:
    return node_kind(n, node(n, e)[1] if node_kind(n, e) == K_CAT else e) == K_AND


cdef bint begins_with_loop(const Nodes* n, uint32_t e) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    if words[0] == K_CAT:
        words = node(n, words[1])
    if words[0] == K_AND:
        # (one of the members tells)
        words = node(n, words[1])
    return words[0] == K_REP and words[3] == NO_BOUND


cdef int state_like(Masks* k, Machine* m, uint32_t state, uint32_t* other) noexcept nogil:
    """A state whose partition is likely to be known and hardly differs: with those lexemes only that begin with a loop, without
    what bounds their loops and without what they must not be. It is `state` itself where there is none."""
    cdef uint32_t number = state >> 8
    cdef uint32_t count = intern_len(&m.dfa.states, number)
    cdef bint simpler = False
    cdef uint32_t i, e, found
    cdef int status
    other[0] = map_get(&k.likes, state)
    if other[0] != ABSENT:
        return OK
    other[0] = state
    k.reached.len = 0
    if not intern_get(&m.dfa.states, number)[0] and count <= 2 * MOST_LIKE + 1:
        for i in range(1, count, 2):
            e = intern_get(&m.dfa.states, number)[i + 1]
            status = relaxed(m.dfa.nodes, e, &found)
            if status < 0:
                return status
            simpler |= found != e
            if found == e and not begins_with_loop(m.dfa.nodes, e):
                # a word, mostly
                continue
            if vec_push(&k.reached, intern_get(&m.dfa.states, number)[i]) < 0 or vec_push(&k.reached, found) < 0:
                return NO_MEMORY
        if simpler and count == 3 and not is_and(m.dfa.nodes, intern_get(&m.dfa.states, number)[2]):
            # a loop that ends soon: most tokens tell, and a split of its own serves others
            simpler = horizon(m.dfa.nodes, intern_get(&m.dfa.states, number)[2], found) >= SOON
        if k.reached.len and (simpler or k.reached.len + 1 < count):
            status = dfa_inside(&m.dfa, k.reached.data, k.reached.len, other)
            if status < 0:
                return status
    return map_put(&k.likes, state, other[0])


cdef int find_split(Masks* k, Machine* m, uint32_t state) noexcept nogil:
    """The partition of a state into `buffer` and `places`: 1, 0 where it is not worth keeping (then neither is touched), or a
    status."""
    cdef size_t before = k.visited
    cdef int status = partitions_find(
        k.partitions, &k.known, &m.dfa, state, k.buffer.data, k.vocab.n_words, &k.places)
    if status != NOT_KEPT:
        return status == KEPT if status >= 0 else status
    status = split(&m.dfa, &k.vocab, state, k.buffer.data, &k.places, &k.visited)
    if status < 0:
        return status
    if k.visited - before >= LONG_WALK:
        status = partitions_keep(
            k.partitions, &k.known, &m.dfa, state, k.buffer.data, k.vocab.n_words, &k.places)
        return status if status < 0 else 1
    memset(k.buffer.data, 0, buffer_words(k.vocab.n_words) * sizeof(uint32_t))
    k.places.len = 0
    return partitions_keep(k.partitions, &k.known, &m.dfa, state, NULL, 0, NULL)


cdef int keep_walked(Masks* k, Machine* m, uint32_t state, size_t visited) noexcept nogil:
    """Note that the partition of a state was made here: for all_viable that must have been once."""
    if visited >= LONG_WALK and k.partitions.max_bytes:
        if partitions_keep(
                k.partitions, &k.known, &m.dfa, state, k.buffer.data, k.vocab.n_words, &k.places) < 0:
            return NO_MEMORY
    return map_put(&k.walked, state, 0)


cdef int compute(Masks* k, Machine* m, const Config* config) noexcept nogil:
    """The mask of a configuration, into `buffer`, by the trie."""
    cdef uint32_t other = config.state
    cdef size_t before = k.visited
    cdef int status = 0
    k.places.len = 0
    if k.partitions.max_bytes and (not k.viability.enabled or map_get(&k.walked, config.state) != ABSENT):
        if not k.viability.enabled:
            status = state_like(k, m, config.state, &other)
        if status >= 0:
            status = find_split(k, m, other)
        if status > 0 and other != config.state:
            status = leave_at(&k.vocab, k.viability, m, config.row, &k.places, k.buffer.data)
            k.places.len = 0
            before = k.visited
            if status >= 0:
                status = split_apart(
                    &m.dfa, &k.vocab, config.state, other, k.buffer.data, &k.places, &k.horizons, &k.visited)
            if status >= 0 and k.visited - before >= LONG_WALK:
                # they are not that much alike: in the next row a split of its own is made, and kept
                status = map_put(&k.likes, config.state, config.state)
            status = 1 if status >= 0 else status
    if status == 0:
        status = split(&m.dfa, &k.vocab, config.state, k.buffer.data, &k.places, &k.visited)
        if status >= 0 and k.viability.enabled:
            status = keep_walked(k, m, config.state, k.visited - before)
    if status >= 0 and k.viability.enabled:
        status = all_viable(k, m, config)
        if status == 0:
            memset(k.buffer.data, 0, buffer_words(k.vocab.n_words) * sizeof(uint32_t))
            k.places.len = 0
            status = walk(&k.vocab, k.viability, m, 0, config, k.buffer.data)
    if status >= 0:
        status = leave_at(&k.vocab, k.viability, m, config.row, &k.places, k.buffer.data)
    return add_others(k, m, config, k.buffer.data) if status >= 0 else status


cdef int find_left(Masks* k, Machine* m, const Config* config, uint32_t* offset) noexcept nogil:
    """Where the lexeme can only end, the mask is that of what follows: 1 with where that is stored, 0 where this is not so, or
    a status."""
    cdef const uint32_t* pairs = intern_get(&m.dfa.states, config.state >> 8)
    cdef uint32_t count = intern_len(&m.dfa.states, config.state >> 8)
    cdef const uint32_t* words
    cdef Config left
    cdef uint32_t i
    cdef int status
    if config.row & VIRTUAL or k.viability.enabled or m.rules.has_checks or pairs[0]:
        return 0
    for i in range(2, count, 2):
        if pairs[i] != EMPTY:
            return 0
    status = machine_leave(m, config.row, dfa_accept(&m.dfa, config.state), &left)
    if status > 0:
        status = find(k, m, &left, &words)
    if status < 0:
        return status
    offset[0] = <uint32_t>(words - k.words.data)
    return 1


cdef int find(Masks* k, Machine* m, const Config* config, const uint32_t** words) noexcept nogil:
    """The stored mask of a configuration, made if need be; it lies there until the next call."""
    cdef uint64_t key = <uint64_t>parser_row(m, config.row) << 32 | config.state
    cdef uint64_t own_key = <uint64_t>config.row << 32 | config.state
    cdef uint32_t offset = map_get(&k.index, key)
    cdef size_t start
    cdef TapeMark mark
    cdef int status
    if offset != ABSENT:
        k.hits += 1
        words[0] = k.words.data + offset
        return OK
    if own_key == k.recent_key:
        k.hits += 1
        words[0] = k.recent.data
        return OK
    if k.words.len * sizeof(uint32_t) > k.max_bytes:
        # all of them: those in use are soon there again
        masks_drop(k)
        k.drops += 1
    k.misses += 1
    status = find_left(k, m, config, &offset)
    if status != 0:
        words[0] = k.words.data + offset
        return map_put(&k.index, key, offset) if status > 0 else status
    m.tape.asked = False
    mark = tape_mark(&m.tape)
    status = tape_try(&m.tape, config.row) if config.row & VIRTUAL else OK
    if status >= 0:
        status = compute(k, m, config)
    tape_settle(&m.tape)
    tape_release(&m.tape, &mark)
    if status < 0:
        memset(k.buffer.data, 0, buffer_words(k.vocab.n_words) * sizeof(uint32_t))
        return status
    if config.row & VIRTUAL and m.tape.asked:
        k.recent.len = 0
        status = store(k, &k.recent)
        k.recent_key = own_key if status >= 0 and k.max_bytes else NO_KEY
        words[0] = k.recent.data
        return status
    start = k.words.len
    status = store(k, &k.words)
    if status >= 0:
        status = share(k, start, &offset)
    if status < 0:
        return status
    words[0] = k.words.data + offset
    return map_put(&k.index, key, offset)


cdef int masks_write(Masks* k, Machine* m, const Config* config, uint32_t* target, size_t count) noexcept nogil:
    cdef const uint32_t* words
    cdef uint32_t i
    cdef int status = find(k, m, config, &words)
    if status < 0:
        return status
    if words[0] == DENSE:
        memcpy(target, words + 1, k.vocab.n_words * sizeof(uint32_t))
        if count > k.vocab.n_words:
            memset(target + k.vocab.n_words, 0, (count - k.vocab.n_words) * sizeof(uint32_t))
        return OK
    memset(target, 0, count * sizeof(uint32_t))
    for i in range(1, words[0] + 1):
        target[words[i] >> 5] |= <uint32_t>1 << (words[i] & 31)
    return OK
