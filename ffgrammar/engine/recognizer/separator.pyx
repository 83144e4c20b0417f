"""Short texts of lexemes, and what may follow them. A walk follows the shortest text of a lexeme through an automaton of several
lexemes. It is greedy, so it may miss a text that exists. Then configurations are searched one by one, as in grammars without a
separator.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.owner cimport owner_bytes, owner_free
from ffgrammar.core.status cimport NO_MEMORY, OK, ends_call
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.engine.recognizer.followers cimport followers_init
from ffgrammar.regex.dfa.lazy_dfa cimport (
    LAST_STATE, LEAVE, UNKNOWN, dfa_accept, dfa_bytes, dfa_clear, dfa_free, dfa_init, dfa_inside, dfa_step,
)
from ffgrammar.regex.dfa.threads cimport Threads, thread_of
from ffgrammar.regex.expr.derivative cimport next_class
from ffgrammar.regex.expr.nodes cimport FAR, min_remaining

cdef enum:
    MAX_WITNESS = 128     # a witness has at most this many bytes
    MAX_STATES = 1 << 14  # of the automaton of single threads


cdef int separator_init(Separator* s, Nodes* nodes) noexcept nogil:
    s.found = False
    vec_init(&s.bytes)
    vec_init(&s.firsts)
    vec_init(&s.live_after)
    vec_init(&s.live)
    vec_init(&s.clashing)
    vec_init(&s.witnesses)
    vec_init(&s.safe)
    vec_init(&s.pairs)
    if followers_init(&s.followers) < 0 or dfa_init(&s.alone, nodes) < 0:
        return NO_MEMORY
    s.alone.max_states = MAX_STATES
    return OK


cdef void separator_free(Separator* s) noexcept nogil:
    dfa_free(&s.alone)
    vec_free(&s.bytes)
    vec_free(&s.firsts)
    vec_free(&s.live_after)
    vec_free(&s.live)
    vec_free(&s.clashing)
    vec_free(&s.witnesses)
    owner_free(&s.followers.owner)
    vec_free(&s.safe)
    vec_free(&s.pairs)


cdef void separator_clear(Separator* s) noexcept nogil:
    s.safe.len = 0
    dfa_clear(&s.alone)


cdef size_t separator_bytes(const Separator* s) noexcept nogil:
    return (dfa_bytes(&s.alone) + owner_bytes(&s.followers.owner)
            + (s.bytes.cap + s.firsts.cap + s.live_after.cap + s.safe.cap + s.pairs.cap) * sizeof(uint32_t))


cdef uint32_t expr_of(const Dfa* d, uint32_t state, uint32_t lexeme) noexcept nogil:
    """What may still follow in a lexeme; UNKNOWN if the state does not have the lexeme."""
    cdef const uint32_t* pairs = intern_get(&d.states, state >> 8)
    cdef uint32_t i
    for i in range(1, intern_len(&d.states, state >> 8), 2):
        if pairs[i] == lexeme:
            return pairs[i + 1]
    return UNKNOWN


cdef bint has_lexeme(const Dfa* d, uint32_t lexset, uint32_t lexeme) noexcept nogil:
    cdef uint32_t i
    for i in range(intern_len(&d.lexsets, lexset)):
        if intern_get(&d.lexsets, lexset)[i] == lexeme:
            return True
    return False


cdef int nearer(Separator* s, Dfa* d, uint32_t lexeme, uint32_t* state, uint32_t* first) noexcept nogil:
    """Take the step that comes nearest to a match of a lexeme; `first` is the byte to take, or ANY_BYTE, and becomes the byte
    that was taken. Returns 1; 0 if the lexeme cannot go on; or a status."""
    cdef uint32_t[BYTE_SET] covered
    cdef uint32_t here = expr_of(d, state[0], lexeme)
    cdef uint32_t byte = first[0]
    cdef uint32_t found = UNKNOWN
    cdef uint32_t best = FAR
    cdef uint32_t target, expr, length, shortest
    cdef int status
    memset(covered, 0, sizeof(covered))
    if here == UNKNOWN:
        return 0
    shortest = min_remaining(d.nodes, here)
    if byte == ANY_BYTE:
        # (one byte stands for all that lead the lexeme to the same rest)
        byte = 0
        next_class(d.nodes, here, covered, &byte)
    else:
        memset(covered, 0xFF, sizeof(covered))
    while True:
        status = dfa_step(d, state[0], byte, &target)
        if status < 0:
            return status
        s.steps += 1
        expr = expr_of(d, target, lexeme) if target <= LAST_STATE else <uint32_t>UNKNOWN
        length = FAR if expr == UNKNOWN else min_remaining(d.nodes, expr)
        if length < best:
            best = length
            found = target
            first[0] = byte
        # (no step can come nearer than one that makes the rest shorter by a byte)
        if best < shortest or not next_class(d.nodes, here, covered, &byte):
            break
    if found == UNKNOWN:
        return 0
    state[0] = found
    return 1


cdef int follow(Separator* s, Dfa* d, uint32_t lexeme, uint32_t* state, uint32_t* first) noexcept nogil:
    cdef uint32_t byte = ANY_BYTE
    cdef int status = nearer(s, d, lexeme, state, &byte if first == NULL else first)
    cdef int length = 1
    while status > 0 and not has_lexeme(d, dfa_accept(d, state[0]), lexeme):
        length += 1
        if length > MAX_WITNESS or s.steps > MAX_STEPS:
            return 0
        byte = ANY_BYTE
        status = nearer(s, d, lexeme, state, &byte)
    return status


cdef int ends_before(Dfa* d, uint32_t state, uint32_t byte) noexcept nogil:
    cdef uint32_t target
    cdef int status
    if byte == NO_SEPARATOR:
        return 0
    status = dfa_step(d, state, byte, &target)
    return status if status < 0 else target == LEAVE


cdef int add_live(Dfa* d, uint32_t state, uint32_t* bytes) noexcept nogil:
    cdef uint32_t byte
    cdef int status
    for byte in range(256):
        status = ends_before(d, state, byte)
        if status < 0:
            return status
        if not status:
            bit_set(bytes, byte)
    return OK


cdef int count_live(Dfa* d, uint32_t state, int most) noexcept nogil:
    """How many bytes there are before which the lexeme of a state does not end, counted up to `most`; or a status."""
    cdef uint32_t byte
    cdef int count = 0
    cdef int status
    for byte in range(256):
        status = ends_before(d, state, byte)
        if status < 0:
            return status
        count += not status
        if count == most:
            break
    return count


cdef int settle(Separator* s, Dfa* d, uint32_t lexeme, uint32_t byte, uint32_t* state) noexcept nogil:
    cdef uint32_t before = UNKNOWN
    cdef uint32_t found = state[0]
    cdef uint32_t first, target
    cdef int fewest = 257
    cdef int count
    cdef int status = ends_before(d, state[0], byte)
    if status != 0:
        return status
    for first in range(257):
        # (the first round looks at the state itself)
        target = state[0]
        if first:
            status = dfa_step(d, state[0], first - 1, &target)
            if status < 0:
                return status
            if target == before or target > LAST_STATE:
                continue
            before = target
            if not has_lexeme(d, dfa_accept(d, target), lexeme):
                status = follow(s, d, lexeme, &target, NULL)
                if status < 0:
                    return status
                if status == 0:
                    continue
        count = count_live(d, target, fewest)
        if count < 0:
            return count
        if count < fewest:
            fewest = count
            found = target
    state[0] = found
    return 1


cdef int goes_on_outside(
    Separator* s, Dfa* d, uint32_t state, uint32_t lexeme, uint32_t group, const uint32_t* bytes,
) noexcept nogil:
    cdef const uint32_t* live_after = s.live_after.data + group * BYTE_SET
    cdef uint32_t byte
    cdef int status
    cdef int separated = 0
    if not s.followers.tight.data[lexeme]:
        separated = ends_before(d, state, s.bytes.data[group])
    for byte in range(256):
        if separated < 0:
            return separated
        if bit_test(bytes, byte) or separated and not bit_test(live_after, byte):
            continue
        status = ends_before(d, state, byte)
        if status <= 0:
            return status if status < 0 else 1
    return 0


cdef int goes_on_before(Separator* s, Dfa* d, uint32_t state, uint32_t lexeme, uint32_t group) noexcept nogil:
    """Whether the text of a lexeme that leads to a state goes on with the first byte of the witness of a follower, with which the
    text after a separator goes on, too, if one may stand there: 1, 0 or a status."""
    cdef uint32_t others[BYTE_SET]
    cdef uint32_t i
    for i in range(BYTE_SET):
        others[i] = ~s.firsts.data[lexeme * BYTE_SET + i]
    return goes_on_outside(s, d, state, lexeme, group, others)


cdef int is_safe_by(
    Separator* s, Recognizer* m, uint32_t state, uint32_t group, uint32_t lexeme,
) noexcept nogil:
    """Whether a state is safe because one of its lexemes can end: 1, 0 or a status."""
    cdef Dfa* d = lexer(s, m)
    cdef uint32_t target = state
    cdef int status = 1
    if not has_lexeme(d, dfa_accept(d, state), lexeme):
        status = follow(s, d, lexeme, &target, NULL)
    if status <= 0:
        return status
    status = goes_on_before(s, d, target, lexeme, group)
    if status > 0 and s.settles:
        status = settle(s, d, lexeme, s.bytes.data[group], &target)
        if status > 0:
            status = goes_on_before(s, d, target, lexeme, group)
    return status if status < 0 else not status


cdef uint32_t nearest_lexeme(const Dfa* d, uint32_t state) noexcept nogil:
    """The lexeme of a state with the fewest bytes to a match."""
    cdef const uint32_t* pairs = intern_get(&d.states, state >> 8)
    cdef uint32_t nearest = pairs[1]
    cdef uint32_t fewest = FAR
    cdef uint32_t i, length
    for i in range(1, intern_len(&d.states, state >> 8), 2):
        length = min_remaining(d.nodes, pairs[i + 1])
        if length < fewest:
            fewest = length
            nearest = pairs[i]
    return nearest


cdef int find_safe(Separator* s, Recognizer* m, uint32_t state, uint32_t group) noexcept nogil:
    """Whether a state inside lexemes of a group, all of which compete, is safe: 1, 0 or a status.

    The nearest lexeme is asked first. (After a line's end, Python's grammar has 80 lexemes, one for each column. A mask
    there takes 2 ms, and 6 ms if lexemes are asked in their order.)
    """
    cdef Dfa* d = lexer(s, m)
    cdef uint32_t number = state >> 8
    cdef uint32_t nearest = nearest_lexeme(d, state)
    cdef uint32_t lexeme, i
    cdef int status = 0
    s.steps = 0
    if nearest < m.rules.first_word:
        status = is_safe_by(s, m, state, group, nearest)
    for i in range(1, intern_len(&d.states, number), 2):
        if status != 0:
            break
        lexeme = intern_get(&d.states, number)[i]
        if lexeme >= m.rules.first_word:
            break
        if lexeme != nearest:
            status = is_safe_by(s, m, state, group, lexeme)
    return status


cdef int find_safe_thread(Separator* s, Recognizer* m, uint32_t state) noexcept nogil:
    """Whether one of the threads of a state inside lexemes is safe: 1, 0 or a status."""
    cdef const Threads* t = &m.dfa.threads
    cdef uint32_t number = state >> 8
    cdef uint32_t length = intern_len(&m.dfa.states, number)
    cdef const uint32_t* pairs = intern_get(&m.dfa.states, number)
    cdef uint32_t i, k, thread, lexeme, alone
    cdef int status = 0
    for i in range(1, length, 2):
        lexeme = pairs[i] % t.lexemes
        if m.rules.delimited.data[t.groups.data[lexeme]] or t.anywhere.data[lexeme]:
            return 1
    if not t.present:
        return find_safe(s, m, state, t.groups.data[pairs[1] % t.lexemes])
    for i in range(1, length, 2):
        thread = thread_of(t, pairs[i])
        s.pairs.len = 0
        for k in range(1, length, 2):
            if thread_of(t, pairs[k]) != thread:
                continue
            if k < i:
                break
            if vec_push(&s.pairs, pairs[k] % t.lexemes) < 0 or vec_push(&s.pairs, pairs[k + 1]) < 0:
                return NO_MEMORY
        if s.pairs.len == 0:
            continue
        status = dfa_inside(&s.alone, s.pairs.data, s.pairs.len, &alone)
        if status >= 0:
            status = find_safe(s, m, alone, t.groups.data[s.pairs.data[0]])
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
        status = find_safe_thread(s, m, state)
    if status < 0 and not ends_call(status):
        status = 0
    if status >= 0:
        s.safe.data[number] = status
    return status
