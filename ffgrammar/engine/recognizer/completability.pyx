"""A best-first search for any sentence, guided by how short the rest would be if the lexing rule never got in the way. The
verdict of a search is kept for all configurations on its way, so along a text most searches take a step or two.

The guide is an estimate, in bytes, made of three parts: what a lexer state's lexeme still needs, what follows a dot position in
its production (`rest`), and what follows the completion of that production (`link_costs`, by the item's link).
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.heap cimport heap_pop, heap_push
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.map cimport map_clear, map_get, map_put, map_set
from ffgrammar.core.owner cimport own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport LIMIT_CACHE, LIMIT_EMPTINESS, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_push
from ffgrammar.engine.recognizer.recognizer cimport config_key, recognizer_accepting, recognizer_move, recognizer_token, parser_row
from ffgrammar.engine.parser.earley cimport ROOT, Item, row_accepting, row_items, row_waiting
from ffgrammar.engine.parser.links cimport link_count, link_pair
from ffgrammar.engine.parser.tables cimport (
    END, I_BITS, I_HEAD, NONE, NONTERMINAL, NUMBER, T_AGAIN, T_BIT, T_BODY, T_LENGTH, T_NEED, Rules, TokenClass, find_class,
    token_class,
)
from ffgrammar.engine.recognizer.neighbours cimport (
    leads_on, neighbours_bytes, neighbours_clear, neighbours_find, neighbours_free, neighbours_init,
)
from ffgrammar.engine.recognizer.separator cimport (
    is_safe, separator_bytes, separator_clear, separator_free, separator_init,
)
from ffgrammar.engine.values.trace cimport TraceMark, trace_mark, trace_release
from ffgrammar.regex.expr.nodes cimport FAR, NOTHING, add_lengths, min_remaining

cdef enum:
    MAX_ROUNDS = 20  # for estimates that get sharper with each round
    MANY = 64        # configurations on the queue: a search that is longer asks the neighbours
    QUEUE_WORDS = 3
    # in `known`: a search has met the configuration, and ended before it was decided
    UNDECIDED = 2
    # the length of a nonterminal that has none yet
    NO_LENGTH = 0xFFFFFFFF


cdef int completability_init(Completability* v, Recognizer* m, bint enabled, bint assured) noexcept nogil:
    v.enabled = enabled
    v.assured = assured
    v.max_search = 0xFFFFFFFF
    v.max_bytes = <size_t>-1
    v.kept_rest = 0
    owner_init(&v.owner)
    own_map(&v.owner, &v.known)
    own_vec(&v.owner, &v.rest)
    own_vec(&v.owner, &v.lengths)
    own_vec(&v.owner, &v.instances)
    own_vec(&v.owner, &v.link_costs)
    own_vec(&v.owner, &v.queue)
    own_vec(&v.owner, &v.heap)
    if neighbours_init(&v.neighbours) < 0 or owner_status(&v.owner) < 0 or separator_init(&v.separator, m.nodes) < 0:
        return NO_MEMORY
    return measure_rules(v, m) if enabled and not assured else OK


cdef void completability_free(Completability* v) noexcept nogil:
    owner_free(&v.owner)
    separator_free(&v.separator)
    neighbours_free(&v.neighbours)


cdef void completability_clear(Completability* v) noexcept nogil:
    map_clear(&v.known)
    separator_clear(&v.separator)
    neighbours_clear(&v.neighbours)
    v.link_costs.len = 0
    # the productions of instances are forgotten with the rows
    if v.rest.len > v.kept_rest:
        v.rest.len = v.kept_rest


cdef size_t completability_bytes(const Completability* v) noexcept nogil:
    return owner_bytes(&v.owner) + separator_bytes(&v.separator) + neighbours_bytes(&v.neighbours)


cdef int measure_rules(Completability* v, Recognizer* m) noexcept nogil:
    """Fill `rest`, `lengths` and `instances`. Plain nonterminals and instances contain each other, so each round takes one more
    level of nesting into account. Returns a status."""
    cdef uint32_t number, length
    cdef bint changed = True
    cdef int rounds = 0
    if vec_fill(&v.instances, m.rules.kept_instances, 0) < 0:
        return NO_MEMORY
    while changed and rounds < MAX_ROUNDS:
        rounds += 1
        changed = False
        v.rest.len = v.lengths.len = 0
        if measure_plain(v, m) < 0:
            return NO_MEMORY
        for number in range(m.rules.kept_instances):
            length = instance_length(v, m, number)
            changed |= length != v.instances.data[number]
            v.instances.data[number] = length
    return OK


cdef struct Shortest:
    # Tables for finding the shortest texts. They lie one after another in `queue`.
    uint32_t* lengths  # per nonterminal: the length of its shortest text, or NO_LENGTH
    uint32_t* first    # per nonterminal, and one more: where in `uses` the productions that contain it begin
    uint32_t* missing  # per production: how many of its nonterminals have no length yet
    uint32_t* total    # per production: the length of its other symbols together
    uint32_t* uses     # productions, one entry for each nonterminal in their bodies


cdef int lay_out_shortest(Completability* v, const Rules* rules, Shortest* t) noexcept nogil:
    """Make room for the tables. Only instances have lengths yet. Returns a status."""
    cdef size_t nonterminals = rules.plain + rules.kept_instances
    cdef size_t productions = rules.kept_bodies
    cdef size_t at
    v.queue.len = 0
    if vec_fill(&v.queue, nonterminals, 0xFF) < 0:
        return NO_MEMORY
    if vec_fill(&v.queue, nonterminals + 1 + 2 * productions + rules.kept_symbols, 0) < 0:
        return NO_MEMORY
    t.lengths = v.queue.data
    t.first = t.lengths + nonterminals
    t.missing = t.first + nonterminals + 1
    t.total = t.missing + productions
    t.uses = t.total + productions
    for at in range(rules.plain, nonterminals):
        t.lengths[at] = v.instances.data[at - rules.plain]
    return OK


cdef inline bint is_inner(uint32_t symbol) noexcept nogil:
    """Whether the symbol of a dot position is a nonterminal of the body."""
    return symbol & NONTERMINAL and not symbol & END


cdef int count_symbols(Completability* v, const Recognizer* m, Shortest* t) noexcept nogil:
    """Fill `first`, `uses`, `missing` and `total`. Productions without plain nonterminals in their bodies go on the heap.
    Returns a status."""
    cdef const Rules* rules = m.rules
    cdef size_t nonterminals = rules.plain + rules.kept_instances
    cdef size_t at
    cdef uint32_t symbol, production
    for at in range(rules.kept_symbols):
        if is_inner(rules.symbols.data[at]):
            t.first[rules.symbols.data[at] & NUMBER] += 1
    for at in range(nonterminals):
        t.first[at + 1] += t.first[at]
    for production in range(rules.kept_bodies):
        at = rules.bodies.data[production]
        while not rules.symbols.data[at] & END:
            symbol = rules.symbols.data[at]
            if symbol & NONTERMINAL:
                t.first[symbol & NUMBER] -= 1
                t.uses[t.first[symbol & NUMBER]] = production
                if symbol & NUMBER < rules.plain:
                    t.missing[production] += 1
                else:
                    t.total[production] = add_lengths(t.total[production], t.lengths[symbol & NUMBER])
            else:
                t.total[production] = add_lengths(t.total[production], lexeme_length(m, symbol))
            at += 1
        if t.missing[production] == 0 and heap_push(&v.heap, t.total[production], production) < 0:
            return NO_MEMORY
    return OK


cdef int settle_lengths(Completability* v, const Rules* rules, Shortest* t) noexcept nogil:
    """Fill `lengths`: take productions off the heap, the shortest first. So each production is looked at once (Knuth 1977).
    Returns a status."""
    cdef size_t at
    cdef uint32_t production, use, number
    while v.heap.len:
        production = heap_pop(&v.heap)
        at = rules.bodies.data[production]
        while not rules.symbols.data[at] & END:
            at += 1
        number = rules.symbols.data[at] & NUMBER
        if t.lengths[number] != <uint32_t>NO_LENGTH:
            continue
        t.lengths[number] = t.total[production]
        for use in range(t.first[number], t.first[number + 1]):
            production = t.uses[use]
            t.total[production] = add_lengths(t.total[production], t.lengths[number])
            t.missing[production] -= 1
            if t.missing[production] == 0 and heap_push(&v.heap, t.total[production], production) < 0:
                return NO_MEMORY
    return OK


cdef int measure_plain(Completability* v, Recognizer* m) noexcept nogil:
    """Fill `lengths` with the length of the shortest text of each plain nonterminal, and `rest` with the length of what follows
    each dot position. Both rely on the estimates in `instances`. Returns a status."""
    cdef const Rules* rules = m.rules
    cdef size_t at = rules.kept_symbols
    cdef uint32_t symbol, length
    cdef Shortest tables
    v.heap.len = 0
    if vec_fill(&v.rest, at, 0) < 0 or lay_out_shortest(v, rules, &tables) < 0:
        return NO_MEMORY
    if count_symbols(v, m, &tables) < 0 or settle_lengths(v, rules, &tables) < 0:
        return NO_MEMORY
    while at > 0:
        at -= 1
        symbol = rules.symbols.data[at]
        if symbol & END:
            continue
        length = tables.lengths[symbol & NUMBER] if symbol & NONTERMINAL else lexeme_length(m, symbol)
        v.rest.data[at] = add_lengths(length, v.rest.data[at + 1])
    v.kept_rest = rules.kept_symbols
    if vec_extend(&v.lengths, tables.lengths, rules.plain) < 0:
        return NO_MEMORY
    vec_free(&v.queue)
    return OK


cdef inline uint32_t lexeme_length(const Recognizer* m, uint32_t lexeme) noexcept nogil:
    """The length of the shortest text of a lexeme. A special token counts as one byte."""
    cdef uint32_t expr = m.rules.exprs.data[lexeme]
    return 1 if expr == NOTHING else m.nodes.shortest.data[expr]


cdef uint32_t symbol_length(const Completability* v, const Recognizer* m, uint32_t symbol) noexcept nogil:
    """An estimate of the least length of a symbol's texts."""
    cdef const Rules* rules = m.rules
    if not symbol & NONTERMINAL:
        return lexeme_length(m, symbol)
    symbol &= NUMBER
    if symbol < rules.plain:
        return v.lengths.data[symbol]
    symbol -= rules.plain
    return v.instances.data[symbol] if symbol < v.instances.len else instance_length(v, m, symbol)


