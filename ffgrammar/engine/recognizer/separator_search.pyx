"""The search for separators. It tries the bytes that are skip lexemes, and looks for a witness of each lexeme beside them."""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK, ends_call
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_push
from ffgrammar.engine.recognizer.followers cimport followers_find, followers_of, followers_trim
from ffgrammar.engine.recognizer.separator cimport (
    ANY_BYTE, BYTE_SET, MAX_STEPS, NO_SEPARATOR, add_live, ends_before, follow, goes_on_outside, lexer, settle,
)
from ffgrammar.regex.dfa.lazy_dfa cimport LAST_STATE, UNKNOWN, Dfa, dfa_accept, dfa_start, dfa_step
from ffgrammar.regex.expr.emptiness cimport matches_something

cdef enum:
    MAX_TRIES = 2  # bytes: what keeps one from being a separator mostly keeps all others from it, too


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
