"""Expressions as bytes that belong to no store: an expression of one grammar can be made again in the store of another.

A packed expression is a run of nodes, parts before wholes. Each node is the words

    kind, flags, number of words that follow, the words of the node after its kind

A node refers to its parts by their numbers. 0 to 2 are NOTHING, EMPTY and ANY, and the nodes of the run are numbered from 3
on. A literal has its length and its bytes, without an offset. `unpack` calls the constructors, which give the ids of the new
store. What is known about emptiness is in the flags, so no search is run twice. NOTHING, EMPTY and ANY themselves are packed
as one byte, their number.

Packed expressions stay in one process, and `unpack` does not check them.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.map cimport ABSENT, Map, map_free, map_get, map_init, map_put
from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.vec cimport Vec, vec_extend, vec_fill, vec_free, vec_init, vec_push
from ffgrammar.regex.expr.store cimport ExprStore
from ffgrammar.regex.expr.multiples cimport make_multiples, make_part, two_words
from ffgrammar.regex.expr.members cimport make_members
from ffgrammar.regex.expr.nodes cimport (
    ALIVE, DEAD_END, K_CAT, K_LIT, K_MULT, K_NOT, K_PART, K_REP, K_SET, Nodes, make_complement, make_concat, make_repeat,
    make_set, node, node_len, part_count,
)

cdef enum:
    HEADER = 3
    # The ids below this are NOTHING, EMPTY and ANY in every store.
    FIXED = 3


cdef int reach(const Nodes* n, uint32_t e, Map* numbers, Vec* order) noexcept nogil:
    """Collect in `order` the expressions that `e` consists of, parts first, and enter their numbers. Returns 0, or -1 without
    memory."""
    cdef uint32_t part, i
    cdef size_t done = 0
    if vec_push(order, e) < 0 or map_put(numbers, e, 0) < 0:
        return -1
    while done < order.len:
        done += 1
        for i in range(part_count(n, order.data[done - 1])):
            part = node(n, order.data[done - 1])[1 + i]
            if part >= FIXED and map_get(numbers, part) == ABSENT:
                if vec_push(order, part) < 0 or map_put(numbers, part, 0) < 0:
                    return -1
    # A part has a lower id than its whole.
    sort_words(order.data, order.len)
    for i in range(<uint32_t>order.len):
        if map_put(numbers, order.data[i], FIXED + i) < 0:
            return -1
    return 0


cdef int write(const Nodes* n, const Map* numbers, const Vec* order, Vec* out) noexcept nogil:
    cdef uint32_t length, e, i
    cdef const uint32_t* words
    cdef size_t k, base
    for k in range(order.len):
        e = order.data[k]
        words = node(n, e)
        length = node_len(n, e) - 1
        if words[0] == K_LIT:
            length = 1 + ((words[2] + 3) >> 2)
        if vec_push(out, words[0]) < 0 or vec_push(out, n.info.data[e] & (ALIVE | DEAD_END)) < 0:
            return -1
        if vec_push(out, length) < 0:
            return -1
        base = out.len
        if words[0] == K_LIT:
            if vec_fill(out, length, 0) < 0:
                return -1
            out.data[base] = words[2]
            memcpy(out.data + base + 1, n.text + words[1], words[2])
            continue
        if vec_extend(out, words + 1, length) < 0:
            return -1
        for i in range(part_count(n, e)):
            if words[1 + i] >= FIXED:
                out.data[base + i] = map_get(numbers, words[1 + i])
    return 0


def pack(ExprStore store, e) -> bytes:
    """An expression as bytes, for `unpack`."""
    cdef uint32_t id = store.valid(e)
    cdef Map numbers
    cdef Vec order, out
    vec_init(&order)
    vec_init(&out)
    if id < FIXED:
        return bytes([id])
    if map_init(&numbers) < 0:
        map_free(&numbers)
        raise MemoryError
    try:
        if reach(&store.nodes, id, &numbers, &order) < 0 or write(&store.nodes, &numbers, &order, &out) < 0:
            raise MemoryError
        return (<char*>out.data)[:out.len * sizeof(uint32_t)]
    finally:
        map_free(&numbers)
        vec_free(&order)
        vec_free(&out)


cdef int push(Vec* v, uint32_t word) except -1:
    if vec_push(v, word) < 0:
        raise MemoryError
    return 0


cdef uint32_t remake(ExprStore store, uint32_t kind, const uint32_t* words, uint32_t count, const uint32_t* ids) except? 0:
    """Make one node.

    Args:
        kind: of the node.
        words: its packed words after the kind.
        count: how many words these are.
        ids: by number, the id of each expression in this store.
    """
    cdef Nodes* n = &store.nodes
    cdef size_t base
    cdef uint32_t out, i
    if kind == K_LIT:
        return store.literal((<const char*>(words + 1))[:words[0]])
    if kind == K_SET:
        store.checked(make_set(n, words, &out))
    elif kind == K_CAT:
        store.checked(make_concat(n, ids[words[0]], ids[words[1]], &out))
    elif kind == K_NOT:
        store.checked(make_complement(n, ids[words[0]], &out))
    elif kind == K_REP:
        store.checked(make_repeat(n, ids[words[0]], words[1], words[2], &out))
    elif kind == K_MULT:
        store.checked(make_multiples(n, two_words(words + 3), two_words(words + 5), words[0], words[1], words[2], &out))
    elif kind == K_PART:
        store.checked(make_part(n, two_words(words + 1), two_words(words + 3), words[0], &out))
    else:
        base = n.stack.len
        push(&n.stack, 0)
        for i in range(count):
            push(&n.stack, ids[words[i]])
        store.checked(make_members(n, kind, base, &out))
    return out


def unpack(ExprStore store, bytes packed) -> int:
    """Make, in a store, the expression that `packed` describes. Returns its id there.

    Raises:
        LimitError: a bound of this store was reached.
    """
    cdef const char* raw = packed
    cdef const uint32_t* words = <const uint32_t*>raw
    cdef const uint32_t* end = words + len(packed) // sizeof(uint32_t)
    cdef Vec ids
    cdef uint32_t id = 0
    if len(packed) == 1:
        return packed[0]
    vec_init(&ids)
    try:
        for id in range(FIXED):
            push(&ids, id)
        while words < end:
            id = remake(store, words[0], words + HEADER, words[2], ids.data)
            store.nodes.info.data[id] |= words[1]
            push(&ids, id)
            words += HEADER + words[2]
        return id
    finally:
        vec_free(&ids)
