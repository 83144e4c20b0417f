"""A best-first search for any sentence, guided by how short the rest would be if the lexing rule never got in the way
(estimates.pyx). The verdict of a search is kept for all configurations on its way, so along a text most searches take a step or
two.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.heap cimport heap_pop, heap_push
from ffgrammar.core.map cimport map_clear, map_get, map_put, map_set
from ffgrammar.core.owner cimport own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport LIMIT_CACHE, LIMIT_EMPTINESS, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.recognizer.recognizer cimport config_key, recognizer_accepting, recognizer_move, recognizer_token
from ffgrammar.engine.parser.tables cimport TokenClass, find_class, token_class
from ffgrammar.engine.recognizer.estimates cimport estimate, estimates_clear, estimates_init, estimates_measure
from ffgrammar.engine.recognizer.neighbour_tables cimport neighbours_find
from ffgrammar.engine.recognizer.neighbours cimport (
    leads_on, neighbours_bytes, neighbours_clear, neighbours_free, neighbours_init,
)
from ffgrammar.engine.recognizer.separator cimport (
    is_safe, separator_bytes, separator_clear, separator_free, separator_init,
)
from ffgrammar.engine.values.trace cimport TraceMark, trace_mark, trace_release

cdef enum:
    MANY = 64        # configurations on the queue: a search that is longer asks the neighbours
    QUEUE_WORDS = 3
    ENTRY_WORK = 256  # units of work (pulse.pxd) of an entry of the queue, apart from one for each byte
    # in `known`: a search has met the configuration, and ended before it was decided
    UNDECIDED = 2


cdef int completability_init(Completability* v, Recognizer* m, bint enabled, bint assured) noexcept nogil:
    v.enabled = enabled
    v.assured = assured
    v.max_search = 0xFFFFFFFF
    v.max_bytes = <size_t>-1
    owner_init(&v.owner)
    own_map(&v.owner, &v.known)
    estimates_init(&v.estimates, &v.owner)
    own_vec(&v.owner, &v.queue)
    own_vec(&v.owner, &v.heap)
    if neighbours_init(&v.neighbours) < 0 or owner_status(&v.owner) < 0 or separator_init(&v.separator, m.nodes) < 0:
        return NO_MEMORY
    return estimates_measure(&v.estimates, m) if enabled and not assured else OK


cdef void completability_free(Completability* v) noexcept nogil:
    owner_free(&v.owner)
    separator_free(&v.separator)
    neighbours_free(&v.neighbours)


cdef void completability_clear(Completability* v) noexcept nogil:
    map_clear(&v.known)
    separator_clear(&v.separator)
    neighbours_clear(&v.neighbours)
    estimates_clear(&v.estimates)


cdef size_t completability_bytes(const Completability* v) noexcept nogil:
    return owner_bytes(&v.owner) + separator_bytes(&v.separator) + neighbours_bytes(&v.neighbours)


cdef int enqueue(Completability* v, Recognizer* m, const Config* config, uint32_t source) noexcept nogil:
    """Put a configuration on the search's queue, unless its verdict is known. Returns 1 if it is known to be completable, else
    0 or a status. `source` is the entry of the queue that it came from."""
    cdef uint64_t key = config_key(config)
    cdef uint32_t known = map_get(&v.known, key)
    cdef uint32_t cost
    cdef int status
    if known <= 1:
        # the verdict is known, or `known` is 0 because the configuration is on the queue already
        return known
    status = recognizer_accepting(m, config, NULL)
    if status < 0:
        return status
    if status > 0:
        return NO_MEMORY if map_put(&v.known, key, 1) < 0 else 1
    status = estimate(&v.estimates, m, config, &cost, NULL)
    if status < 0:
        return status
    if v.queue.len // QUEUE_WORDS >= v.max_search:
        return LIMIT_EMPTINESS
    # `known` is written last: if it were written first, a failure above would leave the 0 of a configuration that is not on the
    # queue, and this 0 would stay for ever
    if heap_push(&v.heap, cost, <uint32_t>(v.queue.len // QUEUE_WORDS)) < 0:
        return NO_MEMORY
    if vec_push(&v.queue, config.row) < 0 or vec_push(&v.queue, config.state) < 0 or vec_push(&v.queue, source) < 0:
        return NO_MEMORY
    return map_put(&v.known, key, 0)


cdef inline Config queued(const Completability* v, uint32_t entry) noexcept nogil:
    cdef Config config
    config.row = v.queue.data[entry * QUEUE_WORDS]
    config.state = v.queue.data[entry * QUEUE_WORDS + 1]
    return config


cdef int neighbours_lead_on(Completability* v, Recognizer* m, const Config* config) noexcept nogil:
    """Whether neighbours let a configuration be completed: 1, 0 or a status."""
    cdef int status = neighbours_find(&v.neighbours, m)
    if status < 0:
        return status
    return leads_on(&v.neighbours, m, config) if v.neighbours.found else 1


cdef int search(Completability* v, Recognizer* m, const Config* config) noexcept nogil:
    """Whether a configuration can be completed: 1, 0 or a status. While it runs, `known` is 0 for what is on the queue."""
    cdef Config here, there
    cdef uint32_t entry, byte, at
    cdef TokenClass tokens
    cdef size_t before = m.rows.items.len
    cdef size_t i
    cdef int status
    v.queue.len = 0
    v.heap.len = 0
    status = enqueue(v, m, config, 0)
    entry = 0
    while status == 0 and v.heap.len:
        if (m.rows.items.len - before) * sizeof(uint32_t) > v.max_bytes:
            # (rows that never repeat, each larger than the one before, would fill the memory long before `max_search`. What counts
            # is what they use: their array doubles when it is full, perhaps for a single row.)
            status = LIMIT_CACHE
            break
        status = pulse(&m.nodes.pulse, ENTRY_WORK)
        if status < 0:
            break
        entry = heap_pop(&v.heap)
        here = queued(v, entry)
        if v.queue.len // QUEUE_WORDS > MANY:
            status = neighbours_lead_on(v, m, &here)
            if status <= 0:
                continue
            status = 0
        for byte in range(256):
            there = here
            # (the rows of a single byte can take milliseconds)
            status = pulse(&m.nodes.pulse, 1)
            if status >= 0:
                status = recognizer_move(m, &there, byte, NULL)
            if status > 0:
                status = enqueue(v, m, &there, entry)
            if status != 0:
                break
        at = 0
        while status == 0 and at < m.rules.token_classes.len:
            at = token_class(m.rules, at, &tokens)
            there = here
            status = recognizer_token(m, &there, &tokens)
            if status > 0:
                status = enqueue(v, m, &there, entry)
    if status == 0:
        # everything that can be reached was seen and none of it is a sentence, so the zeros in `known` are true
        return 0
    for i in range(v.queue.len // QUEUE_WORDS):
        here = queued(v, <uint32_t>i)
        map_set(&v.known, config_key(&here), UNDECIDED)
    if status < 0 or v.queue.len == 0:
        return status
    while True:
        here = queued(v, entry)
        map_set(&v.known, config_key(&here), 1)
        if entry == 0:
            return 1
        entry = v.queue.data[entry * QUEUE_WORDS + 2]


cdef int completable(Completability* v, Recognizer* m, const Config* config) noexcept nogil:
    cdef uint32_t known
    cdef int status
    if not v.enabled or v.assured:
        return 1
    if v.separator.found:
        status = is_safe(&v.separator, m, config.state)
        if status != 0:
            return status
    known = map_get(&v.known, config_key(config))
    if known <= 1:
        return <int>known
    if v.neighbours.found:
        status = leads_on(&v.neighbours, m, config)
        if status <= 0:
            return NO_MEMORY if status < 0 or map_put(&v.known, config_key(config), 0) < 0 else 0
    return search(v, m, config)


cdef int step(
    Completability* v, Recognizer* m, Config* config, uint32_t byte, bint* text_dependent,
) noexcept nogil:
    cdef Config moved = config[0]
    cdef int status = recognizer_move(m, &moved, byte, text_dependent)
    if status > 0:
        status = completable(v, m, &moved)
        if status > 0:
            config[0] = moved
    return status


cdef int class_step(Completability* v, Recognizer* m, Config* config, const TokenClass* tokens) noexcept nogil:
    """Move by a special token of a class. Returns as `step`."""
    cdef Config moved = config[0]
    cdef int status = recognizer_token(m, &moved, tokens)
    if status > 0:
        status = completable(v, m, &moved)
        if status > 0:
            config[0] = moved
    return status


cdef int token_step(Completability* v, Recognizer* m, Config* config, uint32_t token) noexcept nogil:
    cdef TokenClass tokens
    return class_step(v, m, config, &tokens) if find_class(m.rules, token, &tokens) else 0


cdef int add_special_tokens(Completability* v, Recognizer* m, const Config* config, uint32_t* bits) noexcept nogil:
    cdef TokenClass tokens
    cdef Config moved
    cdef uint32_t at = 0
    cdef uint32_t i
    cdef int status
    cdef int found = 0
    while at < m.rules.token_classes.len:
        at = token_class(m.rules, at, &tokens)
        moved = config[0]
        status = class_step(v, m, &moved, &tokens)
        if status < 0:
            return status
        if status:
            found = 1
            for i in range(tokens.token_count if bits != NULL else 0):
                bit_set(bits, tokens.tokens[i])
    return found


cdef int bytes_may_end(Completability* v, Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil:
    cdef int status = recognizer_accepting(m, config, text_dependent)
    if status == 0 and m.rules.token_classes.len:
        status = add_special_tokens(v, m, config, NULL)
    return status


cdef int distance(Completability* v, Recognizer* m, const Config* config, uint32_t* length) noexcept nogil:
    return distance_by(v, m, config, length, NULL)


cdef int distance_by(
    Completability* v, Recognizer* m, const Config* config, uint32_t* length, Vec* nearest,
) noexcept nogil:
    cdef int status = recognizer_accepting(m, config, NULL)
    length[0] = 0
    if nearest != NULL:
        nearest.len = 0
    if status != 0:
        return status
    if v.estimates.rest.len == 0 and estimates_measure(&v.estimates, m) < 0:
        return NO_MEMORY
    return estimate(&v.estimates, m, config, length, nearest)


cdef int next_bytes(Completability* v, Recognizer* m, const Config* config, uint32_t* bits) noexcept nogil:
    cdef Config moved
    cdef TraceMark mark = trace_mark(&m.trace)
    cdef uint32_t byte
    cdef int count = 0
    cdef int status
    for byte in range(8):
        bits[byte] = 0
    for byte in range(256):
        moved = config[0]
        status = step(v, m, &moved, byte, NULL)
        trace_release(&m.trace, &mark)
        if status < 0:
            return status
        if status:
            bit_set(bits, byte)
            count += 1
    return count