cdef uint32_t instance_length(const Completability* v, const Recognizer* m, uint32_t number) noexcept nogil:
    """An estimate of the least length of an instance's texts. Before the instance can end, all bits that its end needs must be
    set. The estimate is the length of the bodies of the templates that set the missing bits."""
    cdef const Rules* rules = m.rules
    cdef const uint32_t* instance = intern_get(&rules.instances, number)
    cdef const uint32_t* need = NULL
    cdef const uint32_t* template
    cdef uint32_t first = rules.template_starts.data[instance[I_HEAD]]
    cdef uint32_t last = rules.template_starts.data[instance[I_HEAD] + 1]
    cdef uint32_t length = 0
    cdef uint32_t k, i, bit
    for k in range(first, last):
        template = rules.templates.data + rules.template_list.data[k]
        if template[T_AGAIN] == <uint32_t>NONE and template[T_NEED] != <uint32_t>NONE:
            need = rules.templates.data + template[T_NEED]
    if need == NULL:
        return 0
    for k in range(first, last):
        template = rules.templates.data + rules.template_list.data[k]
        bit = template[T_BIT]
        if bit == <uint32_t>NONE or not bit_test(need, bit) or bit_test(instance + I_BITS, bit):
            continue
        for i in range(template[T_LENGTH]):
            # (the symbol is plain, or an instance that plain productions name, so there is no deeper recursion)
            length = add_lengths(length, symbol_length(v, m, template[T_BODY + i]))
    return length


