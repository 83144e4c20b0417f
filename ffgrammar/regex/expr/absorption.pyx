"""How a member is seen to lie in a loop: see inclusion.pxd. Other inclusions are left to the search (emptiness.pyx)."""

from libc.stdint cimport uint32_t

from ffgrammar.regex.expr.inclusion cimport within_star
from ffgrammar.regex.expr.nodes cimport K_AND, K_CAT, K_NOT, K_OR, K_REP, is_star, node, node_kind

cdef enum:
    # How many loops of one union or intersection are compared with the other members, and how many complements of what begins
    # with a loop.
    MAX_LOOPS = 4


cdef bint any_within(Nodes* n, size_t base, size_t loop_at, uint32_t loop) noexcept nogil:
    """Whether a member other than the one at `loop_at` lies in a loop."""
    cdef size_t i
    for i in range(base + 1, n.stack.len):
        if i != loop_at and within_star(n, n.stack.data[i], loop):
            return True
    return False


cdef size_t drop_within(Nodes* n, size_t base, size_t loop_at) noexcept nogil:
    """Drop the members that lie in the loop at `loop_at`. Returns the new place of the loop."""
    cdef uint32_t loop = n.stack.data[loop_at]
    cdef size_t place = loop_at
    cdef size_t kept = base + 1
    cdef size_t i
    for i in range(base + 1, n.stack.len):
        if i == loop_at:
            place = kept
        elif within_star(n, n.stack.data[i], loop):
            continue
        n.stack.data[kept] = n.stack.data[i]
        kept += 1
    n.stack.len = kept
    return place


cdef inline bint begins_with_loop(const Nodes* n, uint32_t e) noexcept nogil:
    return node_kind(n, e) == K_CAT and node_kind(n, node(n, e)[1]) == K_REP


cdef bint any_tighter(const Nodes* n, size_t base, uint32_t e) noexcept nogil:
    """Whether a member lies in `e`, which begins with a loop, because it is the same but for tighter bounds of this loop."""
    cdef const uint32_t* wide = node(n, node(n, e)[1])
    cdef const uint32_t* tight
    cdef uint32_t other
    cdef size_t i
    for i in range(base + 1, n.stack.len):
        other = n.stack.data[i]
        if begins_with_loop(n, other) and node(n, other)[2] == node(n, e)[2]:
            tight = node(n, node(n, other)[1])
            if tight[1] == wide[1] and tight[2] >= wide[2] and tight[3] <= wide[3]:
                return True
    return False


cdef bint absorb(Nodes* n, uint32_t kind, size_t base) noexcept nogil:
    """An intersection matches nothing if it has a member that lies in a loop, and the complement of this loop; or a member that
    begins with a loop, and the complement of the same expression with wider bounds of this loop.

    (Exactly one of the 12 patterns "aa" to "ll": without this the first mask takes 20 s, with it 4 ms.)
    """
    cdef size_t i = base + 1
    cdef uint32_t loops = 0
    cdef uint32_t beginnings = 0
    cdef uint32_t e
    while i < n.stack.len and loops < MAX_LOOPS:
        e = n.stack.data[i]
        if is_star(n, e):
            loops += 1
            if kind == K_OR:
                i = drop_within(n, base, i)
            elif any_within(n, base, i, e):
                n.stack.len -= 1
                n.stack.data[i] = n.stack.data[n.stack.len]
                continue
        elif kind == K_AND and node_kind(n, e) == K_NOT and is_star(n, node(n, e)[1]):
            loops += 1
            if any_within(n, base, i, node(n, e)[1]):
                return False
        elif kind == K_AND and node_kind(n, e) == K_NOT and begins_with_loop(n, node(n, e)[1]) and beginnings < MAX_LOOPS:
            beginnings += 1
            if any_tighter(n, base, node(n, e)[1]):
                return False
        i += 1
    return True
