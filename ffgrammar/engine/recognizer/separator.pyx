"""The search follows the shortest text of a lexeme through the automaton of all lexemes. It is a greedy search, which may fail
where a witness exists. Then configurations are searched one by one, as in grammars without a separator.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_count, bit_set, bit_test
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_push
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, LEAVE, UNKNOWN, dfa_accept, dfa_start, dfa_step
from ffgrammar.regex.expr.emptiness cimport matches_something, min_remaining
from ffgrammar.regex.expr.nodes cimport FAR

cdef enum:
    MAX_WITNESS = 64      # a witness has at most this many bytes
    MAX_STEPS = 1 << 18   # transitions that one search looks at for the nearest match; C takes 57,000
    MAX_TRIES = 2         # bytes: what keeps one from being a separator mostly keeps all others from it, too
    ANY_BYTE = 256


cdef uint32_t expr_of(const Recognizer* m, uint32_t state, uint32_t lexeme) noexcept nogil:
    """What may still follow in a lexeme; UNKNOWN if the state does not have the lexeme."""
    cdef const uint32_t* pairs = intern_get(&m.dfa.states, state >> 8)
    cdef uint32_t i
    for i in range(1, intern_len(&m.dfa.states, state >> 8), 2):
        if pairs[i] == lexeme:
            return pairs[i + 1]
    return UNKNOWN


cdef bint has_lexeme(const Recognizer* m, uint32_t lexset, uint32_t lexeme) noexcept nogil:
    cdef uint32_t i
    for i in range(intern_len(&m.dfa.lexsets, lexset)):
        if intern_get(&m.dfa.lexsets, lexset)[i] == lexeme:
            return True
    return False


cdef int nearer(Separator* s, Recognizer* m, uint32_t lexeme, uint32_t* state, uint32_t* first) noexcept nogil:
    """Take the step that comes nearest to a match of a lexeme; `first` is the byte to take, or ANY_BYTE, and becomes the byte
    that was taken. Returns 1; 0 if the lexeme cannot go on; or a status."""
    cdef uint32_t lowest = 0 if first[0] == ANY_BYTE else first[0]
    cdef uint32_t highest = 255 if first[0] == ANY_BYTE else first[0]
    cdef uint32_t last = UNKNOWN
    cdef uint32_t found = UNKNOWN
    cdef uint32_t best = FAR
    cdef uint32_t byte, target, expr, length
    cdef int status
    for byte in range(lowest, highest + 1):
        status = dfa_step(&m.dfa, state[0], byte, &target)
        if status < 0:
            return status
        s.steps += 1
        if target == last or target > LAST_STATE:
            continue
        last = target
        expr = expr_of(m, target, lexeme)
        if expr == UNKNOWN:
            continue
        length = min_remaining(m.nodes, expr)
        if length < best:
            best = length
            found = target
            first[0] = byte
    if found == UNKNOWN:
        return 0
    state[0] = found
    return 1


cdef int follow(Separator* s, Recognizer* m, uint32_t lexeme, uint32_t* state, uint32_t* first) noexcept nogil:
    """Go on by a short text to a state that matches a lexeme, at least by one byte. `first` is as for nearer, or NULL. Returns 1;
    0 if no such text is found; or a status."""
    cdef uint32_t byte = ANY_BYTE
    cdef int status = nearer(s, m, lexeme, state, &byte if first == NULL else first)
    cdef int length = 1
    while status > 0 and not has_lexeme(m, dfa_accept(&m.dfa, state[0]), lexeme):
        length += 1
        if length > MAX_WITNESS or s.steps > MAX_STEPS:
            return 0
        byte = ANY_BYTE
        status = nearer(s, m, lexeme, state, &byte)
    return status


cdef int ends_before(Recognizer* m, uint32_t state, uint32_t byte) noexcept nogil:
    """Whether the lexeme of a state ends before a byte: 1, 0 or a status."""
    cdef uint32_t target
    cdef int status = dfa_step(&m.dfa, state, byte, &target)
    return status if status < 0 else target == LEAVE


cdef int add_live(Recognizer* m, uint32_t state, uint32_t* bytes) noexcept nogil:
    """Add to a set the bytes before which the lexeme of a state does not end. Returns OK or a status."""
    cdef uint32_t byte
    cdef int status
    for byte in range(256):
        status = ends_before(m, state, byte)
        if status < 0:
            return status
        if not status:
            bit_set(bytes, byte)
    return OK


cdef int settle(Separator* s, Recognizer* m, uint32_t lexeme, uint32_t byte, uint32_t* state) noexcept nogil:
    """Where a lexeme matches but `byte` does not end it, go on to a longer match if fewer bytes can follow there: after the
    keyword and space of "union" or "union all", the word "all" may follow, but not after the longer one. Returns 1 or a status."""
    cdef uint32_t[8] live
    cdef uint32_t before = UNKNOWN
    cdef uint32_t found = state[0]
    cdef uint32_t first, target
    cdef int fewest = 257
    cdef int count
    cdef int status = ends_before(m, state[0], byte)
    if status != 0:
        return status
    for first in range(257):
        # (the first round looks at the state itself)
        target = state[0]
        if first:
            status = dfa_step(&m.dfa, state[0], first - 1, &target)
            if status < 0:
                return status
            if target == before or target > LAST_STATE:
                continue
            before = target
            if not has_lexeme(m, dfa_accept(&m.dfa, target), lexeme):
                status = follow(s, m, lexeme, &target, NULL)
                if status < 0:
                    return status
                if status == 0:
                    continue
        memset(live, 0, sizeof(live))
        status = add_live(m, target, live)
        if status < 0:
            return status
        count = set_size(live)
        if count < fewest:
            fewest = count
            found = target
    state[0] = found
    return 1


cdef int set_size(const uint32_t* bytes) noexcept nogil:
    """How many bytes a set has."""
    cdef int count = 0
    cdef int i
    for i in range(8):
        count += bit_count(bytes[i])
    return count


cdef int ends_before_all(Recognizer* m, uint32_t state, const uint32_t* bytes) noexcept nogil:
    """Whether the lexeme of a state ends before each byte of a set: 1, 0 or a status."""
    cdef uint32_t byte
    cdef int status = 1
    for byte in range(256):
        if status > 0 and bit_test(bytes, byte):
            status = ends_before(m, state, byte)
    return status


cdef int live_outside(Recognizer* m, uint32_t state, const uint32_t* bytes) noexcept nogil:
    """Whether the lexeme of a state goes on with a byte that is not in a set: 1, 0 or a status."""
    cdef uint32_t byte
    cdef int status
    for byte in range(256):
        if bit_test(bytes, byte):
            continue
        status = ends_before(m, state, byte)
        if status <= 0:
            return status if status < 0 else 1
    return 0


cdef int is_witness(Recognizer* m, uint32_t state, uint32_t byte, const uint32_t* clashing) noexcept nogil:
    """Whether a text may be a witness that leads to `state`, if no witness begins with a byte of `clashing`: 1, 0 or a
    status."""
    cdef int status
    status = ends_before(m, state, byte)
    if status == 0:
        status = live_outside(m, state, clashing)
        status = status if status < 0 else not status
    return status


cdef int choose_witness(
    Separator* s, Recognizer* m, uint32_t union_state, uint32_t lexeme, uint32_t byte, const uint32_t* clashing,
) noexcept nogil:
    """Find a witness of a lexeme that begins with no byte of `clashing`, and enter its first byte. Returns 1, 0 or a status."""
    cdef uint32_t before = UNKNOWN
    cdef uint32_t first, state, target, try_byte
    cdef int status
    for first in range(256):
        if bit_test(clashing, first):
            continue
        status = dfa_step(&m.dfa, union_state, first, &target)
        if status < 0:
            return status
        if target == before or target > LAST_STATE:
            continue
        before = target
        state = union_state
        try_byte = first
        status = follow(s, m, lexeme, &state, &try_byte)
        if status > 0:
            status = settle(s, m, lexeme, byte, &state)
        if status > 0:
            status = is_witness(m, state, byte, clashing)
        if status < 0:
            return status
        if status:
            bit_set(s.firsts, first)
            return 1
    return 0


cdef bint is_used(Recognizer* m, uint32_t lexeme) noexcept nogil:
    """Whether a lexeme needs a witness."""
    return not m.rules.is_skip.data[lexeme] and matches_something(m.nodes, m.rules.exprs.data[lexeme]) > 0


cdef int is_skipped(Recognizer* m, uint32_t union_state, uint32_t byte, uint32_t* after) noexcept nogil:
    """Whether a byte is a skip lexeme by itself: 1, 0 or a status. Writes the state after it."""
    cdef uint32_t lexset, i
    cdef int status = dfa_step(&m.dfa, union_state, byte, after)
    if status < 0 or after[0] > LAST_STATE:
        return status
    lexset = dfa_accept(&m.dfa, after[0])
    for i in range(intern_len(&m.dfa.lexsets, lexset)):
        if m.rules.is_skip.data[intern_get(&m.dfa.lexsets, lexset)[i]]:
            return 1
    return 0


cdef int is_separator(Separator* s, Recognizer* m, uint32_t union_state, uint32_t byte, uint32_t after) noexcept nogil:
    """Whether a byte that is skipped is a separator: 1, 0 or a status. If it is, `firsts` is complete. `after` is the state
    after the byte."""
    cdef uint32_t[8] clashing
    cdef uint32_t lexeme, state
    cdef int status
    memset(clashing, 0, sizeof(clashing))
    memset(s.firsts, 0, sizeof(s.firsts))
    status = add_live(m, after, clashing)
    for lexeme in range(<uint32_t>m.rules.exprs.len):
        if status < 0:
            return status
        if not is_used(m, lexeme):
            continue
        state = union_state
        status = follow(s, m, lexeme, &state, NULL)
        if status > 0:
            status = settle(s, m, lexeme, byte, &state)
        if status > 0:
            status = ends_before(m, state, byte)
            if status == 0:
                status = add_live(m, state, clashing)
    for lexeme in range(<uint32_t>m.rules.exprs.len):
        if status < 0:
            return status
        if is_used(m, lexeme):
            status = choose_witness(s, m, union_state, lexeme, byte, clashing)
            if status <= 0:
                return status
    return status if status < 0 else 1


cdef int separator_find(Separator* s, Recognizer* m) noexcept nogil:
    cdef uint32_t lexeme, union_state, byte, after, i
    cdef int tries = 0
    cdef int status
    s.found = False
    s.steps = 0
    if m.single_skip or m.rules.skips.len == 0:
        return OK
    m.pairs.len = 0
    for lexeme in range(<uint32_t>m.rules.exprs.len):
        if m.dfa.lazy.data[lexeme]:
            return OK
        if is_used(m, lexeme) or m.rules.is_skip.data[lexeme]:
            if vec_push(&m.pairs, lexeme) < 0 or vec_push(&m.pairs, m.rules.exprs.data[lexeme]) < 0:
                return NO_MEMORY
    status = dfa_start(&m.dfa, m.pairs.data, m.pairs.len, &union_state)
    # (a line end is tried first, because comments end there, too)
    for i in range(257):
        if status < 0 or tries == MAX_TRIES or s.steps > MAX_STEPS:
            break
        byte = c'\n' if i == 0 else i - 1
        if i and byte == c'\n':
            continue
        status = is_skipped(m, union_state, byte, &after)
        if status > 0:
            tries += 1
            status = is_separator(s, m, union_state, byte, after)
        if status > 0:
            s.found = True
            s.byte = byte
            break
    # (where a bound is met there is no separator, and configurations are searched)
    return NO_MEMORY if status == NO_MEMORY else OK


cdef int find_safe(Separator* s, Recognizer* m, uint32_t state) noexcept nogil:
    """is_safe for a state inside a lexeme, without the cache."""
    cdef uint32_t number = state >> 8
    cdef uint32_t lexeme, target, i
    cdef int status
    s.steps = 0
    for i in range(1, intern_len(&m.dfa.states, number), 2):
        lexeme = intern_get(&m.dfa.states, number)[i]
        target = state
        status = 1
        if not has_lexeme(m, dfa_accept(&m.dfa, state), lexeme):
            status = follow(s, m, lexeme, &target, NULL)
        if status > 0:
            status = settle(s, m, lexeme, s.byte, &target)
        if status > 0:
            status = ends_before(m, target, s.byte)
            if status == 0:
                status = ends_before_all(m, target, s.firsts)
        if status != 0:
            return status
    return 0


cdef int is_safe(Separator* s, Recognizer* m, uint32_t state) noexcept nogil:
    cdef uint32_t number = state >> 8
    cdef int status
    if number < s.safe.len and s.safe.data[number] != UNKNOWN:
        return <int>s.safe.data[number]
    if number >= s.safe.len and vec_fill(&s.safe, number + 1 - s.safe.len, 0xFF) < 0:
        return NO_MEMORY
    status = 1
    # (in a start state nothing has been read yet, and its row has been reached by a lexeme, so it can be completed)
    if not intern_get(&m.dfa.states, number)[0]:
        status = find_safe(s, m, state)
    if status < 0 and status != NO_MEMORY:
        status = 0
    if status >= 0:
        s.safe.data[number] = status
    return status