cdef int measure_instances(Completability* v, const Recognizer* m) noexcept nogil:
    """Extend `rest` to the productions of instances that it does not have yet. Returns OK or NO_MEMORY."""
    cdef size_t known = v.rest.len
    cdef size_t at = m.rules.symbols.len
    if vec_fill(&v.rest, at - known, 0) < 0:
        return NO_MEMORY
    while at > known:
        at -= 1
        if not m.rules.symbols.data[at] & END:
            v.rest.data[at] = add_lengths(symbol_length(v, m, m.rules.symbols.data[at]), v.rest.data[at + 1])
    return OK


cdef uint32_t waiting_cost(const Completability* v, const Recognizer* m, uint32_t row, uint32_t symbol) noexcept nogil:
    """An estimate of the least length of what follows `symbol` in `row`."""
    cdef uint32_t count, i, cost
    cdef uint32_t best = FAR
    cdef const Item* items = row_waiting(&m.rows, row, symbol, &count)
    for i in range(count):
        cost = add_lengths(v.rest.data[items[i].position + 1], v.link_costs.data[items[i].link])
        if cost < best:
            best = cost
    return best


cdef uint32_t row_cost(const Completability* v, const Recognizer* m, uint32_t row) noexcept nogil:
    """An estimate of the least length of what follows a row. This is what still has to come after a skip lexeme, because a skip
    leaves the row as it is. (No item waits for a skip, so waiting_cost would give FAR. A search would then rather nest deeper
    and deeper than put in the space that keeps two lexemes apart.)"""
    cdef uint32_t count, i, cost
    cdef uint32_t best = 0 if row_accepting(&m.rows, row) else FAR
    cdef const Item* items = row_items(&m.rows, row, &count)
    for i in range(count):
        cost = add_lengths(v.rest.data[items[i].position], v.link_costs.data[items[i].link])
        if cost < best:
            best = cost
    return best


