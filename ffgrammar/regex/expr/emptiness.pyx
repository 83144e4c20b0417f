"""The search: best first, by the bytes already taken and an estimate of the bytes that a match still needs."""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.heap cimport heap_pop, heap_push
from ffgrammar.core.map cimport ABSENT, Map, map_get, map_put
from ffgrammar.core.owner cimport Owner, own_map, own_vec, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport LIMIT_EMPTINESS, NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_push
from ffgrammar.regex.expr.derivative cimport derivative, next_class
from ffgrammar.regex.expr.nodes cimport ALIVE, DEAD_END, K_AND, Nodes, add_lengths, node, node_kind, node_len

cdef enum:
    # How many words of expressions a step of a search may read and write on average. Usually a step needs a few.
    WORDS_A_STEP = 256
    # The estimate of the bytes still needed counts this many times as much as the bytes already taken. So the search goes
    # deep where the estimate shrinks, and wide where it stays the same.
    HEURISTIC_WEIGHT = 4

cdef struct Search:
    Owner owner
    Vec found      # expressions in the order in which they were met
    Vec parents    # per expression in `found`: the number of the expression whose derivative it is, and how many bytes led to it
    Vec heap       # numbers (indices in `found`) of expressions whose derivatives were not looked at yet
    Map seen       # the expressions found, as keys
    uint64_t work  # words of expressions read and written


cdef int search_init(Search* s) noexcept nogil:
    s.work = 0
    owner_init(&s.owner)
    own_vec(&s.owner, &s.found)
    own_vec(&s.owner, &s.parents)
    own_vec(&s.owner, &s.heap)
    own_map(&s.owner, &s.seen)
    return owner_status(&s.owner)


cdef uint32_t min_remaining(const Nodes* n, uint32_t e) noexcept nogil:
    cdef uint32_t total = 0
    cdef uint32_t i
    if node_kind(n, e) != K_AND:
        return n.shortest.data[e]
    for i in range(1, node_len(n, e)):
        total = add_lengths(total, n.shortest.data[node(n, e)[i]])
    return total


cdef int matches_something(Nodes* n, uint32_t e) noexcept nogil:
    cdef Search s
    cdef int status
    if n.info.data[e] & (ALIVE | DEAD_END):
        return 1 if n.info.data[e] & ALIVE else 0
    status = search_init(&s)
    if status >= 0:
        status = search(n, e, &s)
    owner_free(&s.owner)
    return status


cdef int search(Nodes* n, uint32_t e, Search* s) noexcept nogil:
    """Look at derivatives of `e` until one is known to match something. If there is none, all expressions found match nothing.
    Returns 1, 0 or a negative status."""
    cdef size_t i
    cdef int status
    if enqueue(n, e, 0, s) < 0:
        return NO_MEMORY
    while s.heap.len:
        status = expand(n, heap_pop(&s.heap), s)
        if status != 0:
            return status
    for i in range(s.found.len):
        n.info.data[s.found.data[i]] |= DEAD_END
    return 0


cdef int enqueue(Nodes* n, uint32_t e, uint32_t parent, Search* s) noexcept nogil:
    cdef uint32_t distance = s.parents.data[2 * parent + 1] + 1 if s.found.len else 0
    cdef uint32_t number = <uint32_t>s.found.len
    if heap_push(&s.heap, HEURISTIC_WEIGHT * min_remaining(n, e) + distance, number) < 0 or map_put(&s.seen, e, 0) < 0:
        return NO_MEMORY
    if vec_push(&s.found, e) < 0 or vec_push(&s.parents, parent) < 0:
        return NO_MEMORY
    return vec_push(&s.parents, distance)


cdef int expand(Nodes* n, uint32_t number, Search* s) noexcept nogil:
    """Look at the derivatives of one expression, one for each byte class. Returns 1 if one is known to match something, else OK
    or a negative status."""
    cdef uint32_t covered[8]
    cdef uint32_t e = s.found.data[number]
    cdef uint32_t byte = 0
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
        if n.info.data[d] & ALIVE:
            mark_alive(n, number, s)
            return 1
        # One expression may have thousands of members. So the work is bounded, in addition to the number of expressions.
        s.work += node_len(n, e) + (n.tuples.words.len - before)
        if s.work > <uint64_t>n.max_search * WORDS_A_STEP:
            return LIMIT_EMPTINESS
        if n.info.data[d] & DEAD_END or map_get(&s.seen, d) != ABSENT:
            continue
        if s.found.len >= n.max_search:
            return LIMIT_EMPTINESS
        if enqueue(n, d, number, s) < 0:
            return NO_MEMORY
    return OK


cdef void mark_alive(Nodes* n, uint32_t number, Search* s) noexcept nogil:
    """Note that an expression matches something, and so do all expressions on the search's way to it."""
    n.info.data[s.found.data[number]] |= ALIVE
    while number:
        number = s.parents.data[2 * number]
        n.info.data[s.found.data[number]] |= ALIVE
