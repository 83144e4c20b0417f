"""The table is shared by engines that run in different threads, so every call takes the table's lock. No other lock is taken
while this lock is held. `partitions_find` copies a partition after it has given the lock back.
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_add, intern_count, intern_free, intern_get, intern_init, intern_len
from ffgrammar.core.map cimport ABSENT, map_clear, map_get, map_put
from ffgrammar.core.owner cimport own_intern, own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.threads cimport atomic_add, lock_free, lock_init, lock_leave, lock_take
from ffgrammar.core.vec cimport vec_free, vec_push
from ffgrammar.engine.masks.mask_cache cimport DENSE, list_tokens
from ffgrammar.engine.masks.scratch cimport scratch_pool_free, scratch_pool_init
from ffgrammar.engine.masks.trie_walk cimport EXIT_WORDS
from ffgrammar.regex.dfa.lazy_dfa cimport ALONE
from ffgrammar.regex.dfa.threads cimport is_one_thread
from ffgrammar.regex.expr.shared_numbers cimport shared_expression

cdef enum:
    # lexemes of a state: each is one bit of a word
    MAX_LEXEMES = 32
    # in the first word of a key: the lexemes are followed by those beside which they are read
    HAS_BESIDE = 0x80000000
    # instead of a key: the partition of the state is never kept
    NO_KEY = 0xFFFFFFFD
    # The most bytes of a partition that is kept although its walk was short: when it is first needed, and when another grammar
    # needs it, too. (Most grammars begin with the same states. Few of the other states come again in another grammar.)
    MAX_AT_FIRST = 1024
    MAX_AGAIN = 4096


cdef int key_cache_init(KeyCache* cache) noexcept nogil:
    cache.generation = 0
    owner_init(&cache.owner)
    own_map(&cache.owner, &cache.exprs)
    own_map(&cache.owner, &cache.states)
    return owner_status(&cache.owner)


cdef void key_cache_clear(KeyCache* cache) noexcept nogil:
    map_clear(&cache.exprs)
    map_clear(&cache.states)


cdef size_t table_bytes(const Partitions* p) noexcept nogil:
    return owner_bytes(&p.owner) + p.bytes + p.room * sizeof(void*)


cdef inline Partition* not_kept_by(const KeyCache* cache) noexcept nogil:
    """In `by_key` instead of a partition: its walk was short, and the engine of this cache has not kept it. No partition has an odd
    address. (The engine may be gone, and a new one at its address. Then the partition is kept one grammar later.)"""
    return <Partition*>(<size_t>cache | 1)


cdef inline bint is_partition(const Partition* entry) noexcept nogil:
    return entry != NULL and not <size_t>entry & 1


cdef inline bint is_worth(const Partition* entry, const KeyCache* cache, size_t bytes) noexcept nogil:
    """Whether the partition of a short walk is kept in the place of an entry."""
    return bytes <= MAX_AT_FIRST or entry != NULL and entry != not_kept_by(cache) and bytes <= MAX_AGAIN


cdef void release(Partition* partition) noexcept nogil:
    if atomic_add(&partition.refs, <uint32_t>-1) == 1:
        free(partition)


cdef void free_partitions(Partitions* p) noexcept nogil:
    cdef uint32_t key
    for key in range(intern_count(&p.keys)):
        if is_partition(p.by_key[key]):
            release(p.by_key[key])
    free(p.by_key)
    p.by_key = NULL
    for key in range(p.note_count):
        free(p.notes[key])
    free(p.notes)
    p.notes = NULL
    p.note_count = 0
    p.room = p.bytes = 0


cdef int drop_if_over(Partitions* p) noexcept nogil:
    """Drop everything if it takes more than max_bytes. Returns OK or NO_MEMORY."""
    if table_bytes(p) <= p.max_bytes:
        return OK
    free_partitions(p)
    intern_free(&p.exprs)
    intern_free(&p.keys)
    intern_free(&p.topics)
    vec_free(&p.scratch)
    map_clear(&p.notes_at)
    p.kept = 0
    p.generation += 1
    return NO_MEMORY if intern_init(&p.exprs) < 0 or intern_init(&p.keys) < 0 or intern_init(&p.topics) < 0 else OK


cdef int reserve_key(Partitions* p) noexcept nogil:
    """Make room in `by_key` for one more key. Returns OK or NO_MEMORY."""
    cdef Partition** more
    cdef size_t room = max(<size_t>64, 2 * p.room)
    if intern_count(&p.keys) < p.room:
        return OK
    more = <Partition**>realloc(p.by_key, room * sizeof(Partition*))
    if more == NULL:
        return NO_MEMORY
    p.by_key = more
    p.room = room
    return OK


cdef uint32_t add_beside(const Dfa* dfa, const uint32_t* pairs, uint32_t count, uint32_t* words) noexcept nogil:
    """Write beside which lexeme each one of a state is read: its place among them, `count` where it is not one of them, or ALONE.
    Returns how many words these are: none if all lexemes of the automaton are read alone."""
    cdef bint found = False
    cdef uint32_t i, other
    cdef uint32_t lexemes = <uint32_t>dfa.beside.len
    for i in range(count if lexemes else 0):
        other = dfa.beside.data[pairs[2 * i] % lexemes]
        words[i] = ALONE
        if other != <uint32_t>ALONE:
            found = True
            words[i] = 0
            # (the lexemes are all of one thread, so their slots are the same)
            while words[i] < count and pairs[2 * words[i]] % lexemes != other:
                words[i] += 1
    return count if found else 0


cdef int add_key(Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t number, uint32_t* key) noexcept nogil:
    """Intern what a state's partition depends on. Returns 1 with the key, 0 if the partition is not to be kept, or a status."""
    cdef const uint32_t* pairs = intern_get(&dfa.states, number) + 1
    cdef uint32_t count = intern_len(&dfa.states, number) - 1
    cdef uint32_t words[2 * MAX_LEXEMES + 2]
    cdef uint32_t used = 2
    cdef uint32_t i, lexeme, beside
    cdef int status
    # (what lexemes read that do not compete does not depend on their expressions alone)
    if count > 2 * MAX_LEXEMES or not is_one_thread(&dfa.threads, pairs, count):
        return 0
    words[0] = dfa.eager
    words[1] = 0
    for i in range(0, count, 2):
        lexeme = pairs[i] % dfa.threads.lexemes if dfa.threads.present else pairs[i]
        if dfa.lazy.data[lexeme]:
            bit_set(&words[1], used - 2)
        if lexeme >= dfa.first_word:
            # (these come last)
            words[0] += 2
        status = shared_expression(&p.exprs, &p.scratch, &cache.exprs, dfa.nodes, pairs[i + 1], &words[used])
        if status <= 0:
            return status
        used += 1
    beside = add_beside(dfa, pairs, count >> 1, words + used)
    if beside:
        words[0] |= <uint32_t>HAS_BESIDE
        used += beside
    # room comes first, so that every key has an entry
    status = reserve_key(p)
    if status >= 0:
        status = intern_add(&p.keys, words, used, key)
    if status > 0:
        p.by_key[key[0]] = NULL
    return status if status < 0 else 1


