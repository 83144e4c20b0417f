"""A best-first search for any completion, guided by how long the shortest one would be if the lexer never got in the way.
What a search finds holds for all configurations on its way, so along a text a search is a step or two."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.intern cimport intern_count, intern_get, intern_len
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport LIMIT_EMPTINESS, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.machine cimport machine_accepting, machine_move
from ffgrammar.engine.rows cimport ROOT, Item, row_items
from ffgrammar.engine.rules cimport END, NONTERMINAL, NUMBER, Rules
from ffgrammar.regex.nodes cimport (
    K_CAT, K_LIT, K_NOT, K_OR, K_REP, K_SET, Nodes, node, node_kind, node_len,
)

cdef enum:
    # estimates saturate here, so that sums of a few never overflow
    FAR = 0x0FFFFFFF
    QUEUE_WORDS = 3
    # in `known`: met by a search that ended before it was decided
    UNDECIDED = 2


cdef int viability_init(Viability* v, Machine* m, bint enabled) noexcept nogil:
    v.enabled = enabled
    v.max_search = 0xFFFFFFFF
    vec_init(&v.rest)
    vec_init(&v.link_costs)
    vec_init(&v.queue)
    vec_init(&v.heap)
    if map_init(&v.known) < 0 or map_init(&v.shortest) < 0:
        return NO_MEMORY
    return measure_rules(v, m) if enabled else OK


cdef void viability_free(Viability* v) noexcept nogil:
    map_free(&v.known)
    map_free(&v.shortest)
    vec_free(&v.rest)
    vec_free(&v.link_costs)
    vec_free(&v.queue)
    vec_free(&v.heap)


cdef void viability_clear(Viability* v) noexcept nogil:
    map_clear(&v.known)
    map_clear(&v.shortest)
    v.link_costs.len = 0


cdef size_t viability_bytes(const Viability* v) noexcept nogil:
    return (map_bytes(&v.known) + map_bytes(&v.shortest)
            + (v.rest.cap + v.link_costs.cap + v.queue.cap + v.heap.cap) * sizeof(uint32_t))


cdef inline uint32_t add(uint32_t a, uint32_t b) noexcept nogil:
    return FAR if a + b > FAR else a + b


cdef int shortest_text(Viability* v, const Nodes* n, uint32_t e, uint32_t* length) noexcept nogil:
    """A lower bound of the length of what e matches; follows the nesting of e, which is bounded."""
    cdef uint32_t kind = node_kind(n, e)
    cdef uint32_t i, part
    cdef uint64_t product
    cdef uint32_t total = 0
    length[0] = 0
    if kind == K_SET:
        length[0] = 1
    elif kind == K_LIT:
        length[0] = node(n, e)[2]
    if kind < K_CAT or kind == K_NOT:
        return OK
    length[0] = map_get(&v.shortest, e)
    if length[0] != ABSENT:
        return OK
    if kind == K_CAT:
        part = e
        while node_kind(n, part) == K_CAT:
            if shortest_text(v, n, node(n, part)[1], &i) < 0:
                return NO_MEMORY
            total = add(total, i)
            part = node(n, part)[2]
        if shortest_text(v, n, part, &i) < 0:
            return NO_MEMORY
        total = add(total, i)
    elif kind == K_REP:
        if shortest_text(v, n, node(n, e)[1], &part) < 0:
            return NO_MEMORY
        product = <uint64_t>part * node(n, e)[2]
        total = <uint32_t>product if product < FAR else FAR
    else:
        total = FAR if kind == K_OR else 0
        for i in range(1, node_len(n, e)):
            if shortest_text(v, n, node(n, e)[i], &part) < 0:
                return NO_MEMORY
            if (part < total) == (kind == K_OR):
                total = part
    length[0] = total
    return map_put(&v.shortest, e, total)


cdef int measure_rules(Viability* v, Machine* m) noexcept nogil:
    """Fill `rest`: the shortest text of each nonterminal by iteration to the fixed point, then suffix sums."""
    cdef const Rules* rules = m.rules
    cdef size_t count = rules.symbols.len
    cdef size_t at
    cdef uint32_t symbol, length
    cdef bint changed = True
    if vec_fill(&v.rest, count, 0) < 0:
        return NO_MEMORY
    # queue serves as the table of nonterminals here
    v.queue.len = 0
    for _ in range(rules.nullable.len):
        # what an instance derives is not known before it is met: nothing, as a lower bound
        if vec_push(&v.queue, FAR if at < rules.plain else 0) < 0:
            return NO_MEMORY
    while changed:
        changed = False
        at = count
        while at > 0:
            at -= 1
            symbol = rules.symbols.data[at]
            if symbol & END:
                continue
            if symbol & NONTERMINAL:
                length = v.queue.data[symbol & NUMBER]
            elif shortest_text(v, m.nodes, rules.exprs.data[symbol], &length) < 0:
                return NO_MEMORY
            length = add(length, v.rest.data[at + 1])
            v.rest.data[at] = length
        length = 0
        for at in range(count):
            # the first position of a production follows the END of the one before
            if at == 0 or rules.symbols.data[at - 1] & END:
                length = v.rest.data[at]
            if rules.symbols.data[at] & END and length < v.queue.data[rules.symbols.data[at] & NUMBER]:
                v.queue.data[rules.symbols.data[at] & NUMBER] = length
                changed = True
    v.queue.len = 0
    return OK


cdef int measure_instances(Viability* v, const Machine* m) noexcept nogil:
    """Extend `rest` to the productions of instances made since. What they go on with counts for nothing: a lower bound."""
    if v.rest.len > m.rules.symbols.len:
        v.rest.len = m.rules.kept_symbols
    return vec_fill(&v.rest, m.rules.symbols.len - v.rest.len, 0)


cdef uint32_t waiting_cost(const Viability* v, const Machine* m, uint32_t row, uint32_t symbol) noexcept nogil:
    """The least cost of what follows `symbol` in `row`."""
    cdef uint32_t count, lo, hi, mid, cost
    cdef uint32_t best = FAR
    cdef const Item* items = row_items(&m.rows, row, &count)
    lo = 0
    hi = count
    while lo < hi:
        mid = (lo + hi) >> 1
        if items[mid].symbol < symbol:
            lo = mid + 1
        else:
            hi = mid
    while lo < count and items[lo].symbol == symbol:
        cost = add(v.rest.data[items[lo].position + 1], v.link_costs.data[items[lo].link])
        if cost < best:
            best = cost
        lo += 1
    return best


cdef int measure_links(Viability* v, const Machine* m) noexcept nogil:
    """Extend link_costs to all links. A link's costs rest on earlier links and on others of its own row."""
    cdef uint32_t first = <uint32_t>v.link_costs.len
    cdef uint32_t count = intern_count(&m.rows.links)
    cdef uint32_t link, last, cost
    cdef const uint32_t* words
    cdef bint changed
    if measure_instances(v, m) < 0:
        return NO_MEMORY
    if first == count:
        return OK
    for link in range(first, count):
        if vec_push(&v.link_costs, 0 if link == ROOT else FAR) < 0:
            return NO_MEMORY
    if first == ROOT:
        first = ROOT + 1
    while first < count:
        last = first
        while last < count and intern_get(&m.rows.links, last)[0] == intern_get(&m.rows.links, first)[0]:
            last += 1
        changed = True
        while changed:
            changed = False
            for link in range(first, last):
                words = intern_get(&m.rows.links, link)
                cost = waiting_cost(v, m, words[0], NONTERMINAL | words[1])
                if cost < v.link_costs.data[link]:
                    v.link_costs.data[link] = cost
                    changed = True
        first = last
    return OK


