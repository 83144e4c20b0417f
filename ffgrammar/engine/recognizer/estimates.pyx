"""How many bytes a sentence still needs. There are three parts: what a lexer state's lexeme still needs, what follows a dot
position in its production (`rest`), and what follows the completion of that production (`link_costs`, by the item's link).
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.heap cimport heap_pop, heap_push
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.owner cimport own_vec
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_push
from ffgrammar.engine.parser.links cimport link_count, link_pair
from ffgrammar.engine.parser.rows cimport ROOT, Item, row_accepting, row_items, row_waiting
from ffgrammar.engine.parser.tables cimport END, NONE, NONTERMINAL, NUMBER, Rules
from ffgrammar.engine.recognizer.instance_lengths cimport (
    instance_length, lexeme_length, measure_families, measure_instances,
)
from ffgrammar.engine.recognizer.recognizer cimport parser_row
from ffgrammar.regex.expr.nodes cimport FAR, NOTHING, add_lengths, min_remaining

cdef enum:
    MAX_ROUNDS = 20  # for estimates that get sharper with each round
    # the length of a nonterminal that has none yet
    NO_LENGTH = 0xFFFFFFFF


cdef void estimates_init(Estimates* e, Owner* owner) noexcept nogil:
    e.kept_rest = e.kept_instances = 0
    own_vec(owner, &e.rest)
    own_vec(owner, &e.lengths)
    own_vec(owner, &e.instances)
    own_vec(owner, &e.lacking)
    own_vec(owner, &e.families)
    own_vec(owner, &e.needs)
    own_vec(owner, &e.link_costs)
    own_vec(owner, &e.tables)
    own_vec(owner, &e.heap)


cdef void estimates_clear(Estimates* e) noexcept nogil:
    e.link_costs.len = 0
    # the productions of instances are forgotten with the rows
    if e.rest.len > e.kept_rest:
        e.rest.len = e.kept_rest
    if e.instances.len > e.kept_instances:
        e.instances.len = e.lacking.len = e.kept_instances


cdef int estimates_measure(Estimates* e, Recognizer* m) noexcept nogil:
    # Plain nonterminals and instances contain each other, so each round takes one more level of nesting into account.
    cdef uint32_t number, length
    cdef bint changed = True
    cdef int rounds = 0
    e.kept_instances = m.rules.kept_instances
    if vec_fill(&e.instances, e.kept_instances, 0) < 0 or vec_fill(&e.lacking, e.kept_instances, 0) < 0:
        return NO_MEMORY
    while changed and rounds < MAX_ROUNDS:
        rounds += 1
        changed = False
        e.rest.len = e.lengths.len = 0
        if measure_plain(e, m) < 0 or measure_families(e, m) < 0:
            return NO_MEMORY
        for number in range(m.rules.kept_instances):
            length = instance_length(e, m, number, &e.lacking.data[number])
            changed |= length != e.instances.data[number]
            e.instances.data[number] = length
    return OK


cdef struct Shortest:
    # Tables for finding the shortest texts. They lie one after another in `tables` of the estimates.
    uint32_t* lengths  # per nonterminal: the length of its shortest text, or NO_LENGTH
    uint32_t* first    # per nonterminal, and one more: where in `uses` the productions that contain it begin
    uint32_t* missing  # per production: how many of its nonterminals have no length yet
    uint32_t* total    # per production: the length of its other symbols together
    uint32_t* uses     # productions, one entry for each nonterminal in their bodies


cdef int lay_out_shortest(Estimates* e, const Rules* rules, Shortest* t) noexcept nogil:
    """Make room for the tables. Only instances have lengths yet. Returns a status."""
    cdef size_t nonterminals = rules.plain + rules.kept_instances
    cdef size_t productions = rules.kept_bodies
    cdef size_t at
    e.tables.len = 0
    if vec_fill(&e.tables, nonterminals, 0xFF) < 0:
        return NO_MEMORY
    if vec_fill(&e.tables, nonterminals + 1 + 2 * productions + rules.kept_symbols, 0) < 0:
        return NO_MEMORY
    t.lengths = e.tables.data
    t.first = t.lengths + nonterminals
    t.missing = t.first + nonterminals + 1
    t.total = t.missing + productions
    t.uses = t.total + productions
    for at in range(rules.plain, nonterminals):
        t.lengths[at] = e.instances.data[at - rules.plain]
    return OK


cdef inline bint is_inner(uint32_t symbol) noexcept nogil:
    """Whether the symbol of a dot position is a nonterminal of the body."""
    return symbol & NONTERMINAL and not symbol & END


cdef int count_symbols(Estimates* e, const Recognizer* m, Shortest* t) noexcept nogil:
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
        if t.missing[production] == 0 and heap_push(&e.heap, t.total[production], production) < 0:
            return NO_MEMORY
    return OK


cdef int settle_lengths(Estimates* e, const Rules* rules, Shortest* t) noexcept nogil:
    """Fill `lengths`: take productions off the heap, the shortest first. So each production is looked at once (Knuth 1977).
    Returns a status."""
    cdef size_t at
    cdef uint32_t production, use, number
    while e.heap.len:
        production = heap_pop(&e.heap)
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
            if t.missing[production] == 0 and heap_push(&e.heap, t.total[production], production) < 0:
                return NO_MEMORY
    return OK


cdef int measure_plain(Estimates* e, Recognizer* m) noexcept nogil:
    """Fill `lengths` with the length of the shortest text of each plain nonterminal, and `rest` with the length of what follows
    each dot position. Both rely on the estimates in `instances`. Returns a status."""
    cdef const Rules* rules = m.rules
    cdef size_t at = rules.kept_symbols
    cdef uint32_t symbol, length
    cdef Shortest tables
    e.heap.len = 0
    if vec_fill(&e.rest, at, 0) < 0 or lay_out_shortest(e, rules, &tables) < 0:
        return NO_MEMORY
    if count_symbols(e, m, &tables) < 0 or settle_lengths(e, rules, &tables) < 0:
        return NO_MEMORY
    while at > 0:
        at -= 1
        symbol = rules.symbols.data[at]
        if symbol & END:
            continue
        length = tables.lengths[symbol & NUMBER] if symbol & NONTERMINAL else lexeme_length(m, symbol)
        e.rest.data[at] = add_lengths(length, e.rest.data[at + 1])
    e.kept_rest = rules.kept_symbols
    if vec_extend(&e.lengths, tables.lengths, rules.plain) < 0:
        return NO_MEMORY
    vec_free(&e.tables)
    return OK


cdef uint32_t waiting_cost(const Estimates* e, const Recognizer* m, uint32_t row, uint32_t symbol) noexcept nogil:
    """An estimate of the least length of what follows `symbol` in `row`."""
    cdef uint32_t count, i, cost
    cdef uint32_t best = FAR
    cdef const Item* items = row_waiting(&m.rows, row, symbol, &count)
    for i in range(count):
        cost = add_lengths(e.rest.data[items[i].position + 1], e.link_costs.data[items[i].link])
        if cost < best:
            best = cost
    return best


cdef uint32_t row_cost(const Estimates* e, const Recognizer* m, uint32_t row) noexcept nogil:
    """An estimate of the least length of what follows a row: that of one of the lexemes that may come next. This is what still
    has to come after a skip lexeme, because a skip leaves the row as it is. (No item waits for a skip, so waiting_cost would give
    FAR. A search would then rather nest deeper and deeper than put in the space that keeps two lexemes apart.)"""
    cdef uint32_t count, i, cost
    cdef uint32_t best = 0 if row_accepting(&m.rows, row) else FAR
    cdef const Item* items = row_items(&m.rows, row, &count)
    for i in range(count):
        if items[i].symbol & NONTERMINAL:
            # (each of its productions has an item, whose estimate is no smaller)
            break
        cost = add_lengths(e.rest.data[items[i].position], e.link_costs.data[items[i].link])
        if cost < best:
            best = cost
    return best


cdef int measure_links(Estimates* e, const Recognizer* m) noexcept nogil:
    """Extend `link_costs` to all links. The cost of a link depends on earlier links and on other links of its own row. Returns
    a status."""
    cdef uint32_t first = <uint32_t>e.link_costs.len
    cdef uint32_t count = link_count(&m.rows.links)
    cdef uint32_t link, last, cost
    cdef const uint32_t* words
    cdef bint changed
    if measure_instances(e, m) < 0:
        return NO_MEMORY
    if first == count:
        return OK
    for link in range(first, count):
        if vec_push(&e.link_costs, 0 if link == ROOT else FAR) < 0:
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
                cost = waiting_cost(e, m, words[0], NONTERMINAL | words[1])
                if cost < e.link_costs.data[link]:
                    e.link_costs.data[link] = cost
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


cdef uint32_t beside_length(const Recognizer* m, const uint32_t* pairs, uint32_t count, uint32_t lexeme) noexcept nogil:
    """What the lexeme beside which another one is read (ir.Template.beside) still needs; 0 if there is none."""
    cdef uint32_t i
    if lexeme < m.rules.beside.len and m.rules.beside.data[lexeme] != <uint32_t>NONE:
        for i in range(1, count, 2):
            if pairs[i] == m.rules.beside.data[lexeme]:
                return min_remaining(m.nodes, pairs[i + 1])
    return 0


cdef int estimate(Estimates* e, Recognizer* m, const Config* config, uint32_t* cost, Vec* nearest) noexcept nogil:
    cdef uint32_t number = config.state >> 8
    cdef uint32_t row = parser_row(m, config.row)
    cdef const Item* items
    cdef const uint32_t* pairs = intern_get(&m.dfa.states, number)
    cdef uint32_t count, i, length, lexeme
    cdef uint32_t least = FAR
    cdef bint skips
    cost[0] = FAR
    if measure_links(e, m) < 0:
        return NO_MEMORY
    for i in range(1, intern_len(&m.dfa.states, number), 2):
        lexeme = pairs[i]
        length = max(min_remaining(m.nodes, pairs[i + 1]), beside_length(m, pairs, intern_len(&m.dfa.states, number), lexeme))
        # (a lexeme with a slot is never a skip)
        skips = lexeme < m.rules.is_skip.len and m.rules.is_skip.data[lexeme]
        length = add_lengths(length, row_cost(e, m, row) if skips else waiting_cost(e, m, row, lexeme))
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
                length = add_lengths(1, waiting_cost(e, m, row, items[i].symbol))
                cost[0] = min(cost[0], length)
                if nearest != NULL and length < least:
                    nearest.len = 0
    return OK