cdef int find_key(Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, uint32_t* key) noexcept nogil:
    cdef int status = drop_if_over(p)
    if status < 0:
        return status
    if cache.generation != p.generation:
        key_cache_clear(cache)
        cache.generation = p.generation
    key[0] = map_get(&cache.states, state)
    if key[0] != ABSENT:
        return key[0] != <uint32_t>NO_KEY
    status = add_key(p, cache, dfa, state >> 8, key)
    if status < 0:
        return status
    return NO_MEMORY if map_put(&cache.states, state, key[0] if status else <uint32_t>NO_KEY) < 0 else status


cdef int copy_partition(
    const Partition* partition, Dfa* dfa, uint32_t state, uint32_t* mask, Vec* exits,
) noexcept nogil:
    """Write a partition to `mask` and `exits`, with the state's own lexemes. Returns OK or NO_MEMORY."""
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
                if bit_test(&bits, j):
                    lexemes[count] = intern_get(&dfa.states, number)[2 * j + 1]
                    count += 1
            if intern_add(&dfa.lexsets, lexemes, count, &lexset) < 0:
                return NO_MEMORY
        if vec_push(exits, words[EXIT_WORDS * i]) < 0 or vec_push(exits, lexset) < 0:
            return NO_MEMORY
    words += EXIT_WORDS * <size_t>partition.exit_count
    if partition.token_count == DENSE:
        memcpy(mask, words, partition.size * sizeof(uint32_t))
        return OK
    for i in range(partition.token_count):
        bit_set(mask, words[i])
    return OK


cdef int partitions_find(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, bint even_short, uint32_t* mask, Vec* exits,
) noexcept nogil:
    cdef Partition* partition = NULL
    cdef uint32_t key
    cdef int copied = OK
    cdef int status
    lock_take(&p.lock)
    status = find_key(p, cache, dfa, state, &key)
    if status > 0:
        partition = p.by_key[key]
        if not is_partition(partition):
            status = NOT_KEPT if partition == NULL else SHORT
            partition = NULL
        elif partition.is_short and not even_short:
            status = SHORT
            partition = NULL
        else:
            status = KEPT
            atomic_add(&partition.refs, 1)
        p.misses += status == NOT_KEPT
        p.hits += status == KEPT
    lock_leave(&p.lock)
    if partition != NULL:
        copied = copy_partition(partition, dfa, state, mask, exits)
        release(partition)
    return copied if copied < 0 else status