cdef int estimate(Viability* v, Machine* m, const Config* config, uint32_t* cost) noexcept nogil:
    """A lower bound of the length of a completion, but for what the lexer forbids."""
    cdef uint32_t number = config.state >> 8
    cdef uint32_t i, length
    cost[0] = FAR
    if measure_links(v, m) < 0:
        return NO_MEMORY
    for i in range(1, intern_len(&m.dfa.states, number), 2):
        if shortest_text(v, m.nodes, intern_get(&m.dfa.states, number)[i + 1], &length) < 0:
            return NO_MEMORY
        length = add(length, waiting_cost(v, m, config.row, intern_get(&m.dfa.states, number)[i]))
        if length < cost[0]:
            cost[0] = length
    return OK


cdef int heap_push(Vec* heap, uint32_t cost, uint32_t entry) noexcept nogil:
    cdef size_t at = heap.len >> 1
    cdef size_t above
    if vec_push(heap, cost) < 0 or vec_push(heap, entry) < 0:
        return NO_MEMORY
    while at > 0:
        above = (at - 1) >> 1
        if heap.data[2 * above] <= cost:
            break
        heap.data[2 * at] = heap.data[2 * above]
        heap.data[2 * at + 1] = heap.data[2 * above + 1]
        at = above
    heap.data[2 * at] = cost
    heap.data[2 * at + 1] = entry
    return OK


