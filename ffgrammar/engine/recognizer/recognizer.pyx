"""The lexing rule: the longest text that some lexeme allowed here matches; then all lexemes that match it go to the parser.
A lazy lexeme ends as soon as it matches.

Checks drop lexemes from what goes to the parser. In a grammar that has checks, a lexeme ends as soon as nothing can follow in
it: so where only checked lexemes may come next and their checks fail, the byte before is refused already. Brackets that must
be closed before a check are closed to look ahead.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport intern_add, intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.parser.instances cimport forget_instances, instances_bytes
from ffgrammar.engine.parser.earley cimport (
    Item, row_accepting, row_items, earley_bytes, earley_clear, earley_first, earley_free, earley_init, earley_scan,
)
from ffgrammar.engine.parser.tables cimport NONTERMINAL
from ffgrammar.engine.values.trace cimport (
    CHECK_NEW_KEY, VIRTUAL, TraceMark, trace_append, trace_begin, trace_bytes, trace_clear, trace_free, trace_holds, trace_init,
    trace_is_new_key, trace_end_lexeme, trace_mark, trace_release, trace_row,
)
from ffgrammar.regex.dfa.lazy_dfa cimport (
    DEAD, LAST_STATE, LAZY, LEAVE, NO_LEXEMES, UNKNOWN, dfa_accept, dfa_bytes, dfa_clear, dfa_free, dfa_init, dfa_start,
    dfa_step,
)


cdef enum:
    NO_LEXEME = 0xFFFFFFFF
    # flag of a guard
    CLOSES = 0x80000000
    # so many brackets are closed to look ahead; a text that needs more may come to where nothing can follow
    MAX_CLOSING = 64


cdef int recognizer_init(Recognizer* m, Nodes* nodes, Rules* rules, bint single_skip) noexcept nogil:
    m.nodes = nodes
    m.rules = rules
    m.single_skip = single_skip
    m.closing = 0
    vec_init(&m.starts)
    vec_init(&m.starts_no_skip)
    vec_init(&m.guards)
    vec_init(&m.pairs)
    if trace_init(&m.trace) < 0:
        return NO_MEMORY
    if dfa_init(&m.dfa, nodes) < 0 or vec_fill(&m.dfa.lazy, rules.exprs.len, 0) < 0:
        return NO_MEMORY
    m.dfa.eager = rules.has_checks
    return earley_init(&m.rows, rules, &m.dfa.lexsets)


cdef void recognizer_free(Recognizer* m) noexcept nogil:
    earley_free(&m.rows)
    trace_free(&m.trace)
    dfa_free(&m.dfa)
    vec_free(&m.starts)
    vec_free(&m.starts_no_skip)
    vec_free(&m.guards)
    vec_free(&m.pairs)


cdef int recognizer_clear(Recognizer* m) noexcept nogil:
    m.starts.len = 0
    m.starts_no_skip.len = 0
    m.guards.len = 0
    if dfa_clear(&m.dfa) < 0 or trace_clear(&m.trace) < 0:
        return NO_MEMORY
    forget_instances(m.rules)
    return earley_clear(&m.rows)


cdef size_t recognizer_bytes(const Recognizer* m) noexcept nogil:
    return (earley_bytes(&m.rows) + dfa_bytes(&m.dfa) + trace_bytes(&m.trace) + instances_bytes(m.rules)
            + (m.starts.cap + m.starts_no_skip.cap + m.guards.cap + m.pairs.cap) * sizeof(uint32_t))


cdef int row_start(Recognizer* m, uint32_t row, bint skips, uint32_t* state) noexcept nogil:
    """The lexer state on the lexemes that `row` allows."""
    cdef uint32_t count, i, lexeme
    cdef uint32_t last = NO_LEXEME
    cdef uint32_t s = 0
    cdef const Item* items
    cdef Vec* cache = &m.starts if skips else &m.starts_no_skip
    cdef int status
    if row >= cache.len and vec_fill(cache, row + 1 - cache.len, 0xFF) < 0:
        return NO_MEMORY
    state[0] = cache.data[row]
    if state[0] != UNKNOWN:
        return OK
    items = row_items(&m.rows, row, &count)
    m.pairs.len = 0
    i = 0
    # items are sorted by symbol, lexemes before nonterminals: a merge with the sorted skips
    while True:
        if i < count and items[i].symbol < NONTERMINAL:
            lexeme = items[i].symbol
        else:
            lexeme = NO_LEXEME
        if skips and s < m.rules.skips.len and m.rules.skips.data[s] < lexeme:
            lexeme = m.rules.skips.data[s]
            s += 1
        else:
            i += 1
        if lexeme == NO_LEXEME:
            break
        if lexeme == last:
            continue
        last = lexeme
        if vec_push(&m.pairs, lexeme) < 0 or vec_push(&m.pairs, m.rules.exprs.data[lexeme]) < 0:
            return NO_MEMORY
    status = dfa_start(&m.dfa, m.pairs.data, m.pairs.len, state)
    if status >= 0:
        cache.data[row] = state[0]
    return status


cdef int recognizer_first(Recognizer* m, Config* config) noexcept nogil:
    cdef int status = earley_first(&m.rows, &config.row)
    return row_start(m, config.row, True, &config.state) if status >= 0 else status


cdef int row_guard(Recognizer* m, uint32_t row, uint32_t* checks) noexcept nogil:
    """What must hold for a text to go on: where all the lexemes that a row waits for are checked, or close something, their
    checks as bits, and CLOSES; else 0."""
    cdef uint32_t count, i, lexeme
    cdef uint32_t found = 0
    cdef const Item* items
    if row >= m.guards.len and vec_fill(&m.guards, row + 1 - m.guards.len, 0xFF) < 0:
        return NO_MEMORY
    checks[0] = m.guards.data[row]
    if checks[0] != UNKNOWN:
        return OK
    items = row_items(&m.rows, row, &count)
    for i in range(count):
        lexeme = items[i].symbol
        if lexeme < NONTERMINAL:
            # (there is always a key that is new)
            if not m.rules.check.data[lexeme] & ~<uint32_t>CHECK_NEW_KEY and not m.rules.closes.data[lexeme]:
                found = 0
                break
            found |= m.rules.check.data[lexeme] or <uint32_t>CLOSES
    checks[0] = m.guards.data[row] = 0 if row_accepting(&m.rows, row) else found
    return OK


cdef int goes_on(Recognizer* m, uint32_t row, uint32_t guard) noexcept nogil:
    """Whether anything that a virtual row waits for may come; `guard` is that of its parser's row."""
    cdef uint32_t inner = parser_row(m, row)
    cdef uint32_t count, i, symbol, closed, lexset
    cdef uint32_t lexeme = NO_LEXEME
    cdef TraceMark mark
    cdef Config config
    cdef int status = 0
    if guard & ~<uint32_t>CLOSES:
        status = trace_holds(&m.trace, row, guard & ~<uint32_t>CLOSES)
    if status != 0 or not guard & CLOSES:
        return status if status <= 0 else 1
    if m.closing == MAX_CLOSING:
        return 1
    m.closing += 1
    mark = trace_mark(&m.trace)
    row_items(&m.rows, inner, &count)
    for i in range(count):
        symbol = row_items(&m.rows, inner, &count)[i].symbol
        if symbol >= NONTERMINAL or status != 0:
            break
        if symbol == lexeme or not m.rules.closes.data[symbol]:
            continue
        lexeme = symbol
        status = intern_add(&m.dfa.lexsets, &lexeme, 1, &lexset)
        if status >= 0:
            status = trace_append(&m.trace, row, m.rules.closes.data[lexeme], &closed)
        if status >= 0:
            status = leave_checked(m, closed, lexset, True, &config)
        trace_release(&m.trace, &mark)
    m.closing -= 1
    return status


