"""Of several shortest texts the one that begins with the least byte counts, as in plans.pyx."""

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.engine.recognizer.completability cimport distance_by
from ffgrammar.engine.recognizer.recognizer cimport recognizer_end_lexeme
from ffgrammar.regex.dfa.lazy_dfa cimport dfa_accept
from ffgrammar.regex.expr.nodes cimport (
    FAR, K_AND, K_CAT, K_LIT, K_OR, K_REP, K_SET, Nodes, min_remaining, node, node_len, nullable, only_first,
)

cdef enum:
    # at most this many nodes of an expression are looked at
    MAX_NODES = 64


cdef uint32_t forced_byte(const Recognizer* m, const Config* config) noexcept nogil:
    cdef const uint32_t* words = intern_get(&m.dfa.states, config.state >> 8)
    if intern_len(&m.dfa.states, config.state >> 8) != 3 or m.dfa.threads.present or words[0] and m.rules.token_classes.len:
        return NO_GUESS
    return only_first(m.nodes, words[2])


cdef uint32_t first_in_set(const uint32_t* words) noexcept nogil:
    """The least byte of a set."""
    cdef uint32_t i
    for i in range(8):
        if words[i]:
            return i << 5 | lowest_bit(words[i])
    return NO_GUESS


cdef uint32_t neediest(const Nodes* n, const uint32_t* words, uint32_t count, uint32_t* pace) noexcept nogil:
    """The member of an intersection that is farthest from a match. Writes to `pace` how much nearer a byte brings all together."""
    cdef uint32_t found = words[1]
    cdef uint32_t i
    pace[0] = 0
    for i in range(1, count):
        pace[0] += min_remaining(n, words[i]) > 0
        if min_remaining(n, words[i]) > min_remaining(n, found):
            found = words[i]
    return found


cdef uint32_t first_of(const Nodes* n, uint32_t e, uint32_t* left, uint32_t* pace) noexcept nogil:
    """The least byte with which a shortest text of an expression begins, or NO_GUESS. The expression is not nullable. `left` counts
    down the nodes that may still be looked at. `pace` becomes how much nearer a byte brings an intersection that comes first."""
    cdef const uint32_t* words
    cdef uint32_t i, found
    cdef uint32_t least = NO_GUESS
    while True:
        words = node(n, e)
        if left[0] == 0 or nullable(n, e):
            return NO_GUESS
        left[0] -= 1
        if words[0] == K_CAT:
            e = words[2] if nullable(n, words[1]) else words[1]
        elif words[0] == K_REP:
            e = words[1]
        elif words[0] == K_AND:
            e = neediest(n, words, node_len(n, e), pace)
        else:
            break
    if words[0] == K_SET:
        return first_in_set(words + 1)
    if words[0] == K_LIT:
        return n.text[words[1]]
    if words[0] != K_OR:
        return NO_GUESS
    for i in range(1, node_len(n, e)):
        if min_remaining(n, words[i]) == min_remaining(n, e):
            found = first_of(n, words[i], left, pace)
            if found == NO_GUESS:
                return NO_GUESS
            least = min(least, found)
    return least


cdef uint32_t first_of_all(const Nodes* n, const Vec* exprs, bint* ends, uint32_t* pace) noexcept nogil:
    """The least byte with which a shortest text of some expressions begins, or NO_GUESS. Those that match the empty text are left
    out; `ends` then becomes True."""
    cdef uint32_t least = NO_GUESS
    cdef uint32_t left = MAX_NODES
    cdef uint32_t found
    cdef size_t i
    for i in range(exprs.len):
        if nullable(n, exprs.data[i]):
            ends[0] = True
            continue
        found = first_of(n, exprs.data[i], &left, pace)
        if found == NO_GUESS:
            return NO_GUESS
        least = min(least, found)
    return least


cdef int likely_byte(
    Completability* v, Recognizer* m, const Config* config, Vec* exprs, uint32_t* byte, uint32_t* length, uint32_t* pace,
) noexcept nogil:
    cdef Config after
    cdef uint32_t found, rest
    cdef bint ends = False
    cdef int status = distance_by(v, m, config, length, exprs)
    byte[0] = NO_GUESS
    pace[0] = 1
    if status < 0 or length[0] >= FAR or exprs.len == 0 or m.dfa.threads.present:
        return min(status, 0)
    found = first_of_all(m.nodes, exprs, &ends, pace)
    if not ends:
        byte[0] = found
        return 0
    if exprs.len > 1 or intern_get(&m.dfa.states, config.state >> 8)[0]:
        # (before its first byte a lexeme cannot end)
        return 0
    status = recognizer_end_lexeme(m, config.row, dfa_accept(&m.dfa, config.state), &after, NULL)
    if status > 0:
        status = distance_by(v, m, &after, &rest, exprs)
    if status < 0:
        return status
    ends = False
    found = first_of_all(m.nodes, exprs, &ends, pace)
    if not ends:
        byte[0] = found
    return 0
