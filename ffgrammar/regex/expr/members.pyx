"""Unions and intersections are simplified before they are interned; nodes.pyx has the laws. Three further ones keep
expressions small: members that lie in a loop of another member are dropped (inclusion.pyx), members of a union that differ only in
the bounds of their first loop become one (loops.pyx), and a byte set with which all members begin is pulled out of them.

One set of functions makes both kinds; `kind` says which. They mirror each other: NOTHING is neutral in a union and decides an
intersection, and ANY is neutral in an intersection and decides a union.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.status cimport LIMIT_EXPRESSION_SIZE, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_push
from ffgrammar.regex.expr.absorption cimport absorb
from ffgrammar.regex.expr.loops cimport first_loop, merge_loops
from ffgrammar.regex.expr.nodes cimport (
    ALIVE, ANY, DEAD_END, EMPTY, FAR, K_AND, K_CAT, K_NOT, K_OR, K_SET, NOTHING, NULLABLE, Nodes, add_node, depth_of,
    make_complement, make_concat, make_set, node, node_kind, node_len,
)

cdef enum:
    # How many byte sets are pulled out of the members of one union or intersection. One character has at most six bytes.
    MAX_PULLED = 8
    # How many members of one intersection are looked up in each union that it excludes.
    MAX_EXCLUDED = 4


cdef bint sorted_has(const uint32_t* words, size_t count, uint32_t word) noexcept nogil:
    cdef size_t lo = 0
    cdef size_t mid
    while lo < count:
        mid = (lo + count) >> 1
        if words[mid] < word:
            lo = mid + 1
        elif words[mid] > word:
            count = mid
        else:
            return True
    return False


cdef int flatten(Nodes* n, size_t base, uint32_t kind) noexcept nogil:
    """Replace each member that is itself of this `kind` by its own members, which are flat already."""
    cdef size_t i
    cdef size_t end = n.stack.len
    cdef uint32_t e
    for i in range(base + 1, end):
        e = n.stack.data[i]
        if node_kind(n, e) == kind:
            # A neutral element takes the member's place, and `gather` drops it.
            n.stack.data[i] = NOTHING if kind == K_OR else ANY
            if vec_extend(&n.stack, node(n, e) + 1, node_len(n, e) - 1) < 0:
                return NO_MEMORY
    return OK


cdef size_t sort_members(Nodes* n, size_t base) noexcept nogil:
    """Sort the members and drop duplicates; returns how many remain."""
    cdef uint32_t* words = n.stack.data + base + 1
    cdef size_t count = n.stack.len - base - 1
    cdef size_t i
    cdef size_t kept = 0
    for i in range(1, count):
        if words[i - 1] > words[i]:
            sort_words(words, count)
            break
    for i in range(count):
        if kept == 0 or words[kept - 1] != words[i]:
            words[kept] = words[i]
            kept += 1
    n.stack.len = base + 1 + kept
    return kept


cdef struct Gathered:
    # What `gather` found among the members.
    uint32_t bits[8]   # the union (OR) or intersection (AND) of the members that are byte sets
    bint has_set
    uint32_t loop_count  # of a union: how many members begin with a loop. Two or more may be merged.
    bint has_empty     # whether the empty text is a member
    bint nullable      # whether some (OR) or all (AND) of the members other than EMPTY match the empty text


cdef inline bint gather(Nodes* n, uint32_t kind, size_t base, Gathered* found) noexcept nogil:
    """Keep the members that are neither neutral, nor a byte set, nor the empty text. Returns False if a member decides the
    result."""
    cdef bint is_union = kind == K_OR
    cdef uint32_t e, info, j
    cdef const uint32_t* words
    cdef size_t i
    cdef size_t kept = base + 1
    found.has_set = found.has_empty = False
    found.loop_count = 0
    found.nullable = not is_union
    for j in range(8):
        found.bits[j] = 0 if is_union else 0xFFFFFFFF
    for i in range(base + 1, n.stack.len):
        e = n.stack.data[i]
        info = n.info.data[e]
        if e == ANY or info & DEAD_END:
            if is_union == (e == ANY):
                return False
            continue
        if e == EMPTY:
            found.has_empty = True
            continue
        if is_union:
            found.nullable |= info & NULLABLE
        else:
            found.nullable &= info & NULLABLE
        words = node(n, e)
        if words[0] == K_SET:
            found.has_set = True
            for j in range(8):
                found.bits[j] = found.bits[j] | words[j + 1] if is_union else found.bits[j] & words[j + 1]
            continue
        if is_union and first_loop(n, e) != NULL:
            found.loop_count += 1
        n.stack.data[kept] = e
        kept += 1
    n.stack.len = kept
    return True


cdef bint is_excluded(const Nodes* n, const uint32_t* members, size_t count, uint32_t excluded) noexcept nogil:
    """Whether some member of an intersection is a member of a union, whose complement is in the intersection, too.

    (Such an intersection matches nothing. Otherwise only a search would show this. For a string that may contain none of 20
    letters, the search after one of them tries each set of the others: a mask takes more than 0.6 s, instead of 1 ms.)
    """
    cdef uint32_t looked_at = 0
    cdef size_t i
    for i in range(count):
        if node_kind(n, members[i]) != K_NOT:
            if sorted_has(node(n, excluded) + 1, node_len(n, excluded) - 1, members[i]):
                return True
            looked_at += 1
            if looked_at == MAX_EXCLUDED:
                break
    return False


cdef inline int intern_members(Nodes* n, uint32_t kind, size_t base, uint32_t* out) noexcept nogil:
    """Make the node of two or more sorted members. Its flags, depth and shortest length follow from theirs."""
    cdef bint is_union = kind == K_OR
    cdef size_t count = n.stack.len - base - 1
    cdef uint32_t* members = n.stack.data + base + 1
    cdef uint32_t some = 0
    cdef uint32_t every = 0xFFFFFFFF
    cdef uint32_t depth = 0
    cdef uint32_t shortest = FAR if is_union else 0
    cdef uint32_t flags, e, length
    cdef size_t i
    for i in range(count):
        e = members[i]
        some |= n.info.data[e]
        every &= n.info.data[e]
        length = n.shortest.data[e]
        if length < shortest if is_union else length > shortest:
            shortest = length
        if depth_of(n, e) >= depth:
            depth = depth_of(n, e) + 1
        if node_kind(n, e) == K_NOT and sorted_has(members, count, node(n, e)[1]):
            out[0] = ANY if is_union else NOTHING
            return OK
        if not is_union and node_kind(n, e) == K_NOT and node_kind(n, node(n, e)[1]) == K_OR:
            if is_excluded(n, members, count, node(n, e)[1]):
                out[0] = NOTHING
                return OK
    if count > n.max_members:
        return LIMIT_EXPRESSION_SIZE
    if is_union:
        flags = some & (NULLABLE | ALIVE)
    else:
        flags = (NULLABLE | ALIVE) if every & NULLABLE else 0
    n.stack.data[base] = kind
    return add_node(n, n.stack.data + base, count + 1, flags, depth, shortest, out)


cdef inline bint starts_with_set(const Nodes* n, uint32_t e) noexcept nogil:
    return node_kind(n, e) == K_CAT and node_kind(n, node(n, e)[1]) == K_SET


cdef bint common_first(const Nodes* n, uint32_t kind, size_t base, uint32_t* bits) noexcept nogil:
    """Whether all members begin with a byte set that can be pulled out of them; `bits` is then the set.

    In a union all sets are the same. In an intersection the sets are intersected, and a member may be the complement of an
    expression that begins with a set which has all or none of these bytes.
    """
    cdef size_t i
    cdef uint32_t e, j
    cdef uint32_t head = NOTHING
    cdef uint32_t inside, outside
    for i in range(base + 1, n.stack.len):
        e = n.stack.data[i]
        if kind == K_AND and node_kind(n, e) == K_NOT:
            if not starts_with_set(n, node(n, e)[1]):
                return False
            continue
        if not starts_with_set(n, e):
            return False
        e = node(n, e)[1]
        if head == NOTHING:
            for j in range(8):
                bits[j] = node(n, e)[j + 1]
        elif e != head and kind == K_OR:
            return False
        elif e != head:
            for j in range(8):
                bits[j] &= node(n, e)[j + 1]
        head = e
    if head == NOTHING:
        return False
    for i in range(base + 1, n.stack.len):
        e = n.stack.data[i]
        if node_kind(n, e) == K_NOT:
            e = node(n, node(n, e)[1])[1]
            inside = outside = 0
            for j in range(8):
                inside |= bits[j] & node(n, e)[j + 1]
                outside |= bits[j] & ~node(n, e)[j + 1]
            if inside and outside:
                return False
    return True


cdef int pull_first(Nodes* n, uint32_t kind, size_t base, uint32_t levels, const uint32_t* bits, uint32_t* out) noexcept nogil:
    """Make the node of members that `common_first` has found a set for: the set, then the members without it."""
    cdef size_t i, j
    cdef uint32_t head, e, shared
    cdef int status = make_set(n, bits, &head)
    if status < 0 or head == NOTHING:
        out[0] = NOTHING
        return status
    for i in range(base + 1, n.stack.len):
        e = n.stack.data[i]
        if node_kind(n, e) != K_NOT:
            n.stack.data[i] = node(n, e)[2]
            continue
        e = node(n, e)[1]
        shared = 0
        for j in range(8):
            shared |= bits[j] & node(n, node(n, e)[1])[j + 1]
        if not shared:
            n.stack.data[i] = ANY
            continue
        status = make_complement(n, node(n, e)[2], &e)
        if status < 0:
            return status
        n.stack.data[i] = e
    status = simplify_members(n, kind, base, levels - 1, &e)
    return status if status < 0 else make_concat(n, head, e, out)


cdef inline bint excludes_intersection(const Nodes* n, uint32_t e) noexcept nogil:
    return node_kind(n, e) == K_NOT and node_kind(n, node(n, e)[1]) == K_AND


cdef bint any_excludes_intersection(const Nodes* n, size_t base) noexcept nogil:
    cdef size_t i
    for i in range(base + 1, n.stack.len):
        if excludes_intersection(n, n.stack.data[i]):
            return True
    return False


cdef int drop_known_members(Nodes* n, size_t base) noexcept nogil:
    """Take the members of an intersection out of the complements of other intersections beside them: x & ~(x & y) is x & ~y.
    Returns 1 if a member was replaced, and the members may be out of order; else 0 or a status.

    (Without this, where exactly one of 10 patterns holds, which have one length and a letter of their own, a search tries each set
    of the letters before it finds that nothing matches.)
    """
    cdef size_t count = n.stack.len - base - 1
    cdef size_t top = n.stack.len
    cdef size_t i, mark
    cdef uint32_t j, e, inner, part
    cdef int changed = 0
    cdef int status
    # (the new members are put behind the old ones, which are looked up until the end)
    for i in range(base + 1, top):
        e = n.stack.data[i]
        if excludes_intersection(n, e):
            mark = n.stack.len
            inner = node(n, e)[1]
            if vec_push(&n.stack, K_AND) < 0:
                return NO_MEMORY
            for j in range(1, node_len(n, inner)):
                part = node(n, inner)[j]
                if not sorted_has(n.stack.data + base + 1, count, part) and vec_push(&n.stack, part) < 0:
                    return NO_MEMORY
            if n.stack.len - mark == node_len(n, inner):
                n.stack.len = mark
            else:
                status = make_members(n, K_AND, mark, &e)
                if status >= 0:
                    status = make_complement(n, e, &e)
                if status < 0:
                    return status
                changed = 1
        if vec_push(&n.stack, e) < 0:
            return NO_MEMORY
    memcpy(n.stack.data + base + 1, n.stack.data + top, count * sizeof(uint32_t))
    n.stack.len = top
    return changed


cdef int simplify_members(Nodes* n, uint32_t kind, size_t base, uint32_t levels, uint32_t* out) noexcept nogil:
    cdef Gathered found
    cdef uint32_t bits[8]
    cdef uint32_t e
    cdef size_t count
    cdef int status
    if flatten(n, base, kind) < 0:
        return NO_MEMORY
    if not gather(n, kind, base, &found):
        out[0] = ANY if kind == K_OR else NOTHING
        return OK
    if found.loop_count > 1:
        status = merge_loops(n, base)
        if status < 0:
            return status
    if kind == K_AND and found.has_empty:
        out[0] = EMPTY if found.nullable else NOTHING
        return OK
    if found.has_set:
        status = make_set(n, found.bits, &e)
        if status < 0:
            return status
        if e == NOTHING:
            # This can only be an intersection: a union of byte sets is never empty.
            out[0] = NOTHING
            return OK
        if vec_push(&n.stack, e) < 0:
            return NO_MEMORY
    if kind == K_OR and found.has_empty and not found.nullable and vec_push(&n.stack, EMPTY) < 0:
        return NO_MEMORY
    if not absorb(n, kind, base):
        out[0] = NOTHING
        return OK
    count = sort_members(n, base)
    if kind == K_AND and levels and any_excludes_intersection(n, base):
        status = drop_known_members(n, base)
        if status:
            return status if status < 0 else simplify_members(n, kind, base, levels - 1, out)
    if count > 1 and levels and common_first(n, kind, base, bits):
        return pull_first(n, kind, base, levels, bits, out)
    if count > 1:
        return intern_members(n, kind, base, out)
    if count == 1:
        out[0] = n.stack.data[base + 1]
    else:
        out[0] = NOTHING if kind == K_OR else ANY
    return OK


cdef int make_members(Nodes* n, uint32_t kind, size_t base, uint32_t* out) noexcept nogil:
    cdef int status = simplify_members(n, kind, base, MAX_PULLED, out)
    n.stack.len = base
    return status


cdef int make_union(Nodes* n, size_t base, uint32_t* out) noexcept nogil:
    return make_members(n, K_OR, base, out)


cdef int make_intersection(Nodes* n, size_t base, uint32_t* out) noexcept nogil:
    return make_members(n, K_AND, base, out)
