"""Brzozowski derivatives (1964) with the byte classes of Owens, Reppy and Turon (2009).

Recursion follows the nesting of an expression, never the length of a concatenation or a repeat; `max_depth` bounds it.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ffgrammar.core.heap cimport heap_pop, heap_push
from ffgrammar.core.map cimport ABSENT, Map, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport LIMIT_EMPTINESS, NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_extend, vec_free, vec_init, vec_push
from ffgrammar.regex.expr.multiples cimport multiples_class, multiples_derivative
from ffgrammar.regex.expr.nodes cimport (
    ALIVE, ANY, DEAD_END, DEPTH_SHIFT, EMPTY, K_AND, K_ANY, K_CAT, K_EMPTY, K_LIT, K_MULT, K_NOT, K_NOTHING, K_OR, K_PART,
    K_REP, K_SET, NO_BOUND, NOTHING, Nodes, add_lengths, make_complement, make_concat, make_intersection, make_repeat, make_suffix,
    make_union, node, node_kind, node_len, nullable, only_first,
)

cdef enum:
    # words of expressions that a step of an emptiness search may read and write on average; a few is usual
    WORDS_A_STEP = 256
    # What a search prefers: bytes that are promised to be few count so many times as much as bytes already taken. So it
    # dives where the promise shrinks, and spreads where it stays the same.
    HEURISTIC_WEIGHT = 4
    # Unions whose byte classes are kept, by their members and their depth: those of characters, which are in all that may follow
    # in a string. Fewer members are soon looked through, and what is deeper is hardly met again.
    FEW_MEMBERS = 6
    MANY_MEMBERS = 64
    SHALLOW = 2


cdef inline bint has_byte(const uint32_t* bits, uint32_t byte) noexcept nogil:
    return (bits[byte >> 5] >> (byte & 31)) & 1


cdef int derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t lo, hi, inner, tail, found
    cdef uint64_t key
    cdef int status
    if kind == K_NOTHING or kind == K_EMPTY:
        out[0] = NOTHING
        return OK
    if kind == K_ANY:
        out[0] = ANY
        return OK
    if kind == K_SET:
        out[0] = EMPTY if has_byte(words + 1, byte) else NOTHING
        return OK
    if kind == K_LIT:
        if n.text[words[1]] != byte:
            out[0] = NOTHING
            return OK
        return make_suffix(n, words[1] + 1, words[2] - 1, out)
    key = <uint64_t>e << 8 | byte
    found = map_get(&n.derivatives, key)
    if found != ABSENT:
        out[0] = found
        return OK
    if kind == K_REP:
        inner = words[1]
        lo = words[2]
        hi = words[3]
        status = derivative(n, inner, byte, &found)
        if status >= 0 and found != NOTHING:
            status = make_repeat(n, inner, lo - 1 if lo else 0, hi if hi == NO_BOUND else hi - 1, &tail)
            if status >= 0:
                status = make_concat(n, found, tail, &found)
    elif kind == K_NOT:
        status = derivative(n, words[1], byte, &found)
        if status >= 0:
            status = make_complement(n, found, &found)
    elif kind == K_CAT:
        status = concat_derivative(n, e, byte, &found)
    elif kind == K_MULT or kind == K_PART:
        status = multiples_derivative(n, e, byte, &found)
    else:
        status = members_derivative(n, e, byte, &found)
    if status < 0:
        return status
    out[0] = found
    return map_put(&n.derivatives, key, found)


cdef int concat_derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil:
    cdef size_t base = n.stack.len
    cdef uint32_t head, tail, d
    cdef int status
    if vec_push(&n.stack, K_OR) < 0:
        return NO_MEMORY
    while True:
        if node_kind(n, e) == K_CAT:
            head = node(n, e)[1]
            tail = node(n, e)[2]
        else:
            head = e
            tail = EMPTY
        status = derivative(n, head, byte, &d)
        if status >= 0 and d != NOTHING:
            status = make_concat(n, d, tail, &d)
            if status >= 0:
                status = vec_push(&n.stack, d)
        if status < 0:
            n.stack.len = base
            return status
        if tail == EMPTY or not nullable(n, head):
            break
        e = tail
    return make_union(n, base, out)


cdef inline bint starts_otherwise(const Nodes* n, uint32_t e, uint32_t byte) noexcept nogil:
    """Whether it shows at once that no text of an expression starts with a byte: of many literals, one byte at a time, it
    mostly does. (A first mask with 3,000 keys: 4.5 ms, 6.3 ms without.)"""
    cdef const uint32_t* words = node(n, e)
    if words[0] == K_CAT:
        words = node(n, words[1])
    if words[0] == K_LIT:
        return n.text[words[1]] != byte
    return words[0] == K_SET and not has_byte(words + 1, byte)


cdef int members_derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil:
    cdef size_t base = n.stack.len
    cdef uint32_t kind = node_kind(n, e)
    cdef uint32_t count = node_len(n, e)
    cdef uint32_t i, d
    cdef const uint32_t* words = node(n, e)
    cdef int status = vec_push(&n.stack, kind)
    for i in range(1, count):
        if kind == K_OR and starts_otherwise(n, words[i], byte):
            continue
        if status >= 0:
            status = derivative(n, words[i], byte, &d)
            # the arena may have moved
            words = node(n, e)
        if status < 0:
            n.stack.len = base
            return status
        if d == NOTHING:
            if kind == K_AND:
                n.stack.len = base
                out[0] = NOTHING
                return OK
            continue
        status = vec_push(&n.stack, d)
    if status < 0:
        n.stack.len = base
        return status
    return make_union(n, base, out) if kind == K_OR else make_intersection(n, base, out)


cdef void members_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t i, other
    for i in range(1, node_len(n, e)):
        other = only_first(n, words[i])
        if other < 256 and other != byte:
            bits[other >> 5] &= ~(<uint32_t>1 << (other & 31))
        else:
            same_class(n, words[i], byte, bits)


cdef void kept_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil:
    """The same, looked up."""
    cdef uint64_t key = <uint64_t>e << 8 | byte
    cdef uint32_t offset = map_get(&n.classes, key)
    cdef uint32_t own[8]
    cdef uint32_t i
    cdef const uint32_t* found = own
    if offset != ABSENT:
        found = n.class_words.data + offset
    else:
        for i in range(8):
            own[i] = 0xFFFFFFFF
        members_class(n, e, byte, own)
        offset = <uint32_t>n.class_words.len
        # (without memory it is just not kept)
        if vec_extend(&n.class_words, own, 8) >= 0 and map_put(&n.classes, key, offset) < 0:
            n.class_words.len = offset
    for i in range(8):
        bits[i] &= found[i]


cdef void same_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t flip, i
    cdef uint8_t first
    if kind == K_SET:
        flip = 0 if has_byte(words + 1, byte) else 0xFFFFFFFF
        for i in range(8):
            bits[i] &= words[i + 1] ^ flip
    elif kind == K_LIT:
        first = n.text[words[1]]
        if first == byte:
            for i in range(8):
                bits[i] &= (<uint32_t>1 << (byte & 31)) if i == byte >> 5 else 0
        else:
            bits[first >> 5] &= ~(<uint32_t>1 << (first & 31))
    elif kind == K_CAT:
        while True:
            same_class(n, words[1], byte, bits)
            if not nullable(n, words[1]):
                break
            e = words[2]
            words = node(n, e)
            if words[0] != K_CAT:
                same_class(n, e, byte, bits)
                break
    elif kind == K_OR or kind == K_AND:
        if kind == K_OR and FEW_MEMBERS < node_len(n, e) <= MANY_MEMBERS and n.info.data[e] >> DEPTH_SHIFT <= SHALLOW:
            kept_class(n, e, byte, bits)
        else:
            members_class(n, e, byte, bits)
    elif kind == K_NOT or kind == K_REP:
        same_class(n, words[1], byte, bits)
    elif kind == K_MULT or kind == K_PART:
        multiples_class(n, e, byte, bits)


cdef int matches_something(Nodes* n, uint32_t e) noexcept nogil:
    cdef Vec queue
    cdef Vec parents
    cdef Vec heap
    cdef Map seen
    cdef int status
    if n.info.data[e] & (ALIVE | DEAD_END):
        return 1 if n.info.data[e] & ALIVE else 0
    vec_init(&queue)
    vec_init(&parents)
    vec_init(&heap)
    status = map_init(&seen)
    if status >= 0:
        status = search(n, e, &queue, &parents, &heap, &seen)
    vec_free(&queue)
    vec_free(&parents)
    vec_free(&heap)
    map_free(&seen)
    return status


cdef uint32_t min_remaining(const Nodes* n, uint32_t e) noexcept nogil:
    cdef uint32_t total = 0
    cdef uint32_t i
    if node_kind(n, e) != K_AND:
        return n.shortest.data[e]
    for i in range(1, node_len(n, e)):
        total = add_lengths(total, n.shortest.data[node(n, e)[i]])
    return total


cdef int enqueue(Nodes* n, uint32_t e, uint32_t parent, Vec* queue, Vec* parents, Vec* heap, Map* seen) noexcept nogil:
    cdef uint32_t depth = parents.data[2 * parent + 1] + 1 if queue.len else 0
    if heap_push(heap, HEURISTIC_WEIGHT * min_remaining(n, e) + depth, <uint32_t>queue.len) < 0 or map_put(seen, e, 0) < 0:
        return NO_MEMORY
    return NO_MEMORY if vec_push(queue, e) < 0 or vec_push(parents, parent) < 0 else vec_push(parents, depth)


cdef int search(Nodes* n, uint32_t e, Vec* queue, Vec* parents, Vec* heap, Map* seen) noexcept nogil:
    """Best first over the derivatives of e until one is known to match; all on the way there then are. Bounded by the work
    and not by the states alone, which may have thousands of members each. `parents`: where a state came from, and its depth."""
    cdef uint32_t covered[8]
    cdef uint32_t bits[8]
    cdef uint32_t byte, d, i, at
    cdef uint64_t work = 0
    cdef size_t before
    cdef int status
    if enqueue(n, e, 0, queue, parents, heap, seen) < 0:
        return NO_MEMORY
    while heap.len:
        at = heap_pop(heap)
        e = queue.data[at]
        for i in range(8):
            covered[i] = 0
        for byte in range(256):
            if has_byte(covered, byte):
                continue
            for i in range(8):
                bits[i] = 0xFFFFFFFF
            same_class(n, e, byte, bits)
            for i in range(8):
                covered[i] |= bits[i]
            before = n.tuples.words.len
            status = derivative(n, e, byte, &d)
            if status < 0:
                return status
            if n.info.data[d] & ALIVE:
                while True:
                    n.info.data[queue.data[at]] |= ALIVE
                    if at == 0:
                        return 1
                    at = parents.data[2 * at]
            work += node_len(n, e) + (n.tuples.words.len - before)
            if work > <uint64_t>n.max_search * WORDS_A_STEP:
                return LIMIT_EMPTINESS
            if n.info.data[d] & DEAD_END or map_get(seen, d) != ABSENT:
                continue
            if queue.len >= n.max_search:
                return LIMIT_EMPTINESS
            if enqueue(n, d, at, queue, parents, heap, seen) < 0:
                return NO_MEMORY
    for at in range(<uint32_t>queue.len):
        n.info.data[queue.data[at]] |= DEAD_END
    return 0
