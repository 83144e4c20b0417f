"""The loop is the last part but one of a concatenation. No other part may have a loop with a count as large as the longer one's:
then a count tells which loop it belongs to."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.status cimport OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.regex.dfa.lazy_dfa cimport dfa_inside
from ffgrammar.regex.expr.nodes cimport (
    K_CAT, K_LIT, K_OR, K_REP, K_SET, NO_BOUND, Nodes, make_concat, make_repeat, node, node_kind, part_count,
)
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES

cdef enum:
    # At most this many parts of a concatenation, and nodes below them, are looked at.
    MAX_PARTS = 16
    MAX_NODES = 1000
    # Counts below this are those of other loops. A token makes fewer rounds than LONG - SMALL, so no count of the longer loop
    # gets among them.
    SMALL = 1024
    LONG = SMALL + MAX_TOKEN_BYTES + 1


cdef bint has_small_counts(Nodes* n, uint32_t e) noexcept nogil:
    """Whether all loops in an expression are unbounded or have small counts, and nothing else in it counts."""
    cdef size_t base = n.stack.len
    cdef uint32_t seen = 0
    cdef uint32_t kind, i
    cdef const uint32_t* words
    cdef bint small = vec_push(&n.stack, e) == OK
    while small and n.stack.len > base:
        n.stack.len -= 1
        words = node(n, n.stack.data[n.stack.len])
        kind = words[0]
        seen += 1
        small = kind == K_LIT or kind == K_SET or kind == K_CAT or kind == K_OR or kind == K_REP and words[2] < SMALL and (
            words[3] < SMALL or words[3] == NO_BOUND)
        small = small and seen <= MAX_NODES
        for i in range(part_count(n, n.stack.data[n.stack.len])):
            small = small and vec_push(&n.stack, words[i + 1]) == OK
    n.stack.len = base
    return small


cdef int longer_expression(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil:
    """Write the expression with the longer loop, or `e` itself. Returns OK or a status."""
    cdef uint32_t parts[MAX_PARTS]
    cdef uint32_t count = 0
    cdef uint32_t rest = e
    cdef uint32_t loop
    cdef int status = OK
    out[0] = e
    while node_kind(n, rest) == K_CAT:
        if count == MAX_PARTS:
            return OK
        parts[count] = node(n, rest)[1]
        rest = node(n, rest)[2]
        count += 1
    if count == 0 or node_kind(n, rest) != K_SET and (node_kind(n, rest) != K_LIT or node(n, rest)[2] != 1):
        return OK
    count -= 1
    loop = parts[count]
    if node_kind(n, loop) != K_REP or node(n, loop)[3] == NO_BOUND or not has_small_counts(n, node(n, loop)[1]):
        return OK
    status = make_repeat(n, node(n, loop)[1], 0, LONG, &loop)
    if status >= 0:
        status = make_concat(n, loop, rest, &rest)
    while count and status >= 0:
        count -= 1
        if not has_small_counts(n, parts[count]):
            return OK
        status = make_concat(n, parts[count], rest, &rest)
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
    if status < 0 or pair[1] == e:
        return status
    return dfa_inside(dfa, pair, 2, longer)
