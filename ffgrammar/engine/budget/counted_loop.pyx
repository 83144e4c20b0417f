"""The loop is the last part but one of a concatenation. It is found by structure alone, without a derivative."""

from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.status cimport OK, ends_call
from ffgrammar.regex.dfa.lazy_dfa cimport dfa_inside
from ffgrammar.regex.expr.nodes cimport (
    K_CAT, K_LIT, K_OR, K_REP, K_SET, NO_BOUND, Nodes, make_concat, make_repeat, node, node_kind, node_len,
)
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES

cdef enum:
    # At most this many parts of a concatenation, nodes below them, and levels of these are looked at.
    MAX_PARTS = 16
    MAX_NODES = 1000
    MAX_LEVELS = 50
    # Counts below this are those of other loops. A token makes fewer rounds than LONG - SMALL, so no count of the longer loop
    # gets among them.
    SMALL = 1024
    LONG = SMALL + MAX_TOKEN_BYTES + 1


cdef bint is_prefix_code(const Nodes* n, uint32_t e, uint32_t* firsts, uint32_t* left, uint32_t levels) noexcept nogil:
    """Whether a text can be read as a match of `e` in one way at most, and no match begins another one. Adds the bytes with which
    matches begin to `firsts`. `left` counts down the nodes that may still be looked at. False where this is not plain."""
    cdef uint32_t[8] own
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t i, j
    if left[0] == 0 or levels == 0:
        return False
    left[0] -= 1
    if kind == K_SET:
        for i in range(8):
            firsts[i] |= words[i + 1]
        return True
    if kind == K_LIT:
        bit_set(firsts, n.text[words[1]])
        return True
    if kind == K_REP:
        return 0 < words[2] < SMALL and words[2] == words[3] and is_prefix_code(n, words[1], firsts, left, levels - 1)
    if kind == K_CAT:
        own[:] = [0, 0, 0, 0, 0, 0, 0, 0]
        return is_prefix_code(n, words[1], firsts, left, levels - 1) and is_prefix_code(n, words[2], own, left, levels - 1)
    if kind != K_OR:
        return False
    for i in range(1, node_len(n, e)):
        own[:] = [0, 0, 0, 0, 0, 0, 0, 0]
        if not is_prefix_code(n, words[i], own, left, levels - 1):
            return False
        for j in range(8):
            if own[j] & firsts[j]:
                return False
            firsts[j] |= own[j]
    return True


cdef bint is_counted(const Nodes* n, const uint32_t* parts, uint32_t count, uint32_t loop, uint32_t last) noexcept nogil:
    """Whether the rounds of a loop can be counted: the parts before it, its body and the byte after it are read in one way."""
    cdef uint32_t[8] firsts
    cdef uint32_t[8] other
    cdef uint32_t left = MAX_NODES
    cdef uint32_t i
    if node_kind(n, last) != K_SET or node_kind(n, loop) != K_REP or node(n, loop)[3] == NO_BOUND:
        return False
    for i in range(count):
        other[:] = [0, 0, 0, 0, 0, 0, 0, 0]
        if not is_prefix_code(n, parts[i], other, &left, MAX_LEVELS):
            return False
    firsts[:] = [0, 0, 0, 0, 0, 0, 0, 0]
    if not is_prefix_code(n, node(n, loop)[1], firsts, &left, MAX_LEVELS):
        return False
    for i in range(8):
        if firsts[i] & node(n, last)[i + 1]:
            return False
    return True


cdef int longer_expression(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil:
    """Write the expression with the longer loop, or `e` itself. Returns OK or a status."""
    cdef uint32_t parts[MAX_PARTS]
    cdef uint32_t count = 0
    cdef uint32_t rest = e
    cdef uint32_t loop
    cdef int status
    out[0] = e
    while node_kind(n, rest) == K_CAT:
        if count == MAX_PARTS:
            return OK
        parts[count] = node(n, rest)[1]
        rest = node(n, rest)[2]
        count += 1
    if count == 0:
        return OK
    count -= 1
    if not is_counted(n, parts, count, parts[count], rest):
        return OK
    status = make_repeat(n, node(n, parts[count])[1], 0, LONG, &loop)
    if status >= 0:
        status = make_concat(n, loop, rest, &rest)
    while count and status >= 0:
        count -= 1
        status = make_concat(n, parts[count], rest, &rest)
    if status >= 0:
        out[0] = rest
    return status


cdef int with_longer_loop(Dfa* dfa, uint32_t state, uint32_t* longer) noexcept nogil:
    cdef const uint32_t* words = intern_get(&dfa.states, state >> 8)
    cdef uint32_t pair[2]
    cdef uint32_t e
    cdef int status
    longer[0] = state
    if words[0] or intern_len(&dfa.states, state >> 8) != 3 or dfa.lazy.data[words[1]] or dfa.threads.present:
        return OK
    pair[0] = words[1]
    e = words[2]
    status = longer_expression(dfa.nodes, e, &pair[1])
    if status >= 0 and pair[1] != e:
        status = dfa_inside(dfa, pair, 2, longer)
    if status < 0:
        longer[0] = state
    # (where a limit is near, a walk from the state itself may still fit)
    return status if ends_call(status) else OK