cdef int measure_links(Completability* v, const Recognizer* m) noexcept nogil:
    """Extend `link_costs` to all links. The cost of a link depends on earlier links and on other links of its own row. Returns
    a status."""
    cdef uint32_t first = <uint32_t>v.link_costs.len
    cdef uint32_t count = link_count(&m.rows.links)
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
        while last < count and link_pair(&m.rows.links, last)[0] == link_pair(&m.rows.links, first)[0]:
            last += 1
        # one or two rounds are usual; more would only sharpen the estimate
        for _ in range(MAX_ROUNDS):
            changed = False
            for link in range(first, last):
                words = link_pair(&m.rows.links, link)
                cost = waiting_cost(v, m, words[0], NONTERMINAL | words[1])
                if cost < v.link_costs.data[link]:
                    v.link_costs.data[link] = cost
                    changed = True
            if not changed:
                break
        first = last
    return OK


cdef int note_nearest(Vec* nearest, uint32_t expr, uint32_t length, uint32_t* least) noexcept nogil:
    """Add an expression to those with the least length, if its length is not greater. Returns OK or NO_MEMORY."""
    if nearest == NULL or length > least[0]:
        return OK
    if length < least[0]:
        least[0] = length
        nearest.len = 0
    return NO_MEMORY if vec_push(nearest, expr) < 0 else OK


cdef int estimate(Completability* v, Recognizer* m, const Config* config, uint32_t* cost, Vec* nearest) noexcept nogil:
    """Estimate the length of a completion, as if the lexing rule never got in the way, and write it to `cost`. Write the
    expressions with which such a completion goes on to `nearest`, unless it is NULL; none where a special token comes next. No
    skip lexeme begins such a completion. Returns a status."""
    cdef uint32_t number = config.state >> 8
    cdef uint32_t row = parser_row(m, config.row)
    cdef const Item* items
    cdef const uint32_t* pairs = intern_get(&m.dfa.states, number)
    cdef uint32_t count, i, length, lexeme
    cdef uint32_t least = FAR
    cdef bint skips
    cost[0] = FAR
    if measure_links(v, m) < 0:
        return NO_MEMORY
    for i in range(1, intern_len(&m.dfa.states, number), 2):
        length = min_remaining(m.nodes, pairs[i + 1])
        lexeme = pairs[i]
        # (a lexeme with a slot is never a skip)
        skips = lexeme < m.rules.is_skip.len and m.rules.is_skip.data[lexeme]
        length = add_lengths(length, row_cost(v, m, row) if skips else waiting_cost(v, m, row, lexeme))
        if not (skips and pairs[0]) and note_nearest(nearest, pairs[i + 1], length, &least) < 0:
            return NO_MEMORY
        if length < cost[0]:
            cost[0] = length
    if m.rules.token_classes.len and pairs[0]:
        # (the state does not have the special tokens that the row waits for)
        items = row_items(&m.rows, row, &count)
        for i in range(count):
            if items[i].symbol >= m.rules.exprs.len:
                break
            if m.rules.exprs.data[items[i].symbol] == NOTHING:
                length = add_lengths(1, waiting_cost(v, m, row, items[i].symbol))
                cost[0] = min(cost[0], length)
                if nearest != NULL and length < least:
                    nearest.len = 0
    return OK


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
    status = estimate(v, m, config, &cost, NULL)
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
        status = pulse(&m.nodes.pulse, 512)
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
    if v.rest.len == 0 and measure_rules(v, m) < 0:
        return NO_MEMORY
    return estimate(v, m, config, length, nearest)


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
