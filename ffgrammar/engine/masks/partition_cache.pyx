"""See the .pxd. The table is shared by engines that run in different threads: every call takes its lock,
which is the innermost of all: whoever holds it takes no other."""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from ffgrammar.core.intern cimport intern_add, intern_bytes, intern_count, intern_free, intern_get, intern_init, intern_len
from ffgrammar.core.map cimport ABSENT, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_add, lock_free, lock_init, lock_leave, lock_take
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_push
from ffgrammar.engine.masks.trie_walk cimport EXIT_WORDS
from ffgrammar.regex.expr.nodes cimport K_AND, K_LIT, K_OR, Nodes, node, node_len, part_count

cdef enum:
    # lexemes of a state: there is a bit for each
    MAX_LEXEMES = 32
    # words of an expression; larger ones are hardly met again
    MAX_WORDS = 20000
    # instead of a key
    NO_KEY = 0xFFFFFFFD

# Instead of a partition: the walk is short.
cdef Partition* SHORT_WALK = <Partition*><size_t>1


cdef int known_init(Known* known) noexcept nogil:
    known.generation = 0
    return NO_MEMORY if map_init(&known.exprs) < 0 or map_init(&known.states) < 0 else OK


cdef void known_free(Known* known) noexcept nogil:
    map_free(&known.exprs)
    map_free(&known.states)


cdef void known_clear(Known* known) noexcept nogil:
    map_clear(&known.exprs)
    map_clear(&known.states)


cdef size_t table_bytes(const Partitions* p) noexcept nogil:
    return (intern_bytes(&p.exprs) + intern_bytes(&p.keys) + p.bytes + p.room * sizeof(void*)
            + p.scratch.cap * sizeof(uint32_t))


cdef void release(Partition* partition) noexcept nogil:
    if atomic_add(&partition.refs, <uint32_t>-1) == 1:
        free(partition)


cdef void free_partitions(Partitions* p) noexcept nogil:
    cdef uint32_t key
    for key in range(intern_count(&p.keys)):
        if p.found[key] != NULL and p.found[key] != SHORT_WALK:
            release(p.found[key])
    free(p.found)
    p.found = NULL
    p.room = p.bytes = 0


cdef int make_room(Partitions* p) noexcept nogil:
    """Drop everything if it is too much."""
    if table_bytes(p) <= p.max_bytes:
        return OK
    free_partitions(p)
    intern_free(&p.exprs)
    intern_free(&p.keys)
    vec_free(&p.scratch)
    p.kept = 0
    p.generation += 1
    return NO_MEMORY if intern_init(&p.exprs) < 0 or intern_init(&p.keys) < 0 else OK


cdef int push_parts(Nodes* n, Map* exprs, uint32_t e) noexcept nogil:
    """Put the parts of a node that are not known yet on the stack: how many, or a status."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t count = 0
    cdef uint32_t i
    for i in range(1, 1 + part_count(n, e)):
        if map_get(exprs, words[i]) == ABSENT:
            if vec_push(&n.stack, words[i]) < 0:
                return NO_MEMORY
            count += 1
    return count


cdef int intern_node(Partitions* p, Nodes* n, Map* exprs, uint32_t e) noexcept nogil:
    """A node whose parts are known."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t parts = part_count(n, e)
    cdef uint32_t i, found
    cdef Vec* tuple = &p.scratch
    tuple.len = 0
    if vec_push(tuple, kind) < 0:
        return NO_MEMORY
    if kind == K_LIT:
        for i in range(words[2]):
            if vec_push(tuple, n.text[words[1] + i]) < 0:
                return NO_MEMORY
    else:
        for i in range(1, 1 + parts):
            if vec_push(tuple, map_get(exprs, words[i])) < 0:
                return NO_MEMORY
        # what else a node has is numbers, which are the same everywhere
        if vec_extend(tuple, words + 1 + parts, node_len(n, e) - 1 - parts) < 0:
            return NO_MEMORY
        if kind == K_OR or kind == K_AND:
            # their order is that of an engine's numbers
            sort_words(tuple.data + 1, parts)
    if intern_add(&p.exprs, tuple.data, tuple.len, &found) < 0:
        return NO_MEMORY
    return map_put(exprs, e, found)


