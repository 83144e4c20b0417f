"""Members that begin with the same loop and go on alike become one, if their numbers of rounds meet.

A pattern like (.{1,63}\\.){1,127} leaves open which dots of a text end a label. After 40 dots, each pair of them may be the
beginnings of the last two labels, and is a member of its own; merged, three members are left. Without this a mask for that pattern
takes 45 ms, with it 4.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport ABSENT, map_clear, map_get, map_put
from ffgrammar.core.status cimport OK
from ffgrammar.regex.expr.nodes cimport EMPTY, K_CAT, K_REP, Nodes, make_concat, make_repeat, node, node_kind


cdef inline uint32_t loop_of(const Nodes* n, uint32_t e) noexcept nogil:
    """The first part of an expression, or the expression itself."""
    return node(n, e)[1] if node_kind(n, e) == K_CAT else e


cdef inline uint32_t rest_of(const Nodes* n, uint32_t e) noexcept nogil:
    return node(n, e)[2] if node_kind(n, e) == K_CAT else <uint32_t>EMPTY


cdef int merge(Nodes* n, uint32_t one, uint32_t other, uint32_t* out) noexcept nogil:
    """Merge two members that begin with the same loop and go on alike. Returns 1; 0 if some number between their rounds is of
    neither; or a status."""
    cdef const uint32_t* a = node(n, loop_of(n, one))
    cdef const uint32_t* b = node(n, loop_of(n, other))
    cdef uint32_t inner = a[1]
    cdef uint32_t lo = min(a[2], b[2])
    cdef uint32_t hi = max(a[3], b[3])
    cdef uint32_t loop
    cdef int status
    # (a bound of NO_BOUND is the greatest number, so nothing is added to it)
    if max(a[2], b[2]) > lo and max(a[2], b[2]) - 1 > min(a[3], b[3]):
        return 0
    status = make_repeat(n, inner, lo, hi, &loop)
    if status >= 0:
        status = make_concat(n, loop, rest_of(n, one), out)
    return status if status < 0 else 1


cdef int merge_loops(Nodes* n, size_t base) noexcept nogil:
    cdef size_t kept = base + 1
    cdef size_t i
    cdef uint32_t e, loop, place
    cdef uint64_t key
    cdef int status
    map_clear(&n.loops)
    for i in range(base + 1, n.stack.len):
        e = n.stack.data[i]
        loop = loop_of(n, e)
        if node_kind(n, loop) == K_REP:
            key = <uint64_t>node(n, loop)[1] << 32 | rest_of(n, e)
            place = map_get(&n.loops, key)
            if place == ABSENT:
                status = map_put(&n.loops, key, <uint32_t>kept)
            else:
                status = merge(n, n.stack.data[place], e, &e)
            if status < 0:
                return status
            if status:
                n.stack.data[place] = e
                continue
        n.stack.data[kept] = e
        kept += 1
    n.stack.len = kept
    return OK
