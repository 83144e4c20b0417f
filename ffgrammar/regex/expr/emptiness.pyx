"""The search: best first, by the bytes already taken and an estimate of the bytes that a match still needs."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.heap cimport heap_pop, heap_push
from ffgrammar.core.intern cimport intern_find
from ffgrammar.core.map cimport ABSENT, Map, map_get, map_put
from ffgrammar.core.owner cimport Owner, own_map, own_vec, owner_free, owner_init, owner_status
from ffgrammar.core.pulse cimport pulse, work_done
from ffgrammar.core.status cimport LIMIT_EMPTINESS, NO_MEMORY, OK, WIDE
from ffgrammar.core.vec cimport Vec, vec_extend, vec_push
from ffgrammar.regex.expr.approximate cimport widened
from ffgrammar.regex.expr.derivative cimport derivative, next_class
from ffgrammar.regex.expr.members cimport make_intersection
from ffgrammar.regex.expr.multiples cimport multiples_meet
from ffgrammar.regex.expr.nodes cimport (
    ALIVE, DEAD_END, K_AND, K_CAT, K_NOT, K_OR, Nodes, min_remaining, node, node_kind, node_len,
)
from ffgrammar.regex.expr.search_texts cimport MAX_TEXT_BYTES, undecided_rest, keep_text, try_short_texts, try_texts
from ffgrammar.regex.expr.witness cimport judge

cdef enum:
    # How many words of expressions a step of a search may read and write on average. Usually a step needs a few.
    WORDS_A_STEP = 256
    # A search that has found at most so many expressions does not look for wider ones.
    FEW_FOUND = 64
    # When a search has found so many expressions, it looks at a wider one.
    MANY_FOUND = 2000
    # It also looks at so many pairs of its members.
    MANY_PAIRS = 16
    # A search that has found at most so many expressions goes on with the first one that seems closer to a match. (A search
    # inside a character of several bytes mostly ends so. A longer search does better with the closest one.)
    FIRST_FOUND = 4
    # Added to the number of an expression in the heap that was looked at before.
    AGAIN = 1 << 30

cdef struct Search:
    Owner owner
    Vec found      # expressions in the order in which they were met
    Vec parents    # per expression in `found`: the number of the expression whose derivative it is, and how many bytes led to it
    Vec bytes      # per expression in `found`: the last of these bytes
    Vec heap       # numbers (indices in `found`) of expressions whose derivatives were not looked at yet
    Map seen       # the expressions found, as keys
    uint64_t work  # words of expressions read and written
    bint has_tried  # whether the texts of other searches were tried
    bint is_long   # whether more than MANY_FOUND expressions were found


cdef int search_init(Search* s) noexcept nogil:
    s.work = 0
    s.has_tried = s.is_long = False
    owner_init(&s.owner)
    own_vec(&s.owner, &s.found)
    own_vec(&s.owner, &s.parents)
    own_vec(&s.owner, &s.bytes)
    own_vec(&s.owner, &s.heap)
    own_map(&s.owner, &s.seen)
    return owner_status(&s.owner)


cdef int matches_something(Nodes* n, uint32_t e) noexcept nogil:
    cdef Search s
    cdef int status
    if n.info.data[e] & (ALIVE | DEAD_END):
        return 1 if n.info.data[e] & ALIVE else 0
    if node_kind(n, e) == K_CAT:
        return concat_matches(n, e)
    if has_multiples(n, e):
        n.info.data[e] |= ALIVE
        return 1
    if is_judged(n, e):
        return 1 if n.info.data[e] & ALIVE else 0
    status = try_short_texts(n, e)
    if status:
        return status
    status = search_init(&s)
    if status >= 0:
        status = search(n, e, &s)
    owner_free(&s.owner)
    return status


cdef bint has_multiples(Nodes* n, uint32_t e) noexcept nogil:
    """Whether an intersection, or a member of a union, matches a number, by arithmetic. (The first mask for exactly one of 8
    multiples takes 16 ms, and 270 ms if each state needs a search.)"""
    cdef uint32_t i
    if node_kind(n, e) == K_AND:
        return multiples_meet(n, e)
    if node_kind(n, e) == K_OR:
        for i in range(1, node_len(n, e)):
            if node_kind(n, node(n, e)[i]) == K_AND and multiples_meet(n, node(n, e)[i]):
                return True
    return False


cdef bint is_judged(Nodes* n, uint32_t e) noexcept nogil:
    """Note what the structure of an intersection shows. Returns whether it is enough."""
    cdef uint32_t found = judge(n, e) if node_kind(n, e) == K_AND else 0
    n.info.data[e] |= found
    return found != 0


cdef int concat_matches(Nodes* n, uint32_t e) noexcept nogil:
    """The answer for a concatenation: that of all its parts. So what is known of a part serves whatever follows it."""
    cdef uint32_t at = e
    cdef int status = 1
    while status > 0 and node_kind(n, at) == K_CAT and not n.info.data[at] & (ALIVE | DEAD_END):
        status = matches_something(n, node(n, at)[1])
        at = node(n, at)[2]
    if status > 0:
        status = matches_something(n, at)
    if status >= 0:
        while e != at:
            n.info.data[e] |= ALIVE if status else DEAD_END
            e = node(n, e)[2]
    return status


cdef int search(Nodes* n, uint32_t e, Search* s) noexcept nogil:
    """Look at derivatives of `e` until one is known to match something. If there is none, all expressions found match nothing.
    Returns 1, 0 or a negative status."""
    cdef size_t i
    cdef uint32_t number
    cdef bint again
    cdef int status
    if enqueue(n, e, 0, 0, s) < 0:
        return NO_MEMORY
    while s.heap.len:
        if s.found.len > FEW_FOUND and not s.has_tried:
            status = try_found(n, s)
            if status:
                return status
        if s.found.len > MANY_FOUND and not s.is_long:
            s.is_long = True
            if is_wide_nothing(n, e) or is_left_out(n, e):
                n.info.data[e] |= DEAD_END
                return 0
        number = heap_pop(&s.heap)
        again = number >= AGAIN
        number &= AGAIN - 1
        if s.found.len > FEW_FOUND and has_wider(n, s.found.data[number], s):
            continue
        status = expand(n, number, again, s)
        if status != 0:
            return status
    for i in range(s.found.len):
        n.info.data[s.found.data[i]] |= DEAD_END
    return 0


cdef int try_found(Nodes* n, Search* s) noexcept nogil:
    """Try the texts of other searches after each expression found. Returns 1 if one shows that something matches, else 0 or a
    status."""
    cdef uint32_t number
    cdef int status
    s.has_tried = True
    for number in range(<uint32_t>s.found.len):
        status = try_texts(n, s.found.data[number])
        if status > 0:
            mark_alive(n, number, s)
        if status:
            return status
    return 0


cdef bint is_wide_nothing(Nodes* n, uint32_t e) noexcept nogil:
    """Whether an expression that matches more than `e` is soon seen to match nothing. (That no string is both a `hostname` and a
    `uri` is seen in 2 ms. A search among strings with all the counts of a `hostname` meets more than 100,000 expressions.)"""
    cdef uint32_t wide
    return widened(n, e, &wide) >= 0 and wide != e and is_soon_nothing(n, wide)


cdef bint is_left_out(Nodes* n, uint32_t e) noexcept nogil:
    """Whether a member of an intersection is soon seen to lie in what another member, a complement, leaves out. (A string of some
    length that ends with ten of two letters and does not end with nine of them: that takes 16 ms. The search among all members
    takes 240 ms and 44 MB.)"""
    cdef size_t base = n.stack.len
    cdef uint32_t count = node_len(n, e)
    cdef uint32_t i, j, complement, both
    cdef uint32_t pairs = 0
    if node_kind(n, e) != K_AND:
        return False
    for i in range(1, count):
        complement = node(n, e)[i]
        if node_kind(n, complement) != K_NOT:
            continue
        for j in range(1, count):
            # (the words may have moved)
            if node_kind(n, node(n, e)[j]) == K_NOT or pairs == MANY_PAIRS:
                continue
            pairs += 1
            if vec_push(&n.stack, 0) < 0 or vec_push(&n.stack, complement) < 0 or vec_push(&n.stack, node(n, e)[j]) < 0:
                n.stack.len = base
                return False
            if make_intersection(n, base, &both) >= 0 and is_soon_nothing(n, both):
                return True
    return False


cdef bint is_soon_nothing(Nodes* n, uint32_t e) noexcept nogil:
    """Whether a short search proves that an expression matches nothing."""
    cdef Search s
    cdef uint32_t most = n.max_search
    cdef int status
    if n.info.data[e] & (ALIVE | DEAD_END):
        return n.info.data[e] & DEAD_END != 0
    status = search_init(&s)
    s.is_long = True
    if status >= 0:
        n.max_search = min(most, MANY_FOUND)
        status = search(n, e, &s)
        n.max_search = most
    owner_free(&s.owner)
    return status == 0


cdef bint has_wider(Nodes* n, uint32_t e, Search* s) noexcept nogil:
    """Whether the search has found an intersection with one member less. It matches whatever `e` does, so `e` need not be looked
    at: if the search ends without a match, neither has one."""
    cdef size_t base = n.stack.len
    cdef uint32_t count = node_len(n, e)
    cdef uint32_t i, wider
    cdef bint found = False
    if node_kind(n, e) != K_AND or vec_extend(&n.stack, node(n, e), count - 1) < 0:
        return False
    # The last member is left out first. Then each word is put back, and the one before it is left out.
    i = count - 1
    while i and not found:
        if count == 3:
            wider = node(n, e)[3 - i]
            found = True
        else:
            found = intern_find(&n.tuples, n.stack.data + base, count - 1, &wider)
        found = found and (n.info.data[wider] & DEAD_END or map_get(&s.seen, wider) != ABSENT)
        i -= 1
        if i:
            n.stack.data[base + i] = node(n, e)[i + 1]
    n.stack.len = base
    return found


cdef inline uint32_t cost_of(const Nodes* n, uint32_t e, uint32_t distance) noexcept nogil:
    return GREATEST_WEIGHT * n.shortest.data[e] + SUM_WEIGHT * min_remaining(n, e) + distance


cdef int enqueue(Nodes* n, uint32_t e, uint32_t parent, uint32_t byte, Search* s) noexcept nogil:
    cdef uint32_t distance = s.parents.data[2 * parent + 1] + 1 if s.found.len else 0
    cdef uint32_t number = <uint32_t>s.found.len
    if heap_push(&s.heap, cost_of(n, e, distance), number) < 0 or map_put(&s.seen, e, 0) < 0:
        return NO_MEMORY
    if vec_push(&s.found, e) < 0 or vec_push(&s.bytes, byte) < 0 or vec_push(&s.parents, parent) < 0:
        return NO_MEMORY
    return vec_push(&s.parents, distance)


cdef int expand(Nodes* n, uint32_t number, bint again, Search* s) noexcept nogil:
    """Look at the derivatives of one expression, one for each byte class. Returns 1 if one is known to match something, else OK
    or a negative status.

    In the first steps of a search this stops at a derivative that seems closer to a match, which is looked at next. The other
    derivatives are looked at when the expression comes `again`.
    """
    cdef uint32_t covered[8]
    cdef uint32_t e = s.found.data[number]
    cdef uint32_t byte = 0
    cdef uint32_t distance = s.parents.data[2 * number + 1]
    cdef uint32_t cost = cost_of(n, e, distance)
    cdef uint32_t d, i
    cdef size_t before
    cdef int status
    for i in range(8):
        covered[i] = 0
    while next_class(n, e, covered, &byte):
        before = n.tuples.words.len
        status = derivative(n, e, byte, &d)
        if status < 0:
            return status
        d = undecided_rest(n, d)
        if n.info.data[d] & ALIVE:
            return end_search(n, number, byte, s)
        # One expression may have thousands of members. So the work is bounded, in addition to the number of expressions.
        s.work += node_len(n, e) + (n.tuples.words.len - before)
        if s.work > <uint64_t>n.max_search * WORDS_A_STEP or n.visits > n.visit_end:
            return LIMIT_EMPTINESS
        if n.work_end and work_done(&n.pulse) > n.work_end:
            return WIDE
        status = pulse(&n.pulse, 8)
        if status < 0:
            return status
        if n.info.data[d] & DEAD_END or map_get(&s.seen, d) != ABSENT:
            continue
        if is_judged(n, d):
            if n.info.data[d] & DEAD_END:
                continue
            return end_search(n, number, byte, s)
        if s.found.len >= n.max_search:
            return LIMIT_EMPTINESS
        if enqueue(n, d, number, byte, s) < 0:
            return NO_MEMORY
        if not again and s.found.len <= FIRST_FOUND and cost_of(n, d, distance + 1) < cost:
            return heap_push(&s.heap, cost, number | <uint32_t>AGAIN)
    return OK


cdef void mark_alive(Nodes* n, uint32_t number, Search* s) noexcept nogil:
    """Note that an expression matches something, and so do all expressions on the search's way to it."""
    n.info.data[s.found.data[number]] |= ALIVE
    while number:
        number = s.parents.data[2 * number]
        n.info.data[s.found.data[number]] |= ALIVE


cdef int end_search(Nodes* n, uint32_t number, uint32_t byte, Search* s) noexcept nogil:
    """Note what a search found: the derivative of an expression by `byte` matches something. Returns 1."""
    mark_alive(n, number, s)
    keep_way(n, number, byte, s)
    return 1


cdef void keep_way(Nodes* n, uint32_t number, uint32_t byte, Search* s) noexcept nogil:
    """Keep the text by which a search ended: the way to an expression, and then `byte`."""
    cdef uint32_t text[MAX_TEXT_BYTES]
    cdef uint32_t at = s.parents.data[2 * number + 1]
    cdef uint32_t length = at + 1
    if length > MAX_TEXT_BYTES:
        return
    text[at] = byte
    while at:
        at -= 1
        text[at] = s.bytes.data[number]
        number = s.parents.data[2 * number]
    keep_text(n, text, length, s.has_tried)