cdef int shared_expression(Partitions* p, Map* exprs, Nodes* n, uint32_t e, uint32_t* out) noexcept nogil:
    """1 with an expression's number in the table, 0 where it is too large, or a status."""
    cdef size_t base = n.stack.len
    cdef uint32_t budget = MAX_WORDS
    cdef int status = OK
    out[0] = map_get(exprs, e)
    if out[0] != ABSENT:
        return 1
    if vec_push(&n.stack, e) < 0:
        return NO_MEMORY
    while n.stack.len > base and status >= 0:
        e = n.stack.data[n.stack.len - 1]
        if map_get(exprs, e) != ABSENT:
            n.stack.len -= 1
            continue
        if budget < node_len(n, e):
            n.stack.len = base
            return 0
        budget -= node_len(n, e)
        status = push_parts(n, exprs, e)
        if status == 0:
            status = intern_node(p, n, exprs, e)
            n.stack.len -= 1
    n.stack.len = base
    out[0] = map_get(exprs, e)
    return status if status < 0 else 1


cdef int make_place(Partitions* p) noexcept nogil:
    """Room in `found` for one more key."""
    cdef Partition** more
    cdef size_t room = max(<size_t>64, 2 * p.room)
    if intern_count(&p.keys) < p.room:
        return OK
    more = <Partition**>realloc(p.found, room * sizeof(Partition*))
    if more == NULL:
        return NO_MEMORY
    p.found = more
    p.room = room
    return OK


cdef int find_key(Partitions* p, Known* known, Dfa* dfa, uint32_t state, uint32_t* key) noexcept nogil:
    """1 with the number of a lexer state's key, 0 where it has none, or a status. Makes room first."""
    cdef uint32_t number = state >> 8
    cdef uint32_t count = intern_len(&dfa.states, number)
    cdef uint32_t words[MAX_LEXEMES + 2]
    cdef uint32_t i, lexeme
    cdef uint32_t used = 2
    cdef int status = make_room(p)
    if status < 0:
        return status
    if known.generation != p.generation:
        known_clear(known)
        known.generation = p.generation
    key[0] = map_get(&known.states, state)
    if key[0] != ABSENT:
        return key[0] != <uint32_t>NO_KEY
    words[0] = dfa.eager
    words[1] = 0
    status = 1 if count <= 2 * MAX_LEXEMES + 1 else 0
    for i in range(1, count, 2):
        if status <= 0:
            break
        lexeme = intern_get(&dfa.states, number)[i]
        if dfa.lazy.data[lexeme]:
            words[1] |= <uint32_t>1 << (used - 2)
        status = shared_expression(p, &known.exprs, dfa.nodes, intern_get(&dfa.states, number)[i + 1], &words[used])
        used += 1
    if status > 0:
        # (room first: a key has its place)
        status = make_place(p)
        if status >= 0:
            status = intern_add(&p.keys, words, used, key)
        if status >= 0:
            if status > 0:
                p.found[key[0]] = NULL
            status = 1
    if status < 0:
        return status
    if map_put(&known.states, state, key[0] if status else <uint32_t>NO_KEY) < 0:
        return NO_MEMORY
    return status


cdef int copy_partition(
    const Partition* partition, Dfa* dfa, uint32_t state, uint32_t* mask, size_t n_words, Vec* exits,
) noexcept nogil:
    cdef const uint32_t* words = partition.words
    cdef uint32_t number = state >> 8
    cdef uint32_t bits = 0
    cdef uint32_t lexset = 0
    cdef uint32_t lexemes[MAX_LEXEMES]
    cdef uint32_t i, j, count
    for i in range(partition.exit_count):
        if words[EXIT_WORDS * i + 1] != bits:
            bits = words[EXIT_WORDS * i + 1]
            count = 0
            for j in range(MAX_LEXEMES):
                if (bits >> j) & 1:
                    lexemes[count] = intern_get(&dfa.states, number)[2 * j + 1]
                    count += 1
            if intern_add(&dfa.lexsets, lexemes, count, &lexset) < 0:
                return NO_MEMORY
        if vec_push(exits, words[EXIT_WORDS * i]) < 0 or vec_push(exits, lexset) < 0:
            return NO_MEMORY
    memcpy(mask, words + EXIT_WORDS * <size_t>partition.exit_count, n_words * sizeof(uint32_t))
    return KEPT


cdef int partitions_find(
    Partitions* p, Known* known, Dfa* dfa, uint32_t state, uint32_t* mask, size_t n_words, Vec* exits,
) noexcept nogil:
    cdef Partition* partition = NULL
    cdef uint32_t key
    cdef int status
    lock_take(&p.lock)
    status = find_key(p, known, dfa, state, &key)
    if status > 0:
        partition = p.found[key]
        status = SHORT if partition == SHORT_WALK else NOT_KEPT if partition == NULL else KEPT
        p.misses += status == NOT_KEPT
        p.hits += status == KEPT
        if status == KEPT:
            atomic_add(&partition.refs, 1)
    lock_leave(&p.lock)
    if status == KEPT:
        status = copy_partition(partition, dfa, state, mask, n_words, exits)
        release(partition)
    return status


