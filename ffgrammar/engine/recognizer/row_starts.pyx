"""The lexer state in which the lexemes that a row allows begin. It is kept with the row."""

from libc.stdint cimport uint32_t

from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_fill, vec_push
from ffgrammar.engine.parser.carried cimport Entry
from ffgrammar.engine.parser.rows cimport Item, row_carried, row_items, row_skips
from ffgrammar.engine.recognizer.guards cimport guarded_expr
from ffgrammar.engine.recognizer.structs cimport NO_LEXEME, Recognizer
from ffgrammar.regex.dfa.lazy_dfa cimport UNKNOWN, dfa_start
from ffgrammar.regex.expr.nodes cimport NOTHING


cdef inline bint may_skip(const Recognizer* m, uint32_t row, uint32_t number) noexcept nogil:
    """Whether a skip, given by its number in `Rules.skips`, may stand in a row."""
    return m.rules.skip_bits.len == 0 or row_skips(&m.rows, row) >> number & 1


cdef int row_start(Recognizer* m, uint32_t row, bint skips, uint32_t* state) noexcept nogil:
    cdef uint32_t count, i, lexeme, expr
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
        expr = m.rules.exprs.data[lexeme]
        if m.rules.guarded.len and not m.rules.is_skip.data[lexeme]:
            # (several items may wait for one lexeme; then their guards are the same)
            status = guarded_expr(m, lexeme, items[i - 1].position, &expr)
            if status < 0:
                return status
        if expr == NOTHING:
            # (special tokens are nothing that the lexer reads, and guards may leave nothing)
            continue
        if vec_push(&m.pairs, lexeme) < 0 or vec_push(&m.pairs, expr) < 0:
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