cdef uint32_t heap_pop(Vec* heap) noexcept nogil:
    cdef uint32_t top = heap.data[1]
    cdef size_t count = (heap.len >> 1) - 1
    cdef uint32_t cost = heap.data[2 * count]
    cdef uint32_t entry = heap.data[2 * count + 1]
    cdef size_t at = 0
    cdef size_t below
    heap.len -= 2
    while True:
        below = 2 * at + 1
        if below >= count:
            break
        if below + 1 < count and heap.data[2 * below + 2] < heap.data[2 * below]:
            below += 1
        if heap.data[2 * below] >= cost:
            break
        heap.data[2 * at] = heap.data[2 * below]
        heap.data[2 * at + 1] = heap.data[2 * below + 1]
        at = below
    if count:
        heap.data[2 * at] = cost
        heap.data[2 * at + 1] = entry
    return top


cdef int enqueue(Viability* v, Machine* m, const Config* config, uint32_t source) noexcept nogil:
    """Put a configuration on the search's queue: 1 if it is known to be completed, 0, or a status."""
    cdef uint64_t key = <uint64_t>config.row << 32 | config.state
    cdef uint32_t known = map_get(&v.known, key)
    cdef uint32_t cost
    cdef int status
    if known <= 1:
        # decided, or 0 because it is on the queue already
        return known
    status = machine_accepting(m, config)
    if status < 0:
        return status
    if status > 0:
        return NO_MEMORY if map_put(&v.known, key, 1) < 0 else 1
    status = estimate(v, m, config, &cost)
    if status < 0:
        return status
    if v.queue.len // QUEUE_WORDS >= v.max_search:
        return LIMIT_EMPTINESS
    if map_put(&v.known, key, 0) < 0 or heap_push(&v.heap, cost, <uint32_t>(v.queue.len // QUEUE_WORDS)) < 0:
        return NO_MEMORY
    if vec_push(&v.queue, config.row) < 0 or vec_push(&v.queue, config.state) < 0 or vec_push(&v.queue, source) < 0:
        return NO_MEMORY
    return 0


cdef inline Config queued(const Viability* v, uint32_t entry) noexcept nogil:
    cdef Config config
    config.row = v.queue.data[entry * QUEUE_WORDS]
    config.state = v.queue.data[entry * QUEUE_WORDS + 1]
    return config


cdef int search(Viability* v, Machine* m, const Config* config) noexcept nogil:
    """Whether `config` can be completed; while it runs, `known` holds 0 for what is on the queue."""
    cdef Config here, there
    cdef uint32_t entry, byte
    cdef size_t i
    cdef int status
    v.queue.len = 0
    v.heap.len = 0
    status = enqueue(v, m, config, 0)
    entry = 0
    while status == 0 and v.heap.len:
        entry = heap_pop(&v.heap)
        here = queued(v, entry)
        for byte in range(256):
            there = here
            status = machine_move(m, &there, byte)
            if status > 0:
                status = enqueue(v, m, &there, entry)
            if status != 0:
                break
    if status == 0:
        # everything reachable was seen, nothing of it is a sentence: all of it is known not to be viable
        return 0
    for i in range(v.queue.len // QUEUE_WORDS):
        here = queued(v, <uint32_t>i)
        map_put(&v.known, <uint64_t>here.row << 32 | here.state, UNDECIDED)
    if status < 0 or v.queue.len == 0:
        return status
    while True:
        here = queued(v, entry)
        map_put(&v.known, <uint64_t>here.row << 32 | here.state, 1)
        if entry == 0:
            return 1
        entry = v.queue.data[entry * QUEUE_WORDS + 2]


cdef int viable(Viability* v, Machine* m, const Config* config) noexcept nogil:
    cdef uint32_t known
    if not v.enabled:
        return 1
    known = map_get(&v.known, <uint64_t>config.row << 32 | config.state)
    return search(v, m, config) if known > 1 else <int>known


cdef int step(Viability* v, Machine* m, Config* config, uint32_t byte) noexcept nogil:
    cdef Config moved = config[0]
    cdef int status = machine_move(m, &moved, byte)
    if status > 0:
        status = viable(v, m, &moved)
        if status > 0:
            config[0] = moved
    return status


cdef int distance(Viability* v, Machine* m, const Config* config, uint32_t* length) noexcept nogil:
    cdef int status = machine_accepting(m, config)
    length[0] = 0
    if status != 0:
        return status
    if v.rest.len == 0 and measure_rules(v, m) < 0:
        return NO_MEMORY
    return estimate(v, m, config, length)


cdef int next_bytes(Viability* v, Machine* m, const Config* config, uint32_t* bits) noexcept nogil:
    cdef Config moved
    cdef uint32_t byte
    cdef int count = 0
    cdef int status
    for byte in range(8):
        bits[byte] = 0
    for byte in range(256):
        moved = config[0]
        status = step(v, m, &moved, byte)
        if status < 0:
            return status
        if status:
            bits[byte >> 5] |= <uint32_t>1 << (byte & 31)
            count += 1
    return count