cdef uint32_t lexeme_bits(const Dfa* dfa, uint32_t state, uint32_t lexset) noexcept nogil:
    """Which lexemes of a state are in a set of lexemes, as bits."""
    cdef uint32_t number = state >> 8
    cdef uint32_t found = 0
    cdef uint32_t j = 0
    cdef uint32_t i
    for i in range(intern_len(&dfa.lexsets, lexset)):
        # both lists of lexemes are sorted
        while intern_get(&dfa.states, number)[2 * j + 1] != intern_get(&dfa.lexsets, lexset)[i]:
            j += 1
        bit_set(&found, j)
    return found


cdef Partition* pack(
    Dfa* dfa, uint32_t state, bint is_short, uint32_t token_count, const uint32_t* mask, uint32_t size, const Vec* exits,
) noexcept nogil:
    """A partition made of a mask and exits; NULL if there is no memory."""
    cdef Partition* partition = <Partition*>malloc(partition_bytes(exits.len, size))
    cdef uint32_t i
    if partition == NULL:
        return NULL
    partition.refs = 1
    partition.exit_count = <uint32_t>(exits.len // EXIT_WORDS)
    partition.token_count = token_count
    partition.size = size
    partition.is_short = is_short
    for i in range(partition.exit_count):
        partition.words[EXIT_WORDS * i] = exits.data[EXIT_WORDS * i]
        partition.words[EXIT_WORDS * i + 1] = lexeme_bits(dfa, state, exits.data[EXIT_WORDS * i + 1])
    memcpy(partition.words + exits.len, mask, size * sizeof(uint32_t))
    return partition


cdef inline size_t partition_bytes(size_t exit_words, size_t mask_words) noexcept nogil:
    return sizeof(Partition) + (exit_words + mask_words) * sizeof(uint32_t)


cdef int partitions_keep(
    Partitions* p, KeyCache* cache, Dfa* dfa, uint32_t state, bint is_short, const uint32_t* words, uint32_t n_words,
    const Vec* exits, uint32_t* scratch,
) noexcept nogil:
    cdef uint32_t count = list_tokens(words, n_words, scratch, n_words >> 2)
    cdef uint32_t size = count
    cdef const uint32_t* mask = scratch
    cdef Partition* partition
    cdef uint32_t key
    cdef int status
    if count > n_words >> 2:
        count = DENSE
        size = n_words
        mask = words
    lock_take(&p.lock)
    status = find_key(p, cache, dfa, state, &key)
    if status > 0 and is_partition(p.by_key[key]):
        pass  # another engine has kept it meanwhile
    elif status > 0 and is_short and not is_worth(p.by_key[key], cache, partition_bytes(exits.len, size)):
        p.by_key[key] = not_kept_by(cache)
    elif status > 0:
        partition = pack(dfa, state, is_short, count, mask, size, exits)
        if partition == NULL:
            status = NO_MEMORY
        else:
            p.by_key[key] = partition
            p.bytes += partition_bytes(exits.len, size)
            p.kept += 1
    lock_leave(&p.lock)
    return status if status < 0 else OK


cdef class SharedPartitions:
    """The partitions of one vocabulary, and room for the masks being made, shared by the engines of all its grammars.

    Args:
        max_bytes: when the partitions take more than this, all are dropped, and made again when they are needed. With 0, none
            are kept.

    Raises:
        MemoryError: there is no memory.
    """

    def __cinit__(self, size_t max_bytes):
        self.table.max_bytes = max_bytes
        self.table.generation = 1
        owner_init(&self.table.owner)
        own_intern(&self.table.owner, &self.table.exprs)
        own_intern(&self.table.owner, &self.table.keys)
        own_intern(&self.table.owner, &self.table.topics)
        own_map(&self.table.owner, &self.table.notes_at)
        own_vec(&self.table.owner, &self.table.scratch)
        self.table.has_lock = lock_init(&self.table.lock) == 0
        if scratch_pool_init(&self.pool) < 0 or not self.table.has_lock or owner_status(&self.table.owner) < 0:
            raise MemoryError

    def __dealloc__(self):
        if self.table.has_lock:
            lock_free(&self.table.lock)
        free_partitions(&self.table)
        owner_free(&self.table.owner)
        scratch_pool_free(&self.pool)

    @property
    def max_bytes(self) -> int:
        return self.table.max_bytes

    @max_bytes.setter
    def max_bytes(self, size_t value):
        cdef int status
        with nogil:
            lock_take(&self.table.lock)
            self.table.max_bytes = value
            status = drop_if_over(&self.table)
            lock_leave(&self.table.lock)
        if status < 0:
            raise MemoryError

    def stats(self) -> dict:
        """How many partitions are held, the bytes of the table and its budget, how many look-ups so far found a partition or
        did not, and how often everything was dropped."""
        cdef Partitions seen
        cdef size_t used
        with nogil:
            lock_take(&self.table.lock)
            # a copy of the table, for its counts; the pointers in it must not be followed
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


cdef SharedPartitions shared_partitions(object tokenizer):
    cdef SharedPartitions found = tokenizer.partitions
    if found is None:
        found = tokenizer.partitions = SharedPartitions(tokenizer.partition_bytes)
    return found