cdef uint32_t lexeme_bits(const Dfa* dfa, uint32_t state, uint32_t lexset) noexcept nogil:
    """Which lexemes of a state are in a set, as bits."""
    cdef uint32_t number = state >> 8
    cdef uint32_t found = 0
    cdef uint32_t j = 0
    cdef uint32_t i
    for i in range(intern_len(&dfa.lexsets, lexset)):
        # both are sorted
        while intern_get(&dfa.states, number)[2 * j + 1] != intern_get(&dfa.lexsets, lexset)[i]:
            j += 1
        found |= <uint32_t>1 << j
    return found


cdef Partition* pack(
    Dfa* dfa, uint32_t state, const uint32_t* mask, size_t n_words, const Vec* exits,
) noexcept nogil:
    cdef size_t bytes = partition_bytes(exits.len, n_words)
    cdef Partition* partition = <Partition*>malloc(bytes)
    cdef uint32_t i
    if partition == NULL:
        return NULL
    partition.refs = 1
    partition.exit_count = <uint32_t>(exits.len // EXIT_WORDS)
    for i in range(partition.exit_count):
        partition.words[EXIT_WORDS * i] = exits.data[EXIT_WORDS * i]
        partition.words[EXIT_WORDS * i + 1] = lexeme_bits(dfa, state, exits.data[EXIT_WORDS * i + 1])
    memcpy(partition.words + exits.len, mask, n_words * sizeof(uint32_t))
    return partition


cdef inline size_t partition_bytes(size_t place_words, size_t n_words) noexcept nogil:
    return sizeof(Partition) + (place_words + n_words) * sizeof(uint32_t)


cdef int partitions_keep(
    Partitions* p, Known* known, Dfa* dfa, uint32_t state, const uint32_t* mask, size_t n_words, const Vec* exits,
) noexcept nogil:
    cdef Partition* partition = SHORT_WALK
    cdef uint32_t key
    cdef int status
    lock_take(&p.lock)
    status = find_key(p, known, dfa, state, &key)
    # (another engine may have been quicker)
    if status > 0 and p.found[key] == NULL:
        if mask != NULL:
            partition = pack(dfa, state, mask, n_words, exits)
            status = NO_MEMORY if partition == NULL else OK
        if mask != NULL and status >= 0:
            p.bytes += partition_bytes(exits.len, n_words)
            p.kept += 1
        p.found[key] = partition
    lock_leave(&p.lock)
    return status if status < 0 else OK


cdef class SharedPartitions:
    """The partitions of one vocabulary.

    Args:
        max_bytes: over this much all is dropped and found anew; 0 keeps nothing.
    """

    def __cinit__(self, size_t max_bytes):
        self.table.max_bytes = max_bytes
        self.table.generation = 1
        self.table.has_lock = lock_init(&self.table.lock) == 0
        if not self.table.has_lock or intern_init(&self.table.exprs) < 0 or intern_init(&self.table.keys) < 0:
            raise MemoryError
        vec_init(&self.table.scratch)

    def __dealloc__(self):
        if self.table.has_lock:
            lock_free(&self.table.lock)
        free_partitions(&self.table)
        intern_free(&self.table.exprs)
        intern_free(&self.table.keys)
        vec_free(&self.table.scratch)

    @property
    def max_bytes(self) -> int:
        return self.table.max_bytes

    @max_bytes.setter
    def max_bytes(self, size_t value):
        cdef int status
        with nogil:
            lock_take(&self.table.lock)
            self.table.max_bytes = value
            status = make_room(&self.table)
            lock_leave(&self.table.lock)
        if status < 0:
            raise MemoryError

    def stats(self) -> dict:
        """Counts and bytes of what is held now."""
        cdef Partitions seen
        cdef size_t used
        with nogil:
            lock_take(&self.table.lock)
            # the counts; pointers are not followed
            seen = self.table
            used = table_bytes(&self.table)
            lock_leave(&self.table.lock)
        return {
            "partitions": seen.kept,
            "partition_hits": seen.hits,
            "partition_misses": seen.misses,
            "partition_drops": seen.generation - 1,
            "partition_bytes": used,
            "partition_bytes_limit": seen.max_bytes,
        }
