"""The lexing rule: the lexer reads on as long as some lexeme allowed here can still match. Then all lexemes that match what was
read go to the parser. A lazy lexeme ends as soon as it matches.

A check can drop a lexeme from those that go to the parser. In a grammar with checks, a lexeme ends as soon as no byte can
follow in it, and not only when the next byte has come. So if only checked lexemes may come next and all their checks fail, the
text is refused at once and not a byte too late. If brackets must close before such a check is run, they are closed on trial to
look ahead.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport intern_add, intern_get, intern_len
from ffgrammar.core.owner cimport own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_push
from ffgrammar.engine.parser.instances cimport forget_instances, instances_bytes
from ffgrammar.engine.parser.carried cimport Entry
from ffgrammar.engine.parser.earley cimport (
    earley_bytes, earley_clear, earley_first, earley_free, earley_init, earley_join, earley_scan,
)
from ffgrammar.engine.parser.rows cimport Item, row_accepting, row_carried, row_items, row_skips, row_waiting
from ffgrammar.engine.parser.tables cimport NONTERMINAL
from ffgrammar.engine.values.trace cimport (
    CHECK_NEW_KEY, VIRTUAL, TraceMark, trace_append, trace_begin, trace_bytes, trace_clear, trace_free, trace_holds, trace_init,
    trace_is_new_key, trace_end_lexeme, trace_mark, trace_release, trace_row,
)
from ffgrammar.regex.expr.nodes cimport NOTHING
from ffgrammar.regex.dfa.lazy_dfa cimport (
    DEAD, LAST_STATE, LAZY, LEAVE, NO_LEXEMES, UNKNOWN, dfa_accept, dfa_bytes, dfa_clear, dfa_free, dfa_init, dfa_start,
    dfa_step,
)
from ffgrammar.regex.dfa.threads cimport E_BYTE, NO_BYTE, THREADED

cdef enum:
    NO_LEXEME = 0xFFFFFFFF
    # flag of a guard: a lexeme that closes a bracket may come
    CLOSES = 0x80000000
    # at most this many brackets are closed on trial; a text that needs more may reach a point where nothing can follow
    MAX_CLOSING = 64


cdef int recognizer_init(Recognizer* m, Nodes* nodes, Rules* rules, bint single_skip) noexcept nogil:
    m.nodes = nodes
    m.rules = rules
    m.single_skip = single_skip
    m.closing = 0
    owner_init(&m.owner)
    own_vec(&m.owner, &m.starts)
    own_vec(&m.owner, &m.starts_no_skip)
    own_vec(&m.owner, &m.guards)
    own_vec(&m.owner, &m.pairs)
    if owner_status(&m.owner) < 0 or trace_init(&m.trace) < 0:
        return NO_MEMORY
    if dfa_init(&m.dfa, nodes) < 0 or vec_fill(&m.dfa.lazy, rules.exprs.len, 0) < 0:
        return NO_MEMORY
    m.dfa.eager = rules.has_checks
    m.dfa.first_word = rules.first_word
    return earley_init(&m.rows, rules, &m.dfa.lexsets, &m.dfa.threads, &nodes.pulse)


cdef void recognizer_free(Recognizer* m) noexcept nogil:
    earley_free(&m.rows)
    trace_free(&m.trace)
    dfa_free(&m.dfa)
    owner_free(&m.owner)


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
            + owner_bytes(&m.owner))


cdef inline bint may_skip(const Recognizer* m, uint32_t row, uint32_t number) noexcept nogil:
    """Whether a skip, given by its number in `Rules.skips`, may stand in a row."""
    return m.rules.skip_bits.len == 0 or row_skips(&m.rows, row) >> number & 1


cdef int row_start(Recognizer* m, uint32_t row, bint skips, uint32_t* state) noexcept nogil:
    """Write the lexer state in which the lexemes that `row` allows begin, and those that are carried go on. `skips` says whether
    skip lexemes are among them. Returns a status."""
    cdef uint32_t count, i, lexeme
    cdef uint32_t last = NO_LEXEME
    cdef uint32_t s = 0
    cdef const Item* items
    cdef const Entry* entries
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
    # items are sorted by symbol, lexemes before nonterminals; `skips` is sorted, too; the loop merges the two lists
    while True:
        if i < count and items[i].symbol < m.rules.exprs.len:
            lexeme = items[i].symbol
        else:
            lexeme = NO_LEXEME
        while skips and s < m.rules.skips.len and not may_skip(m, row, s):
            s += 1
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
        if m.rules.exprs.data[lexeme] == NOTHING:
            # (special tokens are nothing that the lexer reads)
            continue
        if vec_push(&m.pairs, lexeme) < 0 or vec_push(&m.pairs, m.rules.exprs.data[lexeme]) < 0:
            return NO_MEMORY
    for lexeme in range(m.rules.first_word, <uint32_t>m.rules.exprs.len):
        if vec_push(&m.pairs, lexeme) < 0 or vec_push(&m.pairs, m.rules.exprs.data[lexeme]) < 0:
            return NO_MEMORY
    entries = row_carried(&m.rows, row, &count)
    for i in range(count):
        # (several items may wait for one lexeme)
        if i and entries[i].symbol == entries[i - 1].symbol:
            continue
        if vec_push(&m.pairs, entries[i].symbol) < 0 or vec_push(&m.pairs, entries[i].expr) < 0:
            return NO_MEMORY
    status = dfa_start(&m.dfa, m.pairs.data, m.pairs.len, state)
    if status >= 0:
        cache.data[row] = state[0]
    return status


cdef int recognizer_first(Recognizer* m, Config* config) noexcept nogil:
    cdef int status = earley_first(&m.rows, &config.row)
    return row_start(m, config.row, True, &config.state) if status >= 0 else status


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
    """Drop from a set the lexemes whose checks fail. A virtual `row` already includes the text of these lexemes. Returns 1; 0
    if no lexeme is left; or a status."""
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
    """recognizer_end_lexeme in a grammar that has checks; `skips` says whether a skip lexeme may come next."""
    cdef uint32_t opens = 0
    cdef bint only_skips = True
    cdef uint32_t before = parser_row(m, row)
    cdef uint32_t target, guard, lexeme, i
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
        status = trace_end_lexeme(&m.trace, row, target, opens != 0, &config.row)
    elif opens:
        status = trace_begin(&m.trace, target, opens, &config.row)
    else:
        config.row = target
    if status < 0 or not config.row & VIRTUAL:
        return status if status < 0 else 1
    if row_guard(m, target, &guard) < 0:
        return NO_MEMORY
    return goes_on(m, config.row, guard, text_dependent) if guard else 1


cdef int end_threads(Recognizer* m, uint32_t row, uint32_t ending, Config* config) noexcept nogil:
    """recognizer_end_lexeme where some lexemes go on."""
    cdef uint32_t byte = intern_get(&m.dfa.lexsets, ending)[E_BYTE]
    cdef int status = earley_scan(&m.rows, row, ending, &config.row)
    if status >= 0:
        status = row_start(m, config.row, False, &config.state)
    if status >= 0 and byte != NO_BYTE:
        return recognizer_move(m, config, byte, NULL)
    return status if status < 0 else 1


cdef bint allows_skips(const Recognizer* m, uint32_t lexset) noexcept nogil:
    """Whether a skip lexeme may come after a lexeme of a set."""
    cdef uint32_t i
    if not m.single_skip:
        return True
    for i in range(intern_len(&m.dfa.lexsets, lexset)):
        if not m.rules.is_skip.data[intern_get(&m.dfa.lexsets, lexset)[i]]:
            return True
    return False


cdef int recognizer_end_lexeme(
    Recognizer* m, uint32_t row, uint32_t lexset, Config* config, bint* text_dependent,
) noexcept nogil:
    cdef bint skips
    cdef int status
    if intern_len(&m.dfa.lexsets, lexset) and intern_get(&m.dfa.lexsets, lexset)[0] == <uint32_t>THREADED:
        return end_threads(m, row, lexset, config)
    skips = allows_skips(m, lexset)
    if m.rules.has_checks:
        return end_checked_lexeme(m, row, lexset, skips, config, text_dependent)
    status = earley_scan(&m.rows, row, lexset, &config.row)
    if status >= 0:
        status = row_start(m, config.row, skips, &config.state)
    return status if status < 0 else 1


cdef inline int move(
    Recognizer* m, Config* config, uint32_t byte, bint* text_dependent, LexemeEnds* ends,
) noexcept nogil:
    """recognizer_move, which also notes the lexemes that end unless `ends` is NULL."""
    cdef Config moved = config[0]
    cdef uint32_t target
    cdef int status = dfa_step(&m.dfa, config.state, byte, &target)
    if status >= 0 and target == LEAVE:
        if ends != NULL:
            ends.before = dfa_accept(&m.dfa, config.state)
        status = recognizer_end_lexeme(m, config.row, dfa_accept(&m.dfa, config.state), &moved, text_dependent)
        if status == 0:
            return 0
        if ends != NULL:
            ends.between = moved
        if status > 0:
            # the start state has read nothing, so no lexeme can end again before this byte
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
        if ends != NULL:
            ends.after = dfa_accept(&m.dfa, target & LAST_STATE)
        status = recognizer_end_lexeme(m, moved.row, dfa_accept(&m.dfa, target & LAST_STATE), &moved, text_dependent)
        if status <= 0:
            return status
    config[0] = moved
    return 1


cdef int recognizer_move(Recognizer* m, Config* config, uint32_t byte, bint* text_dependent) noexcept nogil:
    return move(m, config, byte, text_dependent, NULL)


cdef int recognizer_move_noting(Recognizer* m, Config* config, uint32_t byte, LexemeEnds* ends) noexcept nogil:
    ends.before = ends.after = NO_LEXEMES
    return move(m, config, byte, NULL, ends)


cdef int recognizer_is_finished(Recognizer* m, const Config* config) noexcept nogil:
    cdef uint32_t byte, target
    cdef int status
    for byte in range(256):
        status = dfa_step(&m.dfa, config.state, byte, &target)
        if status < 0:
            return status
        if target != LEAVE:
            return 0
    return 1


cdef int row_at_end(Recognizer* m, const Config* config, uint32_t* row) noexcept nogil:
    """Write the row if the bytes end here: the lexemes that match end, too. Returns 1; 0 if the bytes cannot end; or a status."""
    cdef bint begins = intern_get(&m.dfa.states, config.state >> 8)[0]
    cdef uint32_t lexset = dfa_accept(&m.dfa, config.state)
    cdef int status = OK
    row[0] = config.row
    if lexset == NO_LEXEMES:
        return begins
    status = earley_scan(&m.rows, config.row, lexset, row)
    if status >= 0 and begins:
        # some lexemes have ended here, and others, which go on, match as well
        status = earley_join(&m.rows, config.row, row[0], row)
    return status if status < 0 else 1


cdef int recognizer_token(Recognizer* m, Config* config, const TokenClass* tokens) noexcept nogil:
    cdef uint32_t row = config.row
    cdef uint32_t count = 0
    cdef uint32_t lexset, i
    cdef int status
    if row & VIRTUAL:
        # (inside a container with checks, which is part of a JSON text)
        return 0
    status = row_at_end(m, config, &row)
    if status <= 0:
        return status
    for i in range(tokens.lexeme_count):
        row_waiting(&m.rows, row, tokens.lexemes[i], &count)
        if count:
            break
    if count == 0:
        return 0
    if intern_add(&m.dfa.lexsets, tokens.lexemes, tokens.lexeme_count, &lexset) < 0:
        return NO_MEMORY
    status = earley_scan(&m.rows, row, lexset, &row)
    if status >= 0:
        status = row_start(m, row, True, &i)
    if status < 0:
        return status
    config.row = row
    config.state = i
    return 1


cdef int recognizer_accepting(Recognizer* m, const Config* config, bint* text_dependent) noexcept nogil:
    cdef uint32_t row = parser_row(m, config.row)
    cdef uint32_t lexset
    cdef int status
    if not m.rules.has_checks:
        status = row_at_end(m, config, &row)
        return status if status <= 0 else row_accepting(&m.rows, row)
    if not intern_get(&m.dfa.states, config.state >> 8)[0]:
        # inside a lexeme: the text is a sentence if the lexeme may end here
        lexset = dfa_accept(&m.dfa, config.state)
        if lexset == NO_LEXEMES:
            return 0
        status = check_lexemes(m, config.row, &lexset, text_dependent)
        if status <= 0:
            return status
        status = earley_scan(&m.rows, row, lexset, &row)
        if status < 0:
            return status
    return row_accepting(&m.rows, row)
