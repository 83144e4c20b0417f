"""What may follow a link is a least fixed point over the links of its row: the lexemes after which an item that waits for it leads
on. The rest of a production is walked from its end, with the pairs that neighbour_tables.pyx has found for each nonterminal.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.owner cimport own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY
from ffgrammar.core.vec cimport vec_fill
from ffgrammar.engine.parser.links cimport link_count, link_pair
from ffgrammar.engine.parser.rows cimport ROOT, Item, row_accepting, row_items, row_waiting
from ffgrammar.engine.parser.tables cimport END, NONTERMINAL, NUMBER, Rules


cdef int neighbours_init(Neighbours* n) noexcept nogil:
    n.tried = n.found = False
    n.lexemes = n.words = 0
    n.work = 0
    owner_init(&n.owner)
    own_vec(&n.owner, &n.before)
    own_vec(&n.owner, &n.ends)
    own_vec(&n.owner, &n.good)
    own_vec(&n.owner, &n.sets)
    own_vec(&n.owner, &n.scratch)
    return owner_status(&n.owner)


cdef void neighbours_free(Neighbours* n) noexcept nogil:
    owner_free(&n.owner)


cdef void neighbours_clear(Neighbours* n) noexcept nogil:
    n.good.len = 0
    n.work = 0


cdef size_t neighbours_bytes(const Neighbours* n) noexcept nogil:
    return owner_bytes(&n.owner)


cdef void reach_back(Neighbours* n, const Rules* rules, uint32_t symbol, uint32_t* set) noexcept nogil:
    """`set` has lexemes after which something is possible. Overwrite it with those after which a text of a symbol may come that
    ends with one of them."""
    cdef uint32_t words = n.words
    cdef uint32_t* result = n.scratch.data
    cdef uint32_t lexeme, number
    memset(result, 0, words * sizeof(uint32_t))
    if not symbol & NONTERMINAL:
        if bit_test(set, symbol):
            memcpy(result, n.before.data + symbol * words, words * sizeof(uint32_t))
    else:
        number = symbol & NUMBER
        if rules.nullable.data[number]:
            memcpy(result, set, words * sizeof(uint32_t))
        for lexeme in range(n.lexemes):
            if meet(ends_of(n, rules, number, lexeme), set, words):
                add_set(result, n.before.data + lexeme * words, words)
    n.work += 2 * n.lexemes * words
    memcpy(set, result, words * sizeof(uint32_t))


cdef void before_rest(Neighbours* n, const Rules* rules, uint32_t at, uint32_t link, uint32_t* set) noexcept nogil:
    """Write to `set` the lexemes after which the rest of a production may come, from a dot position on, and then what may follow a
    link."""
    cdef uint32_t last = at
    memcpy(set, n.good.data + <size_t>link * n.words, n.words * sizeof(uint32_t))
    while not rules.symbols.data[last] & END:
        last += 1
    while last > at:
        last -= 1
        reach_back(n, rules, rules.symbols.data[last], set)


cdef bint find_good(Neighbours* n, Recognizer* m, uint32_t link, uint32_t* set) noexcept nogil:
    """Add to a link the lexemes after which an item that waits for it leads on. Returns whether there are new ones."""
    cdef const uint32_t* words = link_pair(&m.rows.links, link)
    cdef uint32_t* known = n.good.data + <size_t>link * n.words
    cdef uint32_t count, i, k
    cdef bint changed = False
    cdef const Item* items = row_waiting(&m.rows, words[0], NONTERMINAL | words[1], &count)
    for i in range(count):
        before_rest(n, m.rules, items[i].position + 1, items[i].link, set)
        for k in range(n.words):
            changed |= set[k] & ~known[k] != 0
            known[k] |= set[k]
    return changed


cdef int measure_links(Neighbours* n, Recognizer* m, uint32_t* set) noexcept nogil:
    """Extend `good` to all links. What follows a link depends on earlier links and on other links of its own row. Returns 1; 0 if
    that takes too long; or NO_MEMORY."""
    cdef uint32_t first = <uint32_t>(n.good.len // n.words)
    cdef uint32_t count = link_count(&m.rows.links)
    cdef uint32_t link, last
    cdef bint changed
    if vec_fill(&n.good, <size_t>(count - first) * n.words, 0) < 0:
        return NO_MEMORY
    if first == ROOT and count:
        memset(n.good.data, 0xFF, n.words * sizeof(uint32_t))
        first += 1
    while first < count:
        last = first
        while last < count and link_pair(&m.rows.links, last)[0] == link_pair(&m.rows.links, first)[0]:
            last += 1
        changed = True
        while changed:
            changed = False
            for link in range(first, last):
                changed |= find_good(n, m, link, set)
                if n.work > MAX_WORK:
                    n.good.len = <size_t>first * n.words
                    return 0
        first = last
    return 1


cdef bint lexeme_leads_on(Neighbours* n, Recognizer* m, uint32_t row, uint32_t lexeme, uint32_t* set) noexcept nogil:
    """Whether the rules lead on from a row after a lexeme that it waits for, or after a skip."""
    cdef bint skip = lexeme < m.rules.is_skip.len and m.rules.is_skip.data[lexeme]
    cdef uint32_t count, i
    cdef const Item* items
    if skip:
        items = row_items(&m.rows, row, &count)
    else:
        items = row_waiting(&m.rows, row, lexeme, &count)
    for i in range(count):
        before_rest(n, m.rules, items[i].position if skip else items[i].position + 1, items[i].link, set)
        if bit_test(set, lexeme):
            return True
    return skip and row_accepting(&m.rows, row)


cdef int leads_on(Neighbours* n, Recognizer* m, const Config* config) noexcept nogil:
    cdef uint32_t number = config.state >> 8
    cdef uint32_t count, i
    cdef const Item* items
    cdef int status
    n.sets.len = 0
    if vec_fill(&n.sets, n.words, 0) < 0:
        return NO_MEMORY
    status = measure_links(n, m, n.sets.data) if n.work <= MAX_WORK else 0
    if status <= 0:
        return status if status < 0 else 1
    for i in range(1, intern_len(&m.dfa.states, number), 2):
        if lexeme_leads_on(n, m, config.row, intern_get(&m.dfa.states, number)[i], n.sets.data):
            return 1
    if not intern_get(&m.dfa.states, number)[0]:
        return 0
    if row_accepting(&m.rows, config.row):
        return 1
    if m.rules.token_classes.len:
        # (the state does not have the special tokens that the row waits for)
        items = row_items(&m.rows, config.row, &count)
        for i in range(count):
            if items[i].symbol < m.rules.exprs.len and is_special(m, items[i].symbol):
                if lexeme_leads_on(n, m, config.row, items[i].symbol, n.sets.data):
                    return 1
    return 0
