"""The lexing rule: the lexer reads on as long as some lexeme allowed here can still match. Then all lexemes that match what was
read go to the parser. A lazy lexeme ends as soon as it matches.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport intern_add, intern_get, intern_len
from ffgrammar.core.owner cimport own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill
from ffgrammar.engine.parser.instances cimport forget_instances, instances_bytes
from ffgrammar.engine.parser.earley cimport (
    earley_bytes, earley_clear, earley_first, earley_free, earley_init, earley_join, earley_scan,
)
from ffgrammar.engine.parser.rows cimport row_accepting, row_waiting
from ffgrammar.engine.recognizer.checks cimport check_lexemes, end_checked_lexeme
from ffgrammar.engine.recognizer.row_starts cimport row_start
from ffgrammar.engine.recognizer.structs cimport parser_row
from ffgrammar.engine.values.trace cimport VIRTUAL, trace_append, trace_bytes, trace_clear, trace_free, trace_init
from ffgrammar.regex.dfa.lazy_dfa cimport (
    DEAD, LAST_STATE, LAZY, LEAVE, NO_LEXEMES, dfa_accept, dfa_bytes, dfa_clear, dfa_free, dfa_init, dfa_step,
)
from ffgrammar.regex.dfa.threads cimport E_BYTE, NO_BYTE, THREADED


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
    if vec_extend(&m.dfa.beside, rules.beside.data, rules.beside.len) < 0:
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


cdef int recognizer_first(Recognizer* m, Config* config) noexcept nogil:
    cdef int status = earley_first(&m.rows, &config.row)
    return row_start(m, config.row, True, &config.state) if status >= 0 else status


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
