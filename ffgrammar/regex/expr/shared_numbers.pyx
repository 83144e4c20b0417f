"""An expression is numbered after its parts, by the numbers of the parts. So the whole of it is never compared."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern, intern_add
from ffgrammar.core.map cimport ABSENT, Map, map_get, map_put
from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_extend, vec_push
from ffgrammar.regex.expr.nodes cimport K_AND, K_LIT, K_OR, Nodes, node, node_kind, node_len, part_count

cdef enum:
    # words of an expression: larger expressions hardly come up again
    MAX_WORDS = 20000
    # bytes of a literal: each state inside a longer one has a literal of its own, which would be copied as a whole
    MAX_TEXT = 1000


cdef int push_parts(Nodes* n, Map* exprs, uint32_t e) noexcept nogil:
    """Put on the stack those parts of a node that have no number yet. Returns how many they are, or a status."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t count = 0
    cdef uint32_t i
    for i in range(1, 1 + part_count(n, e)):
        if map_get(exprs, words[i]) == ABSENT:
            if vec_push(&n.stack, words[i]) < 0:
                return NO_MEMORY
            count += 1
    return count


cdef int intern_node(Intern* shared, Vec* tuple, Nodes* n, Map* exprs, uint32_t e) noexcept nogil:
    """Give a number to a node whose parts have theirs. Returns OK or a status."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t parts = part_count(n, e)
    cdef uint32_t i, found
    tuple.len = 0
    if vec_push(tuple, kind) < 0:
        return NO_MEMORY
    if kind == K_LIT:
        for i in range(words[2]):
            if vec_push(tuple, n.text[words[1] + i]) < 0:
                return NO_MEMORY
    else:
        for i in range(1, 1 + parts):
            if vec_push(tuple, map_get(exprs, words[i])) < 0:
                return NO_MEMORY
        # the rest of a node is plain numbers, which mean the same in every engine
        if vec_extend(tuple, words + 1 + parts, node_len(n, e) - 1 - parts) < 0:
            return NO_MEMORY
        if kind == K_OR or kind == K_AND:
            # the parts are in the order of the engine's own numbers, which other engines do not share
            sort_words(tuple.data + 1, parts)
    if intern_add(shared, tuple.data, tuple.len, &found) < 0:
        return NO_MEMORY
    return map_put(exprs, e, found)


cdef int shared_expression(
    Intern* shared, Vec* scratch, Map* exprs, Nodes* n, uint32_t e, uint32_t* out,
) noexcept nogil:
    cdef size_t base = n.stack.len
    cdef uint32_t budget = MAX_WORDS
    cdef int status = OK
    out[0] = map_get(exprs, e)
    if out[0] != ABSENT:
        return 1
    if vec_push(&n.stack, e) < 0:
        return NO_MEMORY
    while n.stack.len > base and status >= 0:
        e = n.stack.data[n.stack.len - 1]
        if map_get(exprs, e) != ABSENT:
            n.stack.len -= 1
            continue
        if budget < node_len(n, e) or (node_kind(n, e) == K_LIT and node(n, e)[2] > MAX_TEXT):
            n.stack.len = base
            return 0
        budget -= node_len(n, e)
        status = push_parts(n, exprs, e)
        if status == 0:
            status = intern_node(shared, scratch, n, exprs, e)
            n.stack.len -= 1
    n.stack.len = base
    out[0] = map_get(exprs, e)
    return status if status < 0 else 1
