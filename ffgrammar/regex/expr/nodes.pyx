"""Smart constructors: they simplify a node before they intern it.

The laws are those of Owens, Reppy and Turon (2009): unions and intersections are flat, sorted and without duplicates, byte
sets in them become one, concatenations lean to the right, and neutral and absorbing elements disappear. These laws keep the
number of derivatives of an expression finite and small. A constructor costs a look-up of the node's words, and a sort of
the members where they are not in order yet.

The constructors of unions and intersections are in members.pyx.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.intern cimport intern_add, intern_copy, intern_count, intern_truncate
from ffgrammar.core.map cimport map_clear
from ffgrammar.core.owner cimport own_intern, own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.pulse cimport pulse, pulse_begin
from ffgrammar.core.status cimport LIMIT_EXPRESSIONS, LIMIT_NESTING, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_copy, vec_fill, vec_push, vec_reserve

cdef int nodes_init(Nodes* n) noexcept nogil:
    cdef uint32_t word, e
    n.text = NULL
    n.text_len = 0
    n.text_cap = 0
    owner_init(&n.owner)
    own_intern(&n.owner, &n.tuples)
    own_vec(&n.owner, &n.info)
    own_vec(&n.owner, &n.shortest)
    own_vec(&n.owner, &n.remaining)
    own_map(&n.owner, &n.derivatives)
    own_map(&n.owner, &n.classes)
    own_map(&n.owner, &n.within)
    own_map(&n.owner, &n.rounds)
    own_vec(&n.owner, &n.loops)
    own_map(&n.owner, &n.loop_places)
    own_vec(&n.owner, &n.search_texts)
    own_vec(&n.owner, &n.class_words)
    own_vec(&n.owner, &n.stack)
    if owner_status(&n.owner) < 0:
        return NO_MEMORY
    n.max_nodes = n.max_members = n.max_depth = n.max_search = 0xFFFFFFFF
    n.max_words = 0xFFFFFFFF
    n.texts_kept = 0
    n.visits = 0
    n.work_end = 0
    n.visit_end = <uint64_t>-1
    n.pulse.left = n.pulse.beaten = n.pulse.handling = n.pulse.done = n.pulse.done_most = 0
    pulse_begin(&n.pulse, 0)
    n.words_limit = LIMIT_EXPRESSIONS
    for word in range(K_NOTHING, K_ANY + 1):
        if intern_add(&n.tuples, &word, 1, &e) < 0:
            return NO_MEMORY
    if vec_push(&n.info, DEAD_END) < 0 or vec_push(&n.info, NULLABLE | ALIVE) < 0:
        return NO_MEMORY
    if vec_push(&n.info, NULLABLE | ALIVE) < 0:
        return NO_MEMORY
    if vec_fill(&n.remaining, 3, 0) < 0:
        return NO_MEMORY
    return vec_fill(&n.shortest, 3, 0)


cdef void nodes_free(Nodes* n) noexcept nogil:
    owner_free(&n.owner)
    free(n.text)
    n.text = NULL


cdef int nodes_copy(Nodes* to, const Nodes* n) noexcept nogil:
    cdef uint8_t* text
    if n.text_len:
        text = <uint8_t*>realloc(to.text, n.text_len)
        if text == NULL:
            return NO_MEMORY
        memcpy(text, n.text, n.text_len)
        to.text = text
        to.text_len = to.text_cap = n.text_len
    if intern_copy(&to.tuples, &n.tuples) < 0 or vec_copy(&to.info, &n.info) < 0:
        return NO_MEMORY
    if vec_copy(&to.remaining, &n.remaining) < 0:
        return NO_MEMORY
    return vec_copy(&to.shortest, &n.shortest)


cdef void nodes_truncate(Nodes* n, uint32_t count) noexcept nogil:
    # A node refers to earlier nodes only, so no node that stays refers to one that goes. But a memoized derivative may be a node
    # that goes, so all memos are dropped.
    intern_truncate(&n.tuples, count)
    n.info.len = count
    n.shortest.len = count
    n.remaining.len = count
    map_clear(&n.derivatives)
    map_clear(&n.classes)
    map_clear(&n.within)
    map_clear(&n.rounds)
    n.class_words.len = 0


cdef size_t nodes_bytes(const Nodes* n) noexcept nogil:
    return owner_bytes(&n.owner) + n.text_cap


cdef uint32_t remaining_of(const Nodes* n, const uint32_t* words, size_t count, uint32_t shortest) noexcept nogil:
    """The estimate `Nodes.remaining` for a node with these words."""
    cdef uint32_t found
    cdef size_t i
    if words[0] == K_CAT:
        return add_lengths(n.remaining.data[words[1]], n.remaining.data[words[2]])
    if words[0] == K_AND:
        found = 0
        for i in range(1, count):
            found = add_lengths(found, n.remaining.data[words[i]])
        return found
    if words[0] == K_OR:
        found = FAR
        for i in range(1, count):
            found = min(found, n.remaining.data[words[i]])
        return found
    return shortest


cdef int add_node(
    Nodes* n, const uint32_t* words, size_t count, uint32_t flags, uint32_t depth, uint32_t shortest, uint32_t* out,
) noexcept nogil:
    cdef int status
    if depth > n.max_depth:
        return LIMIT_NESTING
    if vec_reserve(&n.info, n.info.len + 1) < 0 or vec_reserve(&n.shortest, n.shortest.len + 1) < 0:
        return NO_MEMORY
    if vec_reserve(&n.remaining, n.remaining.len + 1) < 0:
        return NO_MEMORY
    status = intern_add(&n.tuples, words, count, out)
    if status <= 0:
        return status
    vec_push(&n.info, flags | depth << DEPTH_SHIFT)
    vec_push(&n.shortest, shortest)
    vec_push(&n.remaining, remaining_of(n, words, count, shortest))
    # Over the limit the node stays, unused: the caller gives up, and ids already handed out stay valid.
    if n.tuples.words.len > n.max_words:
        return n.words_limit
    if intern_count(&n.tuples) > n.max_nodes:
        return LIMIT_EXPRESSIONS
    return pulse(&n.pulse, 16 + count)


cdef int make_set(Nodes* n, const uint32_t* bits, uint32_t* out) noexcept nogil:
    cdef uint32_t words[9]
    cdef uint32_t any_bit = 0
    cdef int i
    words[0] = K_SET
    for i in range(8):
        words[i + 1] = bits[i]
        any_bit |= bits[i]
    if not any_bit:
        out[0] = NOTHING
        return OK
    return add_node(n, words, 9, ALIVE, 0, 1, out)


cdef int make_suffix(Nodes* n, uint32_t offset, uint32_t length, uint32_t* out) noexcept nogil:
    cdef uint32_t words[3]
    cdef uint32_t bits[8]
    cdef int i
    if length == 0:
        out[0] = EMPTY
        return OK
    if length == 1:
        # One byte is always a set, so that equal expressions are equal nodes.
        for i in range(8):
            bits[i] = 0
        bit_set(bits, n.text[offset])
        return make_set(n, bits, out)
    words[0] = K_LIT
    words[1] = offset
    words[2] = length
    return add_node(n, words, 3, ALIVE, 0, length if length < FAR else FAR, out)


cdef int make_literal(Nodes* n, const uint8_t* text, uint32_t length, uint32_t* out) noexcept nogil:
    cdef size_t cap
    cdef uint8_t* grown
    cdef uint32_t offset = <uint32_t>n.text_len
    if n.text_len + length > <size_t>0xFFFFFFFF:
        return NO_MEMORY
    if n.text_len + length > n.text_cap:
        cap = 2 * (n.text_len + length) + 64
        grown = <uint8_t*>realloc(n.text, cap)
        if grown == NULL:
            return NO_MEMORY
        n.text = grown
        n.text_cap = cap
    memcpy(n.text + offset, text, length)
    n.text_len += length
    return make_suffix(n, offset, length, out)


cdef int make_concat(Nodes* n, uint32_t head, uint32_t tail, uint32_t* out) noexcept nogil:
    cdef uint32_t words[3]
    cdef uint32_t flags, depth
    cdef size_t base = n.stack.len
    cdef int status = OK
    if head == NOTHING or tail == NOTHING:
        out[0] = NOTHING
        return OK
    if tail == EMPTY:
        out[0] = head
        return OK
    # (a b) tail becomes a (b tail).
    while status >= 0 and node_kind(n, head) == K_CAT:
        status = vec_push(&n.stack, node(n, head)[1])
        head = node(n, head)[2]
    if status >= 0:
        status = vec_push(&n.stack, head)
    while n.stack.len > base and status >= 0:
        n.stack.len -= 1
        head = n.stack.data[n.stack.len]
        if head == EMPTY or (head == tail and is_star(n, head)):
            continue
        if node_kind(n, tail) == K_CAT and head == node(n, tail)[1] and is_star(n, head):
            continue
        flags = n.info.data[head] & n.info.data[tail] & (NULLABLE | ALIVE)
        if (n.info.data[head] | n.info.data[tail]) & DEAD_END:
            flags = DEAD_END
        depth = depth_of(n, head) + 1
        if nullable(n, head) and depth_of(n, tail) > depth:
            depth = depth_of(n, tail)
        words[0] = K_CAT
        words[1] = head
        words[2] = tail
        status = add_node(
            n, words, 3, flags, depth, add_lengths(n.shortest.data[head], n.shortest.data[tail]), &tail)
    n.stack.len = base
    out[0] = tail
    return status


cdef int make_complement(Nodes* n, uint32_t e, uint32_t* out) noexcept nogil:
    cdef uint32_t words[2]
    if e == NOTHING or e == ANY:
        out[0] = ANY if e == NOTHING else NOTHING
        return OK
    if node_kind(n, e) == K_NOT:
        out[0] = node(n, e)[1]
        return OK
    words[0] = K_NOT
    words[1] = e
    return add_node(n, words, 2, 0 if nullable(n, e) else NULLABLE | ALIVE, depth_of(n, e) + 1, nullable(n, e), out)


cdef int make_repeat(Nodes* n, uint32_t e, uint32_t lo, uint32_t hi, uint32_t* out) noexcept nogil:
    cdef uint32_t words[4]
    cdef uint32_t flags
    cdef uint64_t length
    if hi == 0 or e == EMPTY:
        out[0] = EMPTY
        return OK
    if e == NOTHING:
        out[0] = EMPTY if lo == 0 else NOTHING
        return OK
    if (lo == 1 and hi == 1) or e == ANY or is_star(n, e):
        out[0] = e
        return OK
    if nullable(n, e):
        # (`e` matches the empty text, so whatever fewer than `lo` repetitions match, `lo` repetitions match, too.) With a lower
        # bound of 0 the node matches the same texts, and its derivatives have one count less to keep.
        lo = 0
    flags = 0
    if lo == 0:
        flags = NULLABLE | ALIVE
    else:
        flags = n.info.data[e] & (ALIVE | DEAD_END)
    words[0] = K_REP
    words[1] = e
    words[2] = lo
    words[3] = hi
    length = <uint64_t>n.shortest.data[e] * lo
    return add_node(n, words, 4, flags, depth_of(n, e) + 1, <uint32_t>length if length < FAR else FAR, out)
