"""The search follows the shortest text of a lexeme through the automaton of all lexemes of its group. It is a greedy search, which
may fail where a witness exists. Then configurations are searched one by one, as in grammars without a separator.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK, ends_call
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push
from ffgrammar.regex.dfa.lazy_dfa cimport (
    LAST_STATE, LEAVE, UNKNOWN, Dfa, dfa_accept, dfa_bytes, dfa_clear, dfa_free, dfa_init, dfa_inside, dfa_start, dfa_step,
)
from ffgrammar.core.owner cimport owner_bytes, owner_free
from ffgrammar.engine.recognizer.followers cimport followers_find, followers_init, followers_of, followers_trim
from ffgrammar.regex.dfa.threads cimport Threads, thread_of
from ffgrammar.regex.expr.derivative cimport next_class
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.nodes cimport FAR, min_remaining

cdef enum:
    MAX_WITNESS = 128     # a witness has at most this many bytes
    MAX_STEPS = 1 << 21   # transitions that one search looks at for the nearest match
    MAX_TRIES = 2         # bytes: what keeps one from being a separator mostly keeps all others from it, too
    ANY_BYTE = 256
    NO_SEPARATOR = 256    # in place of the byte: every witness ends by itself
    BYTE_SET = 8          # words of a set of bytes
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


cdef inline Dfa* lexer(Separator* s, Recognizer* m) noexcept nogil:
    """An automaton in which all lexemes of a state compete."""
    return &s.alone if m.dfa.threads.present else &m.dfa


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
    """Go on by a short text to a state that matches a lexeme, at least by one byte. `first` is as for nearer, or NULL. Returns 1;
    0 if no such text is found; or a status."""
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
    """Whether the lexeme of a state ends before a byte: 1, 0 or a status. Nothing ends before NO_SEPARATOR."""
    cdef uint32_t target
    cdef int status
    if byte == NO_SEPARATOR:
        return 0
    status = dfa_step(d, state, byte, &target)
    return status if status < 0 else target == LEAVE


cdef int add_live(Dfa* d, uint32_t state, uint32_t* bytes) noexcept nogil:
    """Add to a set the bytes before which the lexeme of a state does not end. Returns OK or a status."""
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
    """Where a lexeme matches but `byte` does not end it, go on to a longer match if fewer bytes can follow there: after the
    keyword and space of "union" or "union all", the word "all" may follow, but not after the longer one. Returns 1 or a status."""
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
    """Whether the text of a lexeme that leads to a state goes on with a byte that is not in a set, and with which the text after a
    separator goes on, too, if one may stand there: 1, 0 or a status."""
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


cdef int is_witness(
    Separator* s, Dfa* d, uint32_t union_state, uint32_t lexeme, uint32_t group, bint anywhere, uint32_t* first,
) noexcept nogil:
    """Whether a lexeme has a witness that begins with a byte, `first`, or with any byte if it is ANY_BYTE: 1, 0 or a status. Writes
    the byte."""
    cdef uint32_t state = union_state
    cdef int status = follow(s, d, lexeme, &state, first)
    if status <= 0 or anywhere:
        return status
    status = goes_on_outside(s, d, state, lexeme, group, s.live.data + lexeme * BYTE_SET)
    if status > 0 and s.settles:
        status = settle(s, d, lexeme, s.bytes.data[group], &state)
        if status > 0:
            status = goes_on_outside(s, d, state, lexeme, group, s.live.data + lexeme * BYTE_SET)
    return status if status < 0 else not status


cdef int choose_witness(
    Separator* s, Dfa* d, uint32_t union_state, uint32_t lexeme, uint32_t group, bint anywhere, const uint32_t* clashing,
) noexcept nogil:
    """Find a witness of a lexeme that begins with no byte of `clashing`, and after which it goes on with no byte that is not in its
    set in `live`. Enters the first byte in `witnesses`. Returns 1, 0 or a status."""
    cdef uint32_t before = UNKNOWN
    cdef uint32_t first = ANY_BYTE
    cdef uint32_t target
    cdef int status = is_witness(s, d, union_state, lexeme, group, anywhere, &first)
    s.witnesses.data[lexeme] = first
    if status < 0 or status > 0 and not bit_test(clashing, first):
        return status
    for first in range(256):
        if bit_test(clashing, first):
            continue
        status = dfa_step(d, union_state, first, &target)
        if status < 0:
            return status
        if target == before or target > LAST_STATE:
            continue
        before = target
        s.witnesses.data[lexeme] = first
        status = is_witness(s, d, union_state, lexeme, group, anywhere, &s.witnesses.data[lexeme])
        if status != 0:
            return status
    return 0


cdef inline bint is_like_skip(const Recognizer* m, uint32_t lexeme) noexcept nogil:
    return m.rules.is_skip.data[lexeme] or m.rules.separates.data[lexeme]


cdef int is_used(Recognizer* m, uint32_t lexeme, uint32_t group) noexcept nogil:
    """Whether a lexeme of a group needs a witness: 1, 0 or a status."""
    if lexeme >= m.rules.first_word or m.dfa.threads.groups.data[lexeme] != group or is_like_skip(m, lexeme):
        return 0
    return matches_something(m.nodes, m.rules.exprs.data[lexeme])


cdef bint always_allowed(const Recognizer* m, uint32_t lexeme) noexcept nogil:
    """Whether a skip may stand wherever any skip may stand."""
    cdef uint32_t number = 0
    cdef uint32_t i
    if m.rules.skip_bits.len == 0:
        return True
    while number < m.rules.skips.len and m.rules.skips.data[number] != lexeme:
        number += 1
    for i in range(<uint32_t>m.rules.skip_bits.len):
        if m.rules.skip_bits.data[i] and not m.rules.skip_bits.data[i] >> number & 1:
            return False
    return True


cdef int is_skipped(Recognizer* m, Dfa* d, uint32_t union_state, uint32_t byte, uint32_t* after) noexcept nogil:
    """Whether a byte is by itself a lexeme that may stand after all others of its group: 1, 0 or a status. Writes the state after
    it."""
    cdef uint32_t lexset, i, lexeme
    cdef int status = dfa_step(d, union_state, byte, after)
    if status < 0 or after[0] > LAST_STATE:
        return status
    lexset = dfa_accept(d, after[0])
    for i in range(intern_len(&d.lexsets, lexset)):
        lexeme = intern_get(&d.lexsets, lexset)[i]
        if m.rules.separates.data[lexeme] and always_allowed(m, lexeme):
            return 1
    return 0


cdef int find_live(Separator* s, Recognizer* m, uint32_t group, uint32_t union_state, uint32_t byte) noexcept nogil:
    """For each lexeme of a group, write to `live` the bytes with which it goes on after a text of it, where the separator does not
    keep them apart, and add them to the sets in `clashing` of those that may follow it. Returns 1, 0 or a status."""
    cdef Dfa* d = lexer(s, m)
    cdef const uint32_t* next_first = m.rules.next_first.data + group * BYTE_SET
    cdef const uint32_t* live_after = s.live_after.data + group * BYTE_SET
    cdef uint32_t* live
    cdef uint32_t lexeme, other, state, i
    cdef int status = OK
    cdef int separated
    for lexeme in range(<uint32_t>m.rules.exprs.len):
        if status >= 0:
            status = is_used(m, lexeme, group)
        if status < 0:
            return status
        if status == 0 or m.dfa.threads.anywhere.data[lexeme]:
            continue
        state = union_state
        live = s.live.data + lexeme * BYTE_SET
        status = follow(s, d, lexeme, &state, NULL)
        if status > 0 and s.settles:
            status = settle(s, d, lexeme, byte, &state)
        if status <= 0:
            return status
        status = add_live(d, state, live)
        separated = 0 if s.followers.tight.data[lexeme] else ends_before(d, state, byte)
        if status < 0 or separated < 0:
            return min(status, separated)
        for i in range(BYTE_SET):
            if live[i] & next_first[i] and not separated:
                return 0
            if separated:
                live[i] &= live_after[i]
        for other in range(<uint32_t>m.rules.exprs.len):
            if bit_test(followers_of(&s.followers, lexeme), other):
                for i in range(BYTE_SET):
                    s.clashing.data[other * BYTE_SET + i] |= live[i]
    return 1


cdef int find_witnesses(Separator* s, Recognizer* m, uint32_t group, uint32_t union_state) noexcept nogil:
    """Find a witness of each lexeme of a group, and fill `firsts`. Returns 1, 0 or a status."""
    cdef Dfa* d = lexer(s, m)
    cdef uint32_t[BYTE_SET] avoided
    cdef const uint32_t* clashing
    cdef uint32_t lexeme, other, i
    cdef bint anywhere
    cdef int status
    for lexeme in range(<uint32_t>m.rules.exprs.len):
        status = is_used(m, lexeme, group)
        if status > 0:
            anywhere = m.dfa.threads.anywhere.data[lexeme] != 0
            clashing = s.clashing.data + lexeme * BYTE_SET
            # (better a witness that the separator's lexeme does not swallow: then states inside this lexeme are safe, too)
            for i in range(BYTE_SET):
                avoided[i] = clashing[i] | s.live_after.data[group * BYTE_SET + i]
            status = 0
            if s.bytes.data[group] != NO_SEPARATOR:
                status = choose_witness(s, d, union_state, lexeme, group, anywhere, avoided)
            if status == 0:
                status = choose_witness(s, d, union_state, lexeme, group, anywhere, clashing)
            if status == 0:
                return 0
        else:
            s.witnesses.data[lexeme] = NO_SEPARATOR
        if status < 0:
            return status
    for lexeme in range(<uint32_t>m.rules.exprs.len):
        if m.dfa.threads.groups.data[lexeme] != group:
            continue
        for i in range(BYTE_SET):
            s.firsts.data[lexeme * BYTE_SET + i] |= m.rules.next_first.data[group * BYTE_SET + i]
        for other in range(<uint32_t>m.rules.exprs.len):
            if s.witnesses.data[other] != NO_SEPARATOR and bit_test(followers_of(&s.followers, lexeme), other):
                bit_set(s.firsts.data + lexeme * BYTE_SET, s.witnesses.data[other])
    return 1


cdef int is_separator(
    Separator* s, Recognizer* m, uint32_t group, uint32_t union_state, uint32_t byte, uint32_t after,
) noexcept nogil:
    """Whether a byte that is skipped is the separator of a group: 1, 0 or a status. `after` is the state after the byte. If the
    byte is NO_SEPARATOR: whether the group needs none."""
    cdef uint32_t* live_after = s.live_after.data + group * BYTE_SET
    cdef uint32_t lexeme, i
    cdef int status = OK
    s.bytes.data[group] = byte
    memset(live_after, 0xFF, BYTE_SET * sizeof(uint32_t))
    if byte != NO_SEPARATOR:
        memset(live_after, 0, BYTE_SET * sizeof(uint32_t))
        status = add_live(lexer(s, m), after, live_after)
        for i in range(BYTE_SET):
            if live_after[i] & m.rules.next_first.data[group * BYTE_SET + i]:
                return min(status, 0)
    for lexeme in range(<uint32_t>m.rules.exprs.len):
        if m.dfa.threads.groups.data[lexeme] == group:
            memset(s.live.data + lexeme * BYTE_SET, 0, BYTE_SET * sizeof(uint32_t))
            memset(s.firsts.data + lexeme * BYTE_SET, 0, BYTE_SET * sizeof(uint32_t))
            memcpy(s.clashing.data + lexeme * BYTE_SET, m.rules.previous_going_on.data + group * BYTE_SET,
                   BYTE_SET * sizeof(uint32_t))
    if status >= 0:
        status = find_live(s, m, group, union_state, byte)
    return find_witnesses(s, m, group, union_state) if status > 0 else status


cdef int try_separator(
    Separator* s, Recognizer* m, uint32_t group, uint32_t union_state, uint32_t byte, uint32_t after,
) noexcept nogil:
    """is_separator with the shortest texts of the lexemes, or else with longer ones, too, which take longer to find."""
    cdef int status
    s.settles = False
    status = is_separator(s, m, group, union_state, byte, after)
    if status == 0:
        s.settles = True
        status = is_separator(s, m, group, union_state, byte, after)
    return status


cdef int start_group(Separator* s, Recognizer* m, uint32_t group, uint32_t* state) noexcept nogil:
    """Write the state in which all lexemes of a group begin. Returns 1; 0 if one of them is lazy; or a status."""
    cdef uint32_t lexeme
    cdef int status
    s.pairs.len = 0
    for lexeme in range(m.rules.first_word):
        if m.dfa.threads.groups.data[lexeme] != group:
            continue
        if m.dfa.lazy.data[lexeme]:
            return 0
        status = is_like_skip(m, lexeme) or is_used(m, lexeme, group)
        if status < 0:
            return status
        if status and (vec_push(&s.pairs, lexeme) < 0 or vec_push(&s.pairs, m.rules.exprs.data[lexeme]) < 0):
            return NO_MEMORY
    for lexeme in range(m.rules.first_word, <uint32_t>m.rules.exprs.len):
        if vec_push(&s.pairs, lexeme) < 0 or vec_push(&s.pairs, m.rules.exprs.data[lexeme]) < 0:
            return NO_MEMORY
    status = dfa_start(lexer(s, m), s.pairs.data, s.pairs.len, state)
    return status if status < 0 else 1


cdef int find_in_group(Separator* s, Recognizer* m, uint32_t group) noexcept nogil:
    """Look for the separator of a group, and enter it. Returns 1, 0 or a status."""
    cdef uint32_t union_state, byte, after, i
    cdef int tries = 0
    cdef int status = start_group(s, m, group, &union_state)
    if status <= 0:
        return status
    # (a line end is tried first, because comments end there, too)
    for i in range(258):
        if s.steps > MAX_STEPS:
            return 0
        if i == 257:
            return try_separator(s, m, group, union_state, NO_SEPARATOR, 0)
        byte = c'\n' if i == 0 else i - 1
        if tries == MAX_TRIES or (i and byte == c'\n'):
            continue
        status = is_skipped(m, lexer(s, m), union_state, byte, &after)
        if status > 0:
            tries += 1
            status = try_separator(s, m, group, union_state, byte, after)
        if status != 0:
            return status
    return 0


cdef int separator_find(Separator* s, Recognizer* m) noexcept nogil:
    cdef uint32_t groups = <uint32_t>m.rules.delimited.len
    cdef uint32_t group
    cdef int status = 1
    s.found = False
    s.steps = 0
    s.bytes.len = s.firsts.len = s.live_after.len = s.alone.lazy.len = 0
    s.live.len = s.clashing.len = s.witnesses.len = 0
    if vec_fill(&s.bytes, groups, 0) < 0 or vec_fill(&s.live_after, groups * BYTE_SET, 0) < 0:
        return NO_MEMORY
    if vec_fill(&s.firsts, m.rules.exprs.len * BYTE_SET, 0) < 0 or vec_fill(&s.witnesses, m.rules.exprs.len, 0) < 0:
        return NO_MEMORY
    if vec_fill(&s.live, s.firsts.len, 0) < 0 or vec_fill(&s.clashing, s.firsts.len, 0) < 0:
        return NO_MEMORY
    if followers_find(&s.followers, m.rules) < 0:
        return NO_MEMORY
    if vec_fill(&s.alone.lazy, m.rules.exprs.len, 0) < 0:
        return NO_MEMORY
    for group in range(groups):
        if status > 0 and not m.rules.delimited.data[group]:
            status = find_in_group(s, m, group)
    s.found = groups > 0 and status > 0
    vec_free(&s.live)
    vec_free(&s.clashing)
    vec_free(&s.witnesses)
    followers_trim(&s.followers)
    # (where a bound is met there is no separator, and configurations are searched)
    return status if ends_call(status) else OK


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
