"""The end of a lexeme in a grammar with checks.

A check can drop a lexeme from those that go to the parser. In a grammar with checks, a lexeme ends as soon as no byte can
follow in it, and not only when the next byte has come. So if only checked lexemes may come next and all their checks fail, the
text is refused at once and not a byte too late. If brackets must close before such a check is run, they are closed on trial to
look ahead.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from ffgrammar.core.intern cimport intern_add, intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_push
from ffgrammar.engine.parser.earley cimport earley_scan
from ffgrammar.engine.parser.rows cimport Item, row_accepting, row_items
from ffgrammar.engine.parser.tables cimport NONTERMINAL
from ffgrammar.engine.recognizer.row_starts cimport row_start
from ffgrammar.engine.recognizer.structs cimport NO_LEXEME, Config, Recognizer, parser_row
from ffgrammar.engine.values.trace cimport (
    CHECK_NEW_KEY, VIRTUAL, TraceMark, trace_append, trace_begin, trace_end_lexeme, trace_holds, trace_is_new_key, trace_mark,
    trace_release, trace_row,
)
from ffgrammar.regex.dfa.lazy_dfa cimport UNKNOWN

cdef enum:
    # flag of a guard: a lexeme that closes a bracket may come
    CLOSES = 0x80000000
    # at most this many brackets are closed on trial; a text that needs more may reach a point where nothing can follow
    MAX_CLOSING = 64
    END_WORK = 8  # units of work (pulse.pxd) of ending a lexeme on a virtual row, apart from one for every four bytes that are read


cdef int row_guard(Recognizer* m, uint32_t row, uint32_t* guard) noexcept nogil:
    """Write to `guard` what a text in a parser's row needs to go on. The guard is 0 if the text can always go on or may end: some
    lexeme that the row waits for has no check of items and closes no bracket, or the row accepts. Otherwise the guard has the
    checks of the lexemes that the row waits for, as bits, and the flag CLOSES if a lexeme without a check closes a bracket.
    Returns OK or NO_MEMORY."""
    cdef uint32_t count, i, lexeme
    cdef uint32_t found = 0
    cdef const Item* items
    if row >= m.guards.len and vec_fill(&m.guards, row + 1 - m.guards.len, 0xFF) < 0:
        return NO_MEMORY
    guard[0] = m.guards.data[row]
    if guard[0] != UNKNOWN:
        return OK
    items = row_items(&m.rows, row, &count)
    for i in range(count):
        lexeme = items[i].symbol
        if lexeme < NONTERMINAL:
            # (a lexeme that only has to be a new key can always come: there is always some new key)
            if not m.rules.check.data[lexeme] & ~<uint32_t>CHECK_NEW_KEY and not m.rules.closes.data[lexeme]:
                found = 0
                break
            found |= m.rules.check.data[lexeme] or <uint32_t>CLOSES
    guard[0] = m.guards.data[row] = 0 if row_accepting(&m.rows, row) else found
    return OK


cdef inline int checks_that_hold(Recognizer* m, uint32_t row, uint32_t checks, bint* text_dependent) noexcept nogil:
    """Which of some checks hold in a virtual row, as bits, or a status. The answer depends on the text."""
    cdef int status
    if text_dependent != NULL:
        text_dependent[0] = True
    if checks & CHECK_NEW_KEY:
        status = trace_is_new_key(&m.trace, row)
        return CHECK_NEW_KEY if status > 0 else status
    return trace_holds(&m.trace, row, checks)


cdef int can_close(Recognizer* m, uint32_t row, bint* text_dependent) noexcept nogil:
    """Whether a virtual row lets the text go on with some lexeme that closes a bracket: 1, 0 or a status. Each such lexeme is
    tried, and whatever a trial writes to the trace is forgotten."""
    cdef uint32_t inner = parser_row(m, row)
    cdef uint32_t lexeme = NO_LEXEME
    cdef uint32_t count, i, symbol, closed, lexset
    cdef TraceMark mark = trace_mark(&m.trace)
    cdef Config config
    cdef int status = 0
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
            status = end_checked_lexeme(m, closed, lexset, True, &config, text_dependent)
        trace_release(&m.trace, &mark)
    return status


cdef int goes_on(Recognizer* m, uint32_t row, uint32_t guard, bint* text_dependent) noexcept nogil:
    """Whether the text can go on in a virtual row: 1, 0 or a status. `guard` is that of its parser's row, and not 0. If more
    than MAX_CLOSING brackets would have to be closed on trial, the answer is 1."""
    cdef int status = 0
    if guard & ~<uint32_t>CLOSES:
        status = checks_that_hold(m, row, guard & ~<uint32_t>CLOSES, text_dependent)
    if status != 0 or not guard & CLOSES:
        return status if status <= 0 else 1
    if m.closing == MAX_CLOSING:
        return 1
    m.closing += 1
    status = can_close(m, row, text_dependent)
    m.closing -= 1
    return status


cdef int drop_failing(Recognizer* m, uint32_t* lexset, uint32_t holding) noexcept nogil:
    """Drop from a set the lexemes with a check that does not hold. `holding` has the checks that hold, as bits. Returns 1; 0 if
    no lexeme is left; or a status."""
    cdef uint32_t i, lexeme, check
    m.pairs.len = 0
    for i in range(intern_len(&m.dfa.lexsets, lexset[0])):
        lexeme = intern_get(&m.dfa.lexsets, lexset[0])[i]
        check = m.rules.check.data[lexeme]
        if (not check or check & holding) and vec_push(&m.pairs, lexeme) < 0:
            return NO_MEMORY
    if m.pairs.len == 0:
        return 0
    return NO_MEMORY if intern_add(&m.dfa.lexsets, m.pairs.data, m.pairs.len, lexset) < 0 else 1


cdef int check_lexemes(Recognizer* m, uint32_t row, uint32_t* lexset, bint* text_dependent) noexcept nogil:
    cdef uint32_t checks = 0
    cdef uint32_t guard = 0
    cdef uint32_t i
    cdef int holding = 0
    if not m.rules.has_checks:
        return 1
    for i in range(intern_len(&m.dfa.lexsets, lexset[0])):
        checks |= m.rules.check.data[intern_get(&m.dfa.lexsets, lexset[0])[i]]
    if not checks:
        return 1
    if row & VIRTUAL:
        if row_guard(m, parser_row(m, row), &guard) < 0:
            return NO_MEMORY
        if guard and not guard & (guard - 1):
            # all lexemes that may come here have this one check, so it holds: if it failed, `goes_on` would have refused the
            # text before this lexeme
            return 1
        holding = checks_that_hold(m, row, checks, text_dependent)
    return holding if holding < 0 else drop_failing(m, lexset, <uint32_t>holding)


cdef int end_checked_lexeme(
    Recognizer* m, uint32_t row, uint32_t lexset, bint skips, Config* config, bint* text_dependent,
) noexcept nogil:
    cdef uint32_t opens = 0
    cdef bint only_skips = True
    cdef uint32_t before = parser_row(m, row)
    cdef uint32_t target, guard, lexeme, i
    cdef uint64_t read
    cdef int status = check_lexemes(m, row, &lexset, text_dependent)
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
        read = m.trace.bytes_read
        status = trace_end_lexeme(&m.trace, row, target, opens != 0, &config.row)
        m.nodes.pulse.left -= END_WORK + <int64_t>((m.trace.bytes_read - read) >> 2)
        if status > 0:
            if text_dependent != NULL:
                text_dependent[0] = True
            return 0
    elif opens:
        status = trace_begin(&m.trace, target, opens, &config.row)
    else:
        config.row = target
    if status < 0 or not config.row & VIRTUAL:
        return status if status < 0 else 1
    if row_guard(m, target, &guard) < 0:
        return NO_MEMORY
    return goes_on(m, config.row, guard, text_dependent) if guard else 1
