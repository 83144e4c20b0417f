"""Relaxing, widening and comparing expressions, by their structure alone: neither takes a derivative."""

from libc.stdint cimport uint32_t

from ffgrammar.core.status cimport OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.regex.expr.members cimport make_intersection, make_members, make_union
from ffgrammar.regex.expr.nodes cimport (
    ALIVE, DEAD_END, EMPTY, FAR, K_AND, K_CAT, K_NOT, K_OR, K_REP, NO_BOUND, Nodes, add_lengths, make_concat, make_repeat, node,
    node_kind, node_len, nullable,
)

cdef enum:
    # At most this many parts of a concatenation or words of a union, and this many levels of nesting, are simplified or
    # compared. What lies beyond is neither simplified nor compared.
    MAX_PARTS = 16
    MAX_LEVELS = 8
    # In the loop at the start of an expression, a lower bound up to this is dropped.
    FEW = 2
    # Counts up to this stay when an expression is widened.
    MAX_COUNT = 4


cdef int relaxed(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil:
    return relaxed_within(n, e, True, MAX_LEVELS, out)


cdef int relaxed_within(Nodes* n, uint32_t e, bint first, uint32_t levels, uint32_t* out) noexcept nogil:
    cdef uint32_t kind = node_kind(n, e)
    cdef uint32_t lo, hi
    out[0] = e
    if levels == 0:
        return OK
    if kind == K_CAT:
        return relaxed_concat(n, e, first, levels, out)
    if kind == K_AND:
        return without_not(n, e, out)
    if kind == K_OR and node_len(n, e) <= MAX_PARTS:
        return relaxed_union(n, e, first, levels, out)
    if kind == K_REP:
        lo = node(n, e)[2]
        hi = node(n, e)[3]
        # An exact count, such as that of four hexadecimal digits, stays.
        if lo != hi and hi != NO_BOUND:
            hi = NO_BOUND
        # Only few tokens notice whether the loop at the start still needs a round or two. In a later loop, every text that
        # reaches it would notice.
        if first and hi == NO_BOUND and lo <= FEW:
            lo = 0
        if hi != node(n, e)[3] or lo != node(n, e)[2]:
            return make_repeat(n, node(n, e)[1], lo, hi, out)
    return OK


cdef int relaxed_concat(Nodes* n, uint32_t e, bint first, uint32_t levels, uint32_t* out) noexcept nogil:
    cdef uint32_t parts[MAX_PARTS]
    cdef uint32_t count = 0
    cdef uint32_t part
    cdef int status
    while node_kind(n, e) == K_CAT and count < MAX_PARTS:
        parts[count] = node(n, e)[1]
        e = node(n, e)[2]
        count += 1
    out[0] = e
    if node_kind(n, e) != K_CAT:
        status = relaxed_within(n, e, False, levels - 1, out)
        if status < 0:
            return status
    while count:
        count -= 1
        status = relaxed_within(n, parts[count], first and count == 0, levels - 1, &part)
        if status >= 0:
            status = make_concat(n, part, out[0], out)
        if status < 0:
            return status
    return OK


cdef int relaxed_union(Nodes* n, uint32_t e, bint first, uint32_t levels, uint32_t* out) noexcept nogil:
    cdef size_t base = n.stack.len
    cdef uint32_t i, member
    cdef int status = vec_push(&n.stack, K_OR)
    for i in range(1, node_len(n, e)):
        if status >= 0:
            status = relaxed_within(n, node(n, e)[i], first, levels - 1, &member)
        if status >= 0:
            status = vec_push(&n.stack, member)
    if status < 0:
        n.stack.len = base
        return status
    return make_union(n, base, out)


cdef int without_not(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil:
    """An intersection without its complements. Loops in the other members keep their bounds, because a match depends on how the
    members combine."""
    cdef size_t base = n.stack.len
    cdef uint32_t i, member
    cdef int status = vec_push(&n.stack, K_AND)
    for i in range(1, node_len(n, e)):
        member = node(n, e)[i]
        if node_kind(n, member) != K_NOT and status >= 0:
            status = vec_push(&n.stack, member)
    if status < 0 or n.stack.len == base + 1 or n.stack.len == base + node_len(n, e):
        n.stack.len = base
        out[0] = e
        return status
    return make_intersection(n, base, out)


cdef int widened(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil:
    return widened_within(n, e, MAX_LEVELS, out)


cdef int widened_within(Nodes* n, uint32_t e, uint32_t levels, uint32_t* out) noexcept nogil:
    cdef uint32_t kind = node_kind(n, e)
    cdef uint32_t lo, hi, inner
    cdef int status
    out[0] = e
    if levels == 0 or n.info.data[e] & DEAD_END:
        return OK
    if kind == K_CAT:
        return widened_concat(n, e, levels - 1, out)
    if (kind == K_AND or kind == K_OR) and node_len(n, e) <= MAX_PARTS:
        return widened_members(n, e, levels - 1, out)
    if kind == K_REP:
        lo = node(n, e)[2]
        hi = node(n, e)[3]
        status = widened_within(n, node(n, e)[1], levels - 1, &inner)
        if status < 0:
            return status
        if hi > MAX_COUNT:
            hi = NO_BOUND
        return make_repeat(n, inner, lo if lo <= MAX_COUNT else 1, hi, out)
    return OK


cdef int widened_concat(Nodes* n, uint32_t e, uint32_t levels, uint32_t* out) noexcept nogil:
    cdef uint32_t parts[MAX_PARTS]
    cdef uint32_t count = 0
    cdef uint32_t part
    cdef int status = OK
    while node_kind(n, e) == K_CAT and count < MAX_PARTS:
        parts[count] = node(n, e)[1]
        e = node(n, e)[2]
        count += 1
    out[0] = e
    if node_kind(n, e) != K_CAT:
        status = widened_within(n, e, levels, out)
    while count and status >= 0:
        count -= 1
        status = widened_within(n, parts[count], levels, &part)
        if status >= 0:
            status = make_concat(n, part, out[0], out)
    return status


cdef int widened_members(Nodes* n, uint32_t e, uint32_t levels, uint32_t* out) noexcept nogil:
    cdef size_t base = n.stack.len
    cdef uint32_t kind = node_kind(n, e)
    cdef uint32_t i, member
    cdef int status = vec_push(&n.stack, kind)
    for i in range(1, node_len(n, e)):
        member = node(n, e)[i]
        if status < 0:
            break
        if kind == K_AND and node_kind(n, member) == K_NOT:
            continue
        status = widened_within(n, member, levels, &member)
        if status >= 0:
            status = vec_push(&n.stack, member)
    if status < 0:
        n.stack.len = base
        return status
    return make_members(n, kind, base, out)


cdef uint32_t min_distinguishing_length(const Nodes* n, uint32_t a, uint32_t b) noexcept nogil:
    return length_within(n, a, b, MAX_LEVELS)


cdef uint32_t length_within(const Nodes* n, uint32_t a, uint32_t b, uint32_t levels) noexcept nogil:
    cdef uint32_t before = 0
    cdef uint32_t least = FAR
    cdef uint32_t parts = 0
    cdef uint32_t head_a, head_b, found
    while a != b:
        parts += 1
        if node_kind(n, a) != K_CAT or node_kind(n, b) != K_CAT or parts > MAX_PARTS:
            found = add_lengths(before, length_of_parts(n, a, b, levels))
            return found if found < least else least
        head_a = node(n, a)[1]
        head_b = node(n, b)[1]
        if head_a != head_b:
            found = add_lengths(before, length_of_parts(n, head_a, head_b, levels))
            if found < least:
                least = found
        # The tails begin behind the shorter head at the earliest.
        before = add_lengths(before, min(n.shortest.data[head_a], n.shortest.data[head_b]))
        if before >= least:
            return least
        a = node(n, a)[2]
        b = node(n, b)[2]
    return least


cdef uint32_t length_of_parts(const Nodes* n, uint32_t a, uint32_t b, uint32_t levels) noexcept nogil:
    cdef uint32_t kind = node_kind(n, a)
    cdef uint32_t inner
    if levels and (kind == K_REP or node_kind(n, b) == K_REP):
        inner = node(n, a if kind == K_REP else b)[1]
        if repeats(n, a, inner) and repeats(n, b, inner):
            return length_of_loops(n, a, b, inner)
    if levels and kind == K_OR and node_kind(n, b) == K_OR:
        return length_of_unions(n, a, b, levels - 1)
    if levels and kind == K_CAT and node_kind(n, b) == K_CAT:
        return length_within(n, a, b, levels - 1)
    # All that is known is whether the empty text tells them apart.
    return 1 if nullable(n, a) == nullable(n, b) else 0


cdef inline bint repeats(const Nodes* n, uint32_t e, uint32_t inner) noexcept nogil:
    return e == inner or e == EMPTY or (node_kind(n, e) == K_REP and node(n, e)[1] == inner)


cdef uint32_t length_of_loops(const Nodes* n, uint32_t a, uint32_t b, uint32_t inner) noexcept nogil:
    """`length_of_parts` for two expressions that repeat `inner` a different number of times."""
    cdef uint32_t length = n.shortest.data[inner]
    cdef uint32_t lo[2]
    cdef uint32_t hi[2]
    cdef uint32_t found = FAR
    cdef uint32_t e
    cdef int i
    for i in range(2):
        e = b if i else a
        if e == EMPTY:
            lo[i] = hi[i] = 0
        elif e == inner:
            lo[i] = hi[i] = 1
        else:
            lo[i] = node(n, e)[2]
            hi[i] = node(n, e)[3]
    if lo[0] != lo[1]:
        # After the lesser number of rounds, one expression may end and the other may not.
        found = times(min(lo[0], lo[1]), length)
    if hi[0] != hi[1]:
        # After the lesser number of rounds, one expression may go on and the other may not.
        found = min(found, times(min(hi[0], hi[1]), length) + 1)
    return found


cdef inline uint32_t times(uint32_t count, uint32_t length) noexcept nogil:
    return FAR - 1 if length and count >= FAR / length else count * length


cdef uint32_t length_of_unions(const Nodes* n, uint32_t a, uint32_t b, uint32_t levels) noexcept nogil:
    """`length_of_parts` for two unions. If they are small and are equal but for one member each, these two members are compared.
    Otherwise all that is asked is whether the empty text tells the unions apart."""
    cdef uint32_t count = node_len(n, a)
    cdef uint32_t i = 1
    cdef uint32_t j = 1
    cdef uint32_t only_a = 0
    cdef uint32_t only_b = 0
    cdef const uint32_t* x = node(n, a)
    cdef const uint32_t* y = node(n, b)
    if count == node_len(n, b) and count <= MAX_PARTS:
        while i < count or j < count:
            if j == count or (i < count and x[i] < y[j]):
                if only_a:
                    break
                only_a = x[i]
                i += 1
            elif i == count or y[j] < x[i]:
                if only_b:
                    break
                only_b = y[j]
                j += 1
            else:
                i += 1
                j += 1
        else:
            # A member may match nothing although its union matches something, so both members must be known to match something.
            if n.info.data[only_a] & n.info.data[only_b] & ALIVE:
                return length_within(n, only_a, only_b, levels)
    return 1 if nullable(n, a) == nullable(n, b) else 0