cdef int checked(Recognizer* m, uint32_t row, uint32_t* lexset) noexcept nogil:
    """Drop the lexemes of a set whose checks fail in `row`, whose text ends with the lexeme: 1 if some are left, 0, or a
    status."""
    cdef uint32_t checks = 0
    cdef uint32_t guard = 0
    cdef uint32_t count = intern_len(&m.dfa.lexsets, lexset[0])
    cdef uint32_t i, lexeme, check
    cdef int status = 0
    if not m.rules.has_checks:
        return 1
    for i in range(count):
        checks |= m.rules.check.data[intern_get(&m.dfa.lexsets, lexset[0])[i]]
    if not checks:
        return 1
    if row & VIRTUAL:
        if row_guard(m, parser_row(m, row), &guard) < 0:
            return NO_MEMORY
        if guard and not guard & (guard - 1):
            # the only check there is; it held, or the row had not been reached
            return 1
        if checks & CHECK_NEW_KEY:
            status = trace_is_new_key(&m.trace, row)
            if status > 0:
                status = CHECK_NEW_KEY
        else:
            status = trace_holds(&m.trace, row, checks)
        if status < 0:
            return status
    m.pairs.len = 0
    for i in range(count):
        lexeme = intern_get(&m.dfa.lexsets, lexset[0])[i]
        check = m.rules.check.data[lexeme]
        if (not check or check & <uint32_t>status) and vec_push(&m.pairs, lexeme) < 0:
            return NO_MEMORY
    if m.pairs.len == 0:
        return 0
    return NO_MEMORY if intern_add(&m.dfa.lexsets, m.pairs.data, m.pairs.len, lexset) < 0 else 1


