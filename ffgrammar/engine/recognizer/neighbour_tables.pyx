"""Two lexemes are neighbours if some text of the first can be ended by the first byte of the second. Whether a byte ends a text
is asked of an automaton that has the lexeme and the skips, because skips compete with every lexeme.

The texts of a nonterminal are known by two sets of lexemes, those they begin and those they end with, taken in pairs. The pairs are
a least fixed point over the productions.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_set, bit_test, bit_words
from ffgrammar.core.intern cimport intern_count, intern_get, intern_len
from ffgrammar.core.status cimport LIMIT_EMPTINESS, NO_MEMORY, OK, ends_call
from ffgrammar.core.vec cimport Vec, vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.parser.tables cimport END, NONE, NONTERMINAL, NUMBER, Rules
from ffgrammar.engine.recognizer.neighbours cimport MAX_WORK, add_set, ends_of, is_special, meet
from ffgrammar.regex.dfa.lazy_dfa cimport (
    DEAD, LEAVE, Dfa, dfa_accept, dfa_free, dfa_init, dfa_start, dfa_step,
)

cdef enum:
    MAX_WORDS = 1 << 22      # of all tables together
    MAX_STATES = 1 << 13     # of the automaton of single lexemes and the skips
    MAX_EXPRESSIONS = 1 << 15  # that are made for these states
    BYTE_SET = 8             # words of a set of bytes


cdef struct Survey:
    # What is needed only while the tables are made.
    Dfa dfa      # of single lexemes with the skips
    uint32_t max_expressions  # in the store
    Vec pairs    # of the state that is being started
    Vec queue    # states that were reached
    Vec stamp    # per number of a state: the lexeme that reached it last, and 1
    Vec firsts   # per lexeme: the bytes with which it begins, as a set of BYTE_SET words
    Vec stops    # per lexeme: the bytes before which some text of it ends
    Vec texts    # the pairs of a production, as `ends` has those of a nonterminal


cdef int survey_init(Survey* s, Recognizer* m) noexcept nogil:
    vec_init(&s.pairs)
    vec_init(&s.queue)
    vec_init(&s.stamp)
    vec_init(&s.firsts)
    vec_init(&s.stops)
    vec_init(&s.texts)
    if dfa_init(&s.dfa, m.nodes) < 0:
        return NO_MEMORY
    s.dfa.max_states = MAX_STATES
    s.max_expressions = intern_count(&m.nodes.tuples) + MAX_EXPRESSIONS
    return vec_fill(&s.dfa.lazy, m.rules.exprs.len, 0)


cdef void survey_free(Survey* s) noexcept nogil:
    dfa_free(&s.dfa)
    vec_free(&s.pairs)
    vec_free(&s.queue)
    vec_free(&s.stamp)
    vec_free(&s.firsts)
    vec_free(&s.stops)
    vec_free(&s.texts)


cdef inline int add_pair(Survey* s, const Recognizer* m, uint32_t lexeme) noexcept nogil:
    return NO_MEMORY if vec_push(&s.pairs, lexeme) < 0 else vec_push(&s.pairs, m.rules.exprs.data[lexeme])


cdef int start_lexeme(Survey* s, const Recognizer* m, uint32_t lexeme, bint with_skips, uint32_t* state) noexcept nogil:
    """Write the state in which a lexeme begins, alone or with the skips. Returns a status."""
    cdef const Vec* skips = &m.rules.skips
    cdef uint32_t count = <uint32_t>skips.len if with_skips else 0
    cdef uint32_t i = 0
    s.pairs.len = 0
    # (the lexer wants the lexemes in order)
    while i < count and skips.data[i] < lexeme:
        if add_pair(s, m, skips.data[i]) < 0:
            return NO_MEMORY
        i += 1
    if add_pair(s, m, lexeme) < 0:
        return NO_MEMORY
    while i < count:
        if skips.data[i] != lexeme and add_pair(s, m, skips.data[i]) < 0:
            return NO_MEMORY
        i += 1
    return dfa_start(&s.dfa, s.pairs.data, s.pairs.len, state)


cdef bint is_matched(const Dfa* d, uint32_t state, uint32_t lexeme) noexcept nogil:
    cdef uint32_t lexset = dfa_accept(d, state)
    cdef uint32_t i
    for i in range(intern_len(&d.lexsets, lexset)):
        if intern_get(&d.lexsets, lexset)[i] == lexeme:
            return True
    return False


cdef int reach(Survey* s, uint32_t state, uint32_t lexeme) noexcept nogil:
    """Put a state on the queue, unless this lexeme has put it there before. Returns OK or NO_MEMORY."""
    cdef uint32_t number = state >> 8
    if number >= s.stamp.len and vec_fill(&s.stamp, number + 1 - s.stamp.len, 0) < 0:
        return NO_MEMORY
    if s.stamp.data[number] == lexeme + 1:
        return OK
    s.stamp.data[number] = lexeme + 1
    return vec_push(&s.queue, state)


cdef int find_firsts(Survey* s, const Recognizer* m, uint32_t lexeme) noexcept nogil:
    """Append the set of the bytes with which a lexeme begins to `firsts`. Returns a status."""
    cdef uint32_t state, byte, target
    cdef uint32_t[BYTE_SET] firsts
    cdef int status = start_lexeme(s, m, lexeme, False, &state)
    memset(firsts, 0, sizeof(firsts))
    for byte in range(256):
        if status >= 0:
            status = dfa_step(&s.dfa, state, byte, &target)
        if status < 0:
            return status
        if target != DEAD:
            bit_set(firsts, byte)
    return vec_extend(&s.firsts, firsts, BYTE_SET)


cdef int find_stops(Survey* s, const Recognizer* m, uint32_t lexeme) noexcept nogil:
    """Append the set of the bytes before which some text of a lexeme ends to `stops`. Returns a status."""
    cdef size_t at = 0
    cdef uint32_t byte, state, target
    cdef uint32_t[BYTE_SET] stops, leaving
    # (where a skip may not follow a skip, a lexeme after a skip does not compete with skips)
    cdef int status = start_lexeme(s, m, lexeme, not m.single_skip or m.rules.is_skip.data[lexeme], &state)
    memset(stops, 0, sizeof(stops))
    s.queue.len = 0
    if status >= 0:
        status = reach(s, state, lexeme)
    while status >= 0 and at < s.queue.len:
        state = s.queue.data[at]
        at += 1
        memset(leaving, 0, sizeof(leaving))
        if intern_count(&m.nodes.tuples) > s.max_expressions:
            return LIMIT_EMPTINESS
        for byte in range(256):
            status = dfa_step(&s.dfa, state, byte, &target)
            if status < 0:
                return status
            if target == LEAVE:
                bit_set(leaving, byte)
            elif target != DEAD and reach(s, target, lexeme) < 0:
                return NO_MEMORY
        if is_matched(&s.dfa, state, lexeme):
            add_set(stops, leaving, BYTE_SET)
    return status if status < 0 else vec_extend(&s.stops, stops, BYTE_SET)


cdef int find_edges(Survey* s, const Recognizer* m) noexcept nogil:
    """Fill `firsts` and `stops`. Returns a status."""
    cdef uint32_t lexeme
    cdef int status = OK
    for lexeme in range(<uint32_t>m.rules.exprs.len):
        if is_special(m, lexeme):
            if vec_fill(&s.firsts, BYTE_SET, 0xFF) < 0 or vec_fill(&s.stops, BYTE_SET, 0xFF) < 0:
                return NO_MEMORY
            continue
        status = find_firsts(s, m, lexeme)
        if status >= 0:
            status = find_stops(s, m, lexeme)
        if status < 0:
            return status
    return OK


cdef inline bint may_follow(const Survey* s, const Recognizer* m, uint32_t lexeme, uint32_t other) noexcept nogil:
    """Whether some text of a lexeme can be ended by the first byte of another one."""
    return (is_special(m, lexeme) or is_special(m, other)
            or meet(s.stops.data + lexeme * BYTE_SET, s.firsts.data + other * BYTE_SET, BYTE_SET))


cdef int find_before(Neighbours* n, const Survey* s, const Recognizer* m) noexcept nogil:
    """Fill `before`. Returns OK or NO_MEMORY."""
    cdef const Vec* skips = &m.rules.skips
    cdef uint32_t lexeme, other, i
    cdef uint32_t* before
    n.before.len = 0
    if vec_fill(&n.before, n.lexemes * n.words, 0) < 0:
        return NO_MEMORY
    for other in range(n.lexemes):
        before = n.before.data + other * n.words
        for lexeme in range(n.lexemes):
            if may_follow(s, m, lexeme, other):
                bit_set(before, lexeme)
    # what comes before a skip that may come before a lexeme; a chain of different skips is at most as long as there are skips
    for _ in range(1 if m.single_skip else skips.len):
        for i in range(skips.len):
            for other in range(n.lexemes):
                before = n.before.data + other * n.words
                if bit_test(before, skips.data[i]) and not (m.single_skip and m.rules.is_skip.data[other]):
                    add_set(before, n.before.data + skips.data[i] * n.words, n.words)
    return OK


cdef void add_lexeme(
    Neighbours* n, const Rules* rules, uint32_t symbol, bint first, const uint32_t* texts, uint32_t* longer,
) noexcept nogil:
    """`texts` are the pairs of a beginning of a production. Write those of this beginning and one more symbol to `longer`. `first`
    says whether the beginning may be empty."""
    cdef uint32_t words = n.words
    cdef uint32_t lexeme, other, low, high
    cdef bint inner = (symbol & NONTERMINAL) != 0
    memset(longer, 0, <size_t>n.lexemes * words * sizeof(uint32_t))
    low = 0 if inner else symbol
    high = n.lexemes if inner else symbol + 1
    for other in range(low, high):
        # with what the symbol ends where it begins with `other`
        if inner:
            memcpy(n.scratch.data, ends_of(n, rules, symbol & NUMBER, other), words * sizeof(uint32_t))
            if not meet(n.scratch.data, n.scratch.data, words):
                continue
        else:
            memset(n.scratch.data, 0, words * sizeof(uint32_t))
            bit_set(n.scratch.data, other)
        if first:
            add_set(longer + other * words, n.scratch.data, words)
        for lexeme in range(n.lexemes):
            if meet(texts + lexeme * words, n.before.data + other * words, words):
                add_set(longer + lexeme * words, n.scratch.data, words)
        n.work += 2 * n.lexemes * words
    if inner and rules.nullable.data[symbol & NUMBER]:
        add_set(longer, texts, n.lexemes * words)
    n.work += n.lexemes * words


cdef bint read_production(Neighbours* n, const Rules* rules, Survey* s, uint32_t at) noexcept nogil:
    """Add the pairs of the production that begins at a dot position to its nonterminal. Returns whether there are new ones."""
    cdef size_t size = <size_t>n.lexemes * n.words
    cdef uint32_t* texts = s.texts.data
    cdef uint32_t* longer = s.texts.data + size
    cdef uint32_t* swap
    cdef uint32_t* known
    cdef uint32_t symbol = rules.symbols.data[at]
    cdef bint first = True
    cdef bint changed = False
    cdef size_t i
    memset(texts, 0, size * sizeof(uint32_t))
    while not symbol & END:
        add_lexeme(n, rules, symbol, first, texts, longer)
        first = first and symbol & NONTERMINAL and rules.nullable.data[symbol & NUMBER]
        swap = texts
        texts = longer
        longer = swap
        at += 1
        symbol = rules.symbols.data[at]
    known = n.ends.data + (symbol & NUMBER) * size
    for i in range(size):
        if texts[i] & ~known[i]:
            known[i] |= texts[i]
            changed = True
    return changed


cdef int find_ends(Neighbours* n, const Rules* rules, Survey* s) noexcept nogil:
    """Fill `ends`. Returns 1; 0 if it takes too long; or NO_MEMORY."""
    cdef size_t size = <size_t>n.lexemes * n.words
    cdef uint32_t nonterminal, at
    cdef bint changed = True
    n.ends.len = s.texts.len = 0
    if vec_fill(&n.ends, rules.plain * size, 0) < 0 or vec_fill(&n.ends, n.words, 0xFF) < 0:
        return NO_MEMORY
    if vec_fill(&s.texts, 2 * size, 0) < 0:
        return NO_MEMORY
    while changed:
        changed = False
        for nonterminal in range(rules.plain):
            if rules.starts.data[nonterminal] == <uint32_t>NONE:
                continue
            for at in range(rules.starts.data[nonterminal], rules.ends.data[nonterminal]):
                changed |= read_production(n, rules, s, rules.bodies.data[at])
                if n.work > MAX_WORK:
                    return 0
    return 1


cdef int make_tables(Neighbours* n, Recognizer* m, Survey* s) noexcept nogil:
    """Returns 1; 0 if something takes too long; or a status as neighbours_find."""
    cdef int status = find_edges(s, m)
    if status < 0:
        return status if ends_call(status) else 0
    n.scratch.len = 0
    if vec_fill(&n.scratch, n.words, 0) < 0 or find_before(n, s, m) < 0:
        return NO_MEMORY
    return find_ends(n, m.rules, s)


cdef int neighbours_find(Neighbours* n, Recognizer* m) noexcept nogil:
    cdef Survey survey
    cdef uint32_t lexeme
    cdef int status
    if n.tried:
        return OK
    n.tried = True
    n.lexemes = <uint32_t>m.rules.exprs.len
    n.words = <uint32_t>bit_words(n.lexemes)
    if m.dfa.threads.present or m.rules.skip_bits.len:
        # (threads do not compete, and skips that stand in some rules only do not compete everywhere)
        return OK
    if (<uint64_t>m.rules.plain + 3) * n.lexemes * n.words > MAX_WORDS:
        return OK
    for lexeme in range(n.lexemes):
        if m.dfa.lazy.data[lexeme]:
            # (where it matches, it also ends the lexemes that compete with it)
            return OK
    status = survey_init(&survey, m)
    if status >= 0:
        status = make_tables(n, m, &survey)
    survey_free(&survey)
    n.found = status > 0
    n.tried = status >= 0
    n.work = 0
    return status if status < 0 else OK