cdef int leave_checked(Recognizer* m, uint32_t row, uint32_t lexset, bint skips, Config* config) noexcept nogil:
    """recognizer_end_lexeme in a grammar that has checks."""
    cdef uint32_t opens = 0
    cdef bint only_skips = True
    cdef uint32_t before = parser_row(m, row)
    cdef uint32_t target, guard, lexeme, i
    cdef int status = checked(m, row, &lexset)
    if status <= 0:
        return status
    for i in range(intern_len(&m.dfa.lexsets, lexset)):
        lexeme = intern_get(&m.dfa.lexsets, lexset)[i]
        opens |= m.rules.opens.data[lexeme]
        only_skips &= m.rules.is_skip.data[lexeme]
    status = earley_scan(&m.rows, before, lexset, &target)
    if status >= 0:
        status = row_start(m, target, skips, &config.state)
    if status < 0:
        return status
    if only_skips:
        config.row = trace_row(&m.trace, row).start if row & VIRTUAL else row
        return 1
    if row & VIRTUAL:
        status = trace_end_lexeme(&m.trace, row, target, opens != 0, &config.row)
    elif opens:
        status = trace_begin(&m.trace, target, opens, &config.row)
    else:
        config.row = target
    if status < 0 or not config.row & VIRTUAL:
        return status if status < 0 else 1
    if row_guard(m, target, &guard) < 0:
        return NO_MEMORY
    return goes_on(m, config.row, guard) if guard else 1


cdef int recognizer_end_lexeme(Recognizer* m, uint32_t row, uint32_t lexset, Config* config) noexcept nogil:
    cdef bint skips = True
    cdef uint32_t i
    cdef int status
    if m.single_skip:
        skips = False
        for i in range(intern_len(&m.dfa.lexsets, lexset)):
            if not m.rules.is_skip.data[intern_get(&m.dfa.lexsets, lexset)[i]]:
                skips = True
    if m.rules.has_checks:
        return leave_checked(m, row, lexset, skips, config)
    status = earley_scan(&m.rows, row, lexset, &config.row)
    if status >= 0:
        status = row_start(m, config.row, skips, &config.state)
    return status if status < 0 else 1


cdef int recognizer_move(Recognizer* m, Config* config, uint32_t byte) noexcept nogil:
    cdef Config moved = config[0]
    cdef uint32_t target
    cdef int status = dfa_step(&m.dfa, config.state, byte, &target)
    if status >= 0 and target == LEAVE:
        status = recognizer_end_lexeme(m, config.row, dfa_accept(&m.dfa, config.state), &moved)
        if status == 0:
            return 0
        if status > 0:
            # nothing was read in a start state, so it cannot be left again
            status = dfa_step(&m.dfa, moved.state, byte, &target)
    if status < 0:
        return status
    if target == DEAD:
        return 0
    if moved.row & VIRTUAL:
        status = trace_append(&m.trace, moved.row, byte, &moved.row)
        if status < 0:
            return status
    moved.state = target
    if target & LAZY:
        status = recognizer_end_lexeme(m, moved.row, dfa_accept(&m.dfa, target & LAST_STATE), &moved)
        if status <= 0:
            return status
    config[0] = moved
    return 1


cdef int recognizer_accepting(Recognizer* m, const Config* config) noexcept nogil:
    cdef uint32_t row = parser_row(m, config.row)
    cdef uint32_t lexset
    cdef int status
    if not intern_get(&m.dfa.states, config.state >> 8)[0]:
        # inside a lexeme: the text is a sentence if it may end here
        lexset = dfa_accept(&m.dfa, config.state)
        if lexset == NO_LEXEMES:
            return 0
        status = checked(m, config.row, &lexset)
        if status <= 0:
            return status
        status = earley_scan(&m.rows, row, lexset, &row)
        if status < 0:
            return status
    return row_accepting(&m.rows, row)
