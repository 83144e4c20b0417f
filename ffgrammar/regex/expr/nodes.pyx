"""Smart constructors: they simplify a node before they intern it.

The laws are those of Owens, Reppy and Turon (2009): unions and intersections are flat, sorted and without duplicates, byte
sets in them become one, concatenations lean to the right, and neutral and absorbing elements disappear. These laws keep the
number of derivatives of an expression finite and small. A constructor costs a look-up of the node's words, and a sort of
the members where they are not in order yet.

One set of functions makes unions and intersections; `kind` says which. The two kinds mirror each other: NOTHING is neutral in a
union and decides an intersection, and ANY is neutral in an intersection and decides a union.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.intern cimport intern_add, intern_copy, intern_count, intern_truncate
from ffgrammar.core.map cimport map_clear
from ffgrammar.core.owner cimport own_intern, own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.sort cimport sort_words
from ffgrammar.core.status cimport LIMIT_EXPRESSION_SIZE, LIMIT_EXPRESSIONS, LIMIT_NESTING, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_copy, vec_extend, vec_fill, vec_push, vec_reserve


cdef int nodes_init(Nodes* n) noexcept nogil:
    cdef uint32_t word, e
    n.text = NULL
    n.text_len = 0
    n.text_cap = 0
    owner_init(&n.owner)
    own_intern(&n.owner, &n.tuples)
    own_vec(&n.owner, &n.info)
    own_vec(&n.owner, &n.shortest)
    own_map(&n.owner, &n.derivatives)
    own_map(&n.owner, &n.classes)
    own_vec(&n.owner, &n.class_words)
    own_vec(&n.owner, &n.stack)
    if owner_status(&n.owner) < 0:
        return NO_MEMORY
    n.max_nodes = n.max_members = n.max_depth = n.max_search = 0xFFFFFFFF
    n.max_words = 0xFFFFFFFF
    n.words_limit = LIMIT_EXPRESSIONS
    for word in range(K_NOTHING, K_ANY + 1):
        if intern_add(&n.tuples, &word, 1, &e) < 0:
            return NO_MEMORY
    if vec_push(&n.info, DEAD_END) < 0 or vec_push(&n.info, NULLABLE | ALIVE) < 0:
        return NO_MEMORY
    if vec_push(&n.info, NULLABLE | ALIVE) < 0:
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
    return vec_copy(&to.shortest, &n.shortest)


cdef void nodes_truncate(Nodes* n, uint32_t count) noexcept nogil:
    # A node refers to earlier nodes only, so no node that stays refers to one that goes. But a memoized derivative may be a node
    # that goes, so all memos are dropped.
    intern_truncate(&n.tuples, count)
    n.info.len = count
    n.shortest.len = count
    map_clear(&n.derivatives)
    map_clear(&n.classes)
    n.class_words.len = 0


cdef size_t nodes_bytes(const Nodes* n) noexcept nogil:
    return owner_bytes(&n.owner) + n.text_cap


cdef inline uint32_t depth_of(const Nodes* n, uint32_t e) noexcept nogil:
    return n.info.data[e] >> DEPTH_SHIFT


cdef int add_node(
    Nodes* n, const uint32_t* words, size_t count, uint32_t flags, uint32_t depth, uint32_t shortest, uint32_t* out,
) noexcept nogil:
    cdef int status
    if depth > n.max_depth:
        return LIMIT_NESTING
    if vec_reserve(&n.info, n.info.len + 1) < 0 or vec_reserve(&n.shortest, n.shortest.len + 1) < 0:
        return NO_MEMORY
    status = intern_add(&n.tuples, words, count, out)
    if status <= 0:
        return status
    vec_push(&n.info, flags | depth << DEPTH_SHIFT)
    vec_push(&n.shortest, shortest)
    # Over the limit the node stays, unused: the caller gives up, and ids already handed out stay valid.
    if n.tuples.words.len > n.max_words:
        return n.words_limit
    return LIMIT_EXPRESSIONS if intern_count(&n.tuples) > n.max_nodes else OK


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


cdef inline bint is_star(const Nodes* n, uint32_t e) noexcept nogil:
    """Whether `e` is x* or ANY. Then two of `e`, one after the other, match what one `e` matches."""
    cdef const uint32_t* words = node(n, e)
    return e == ANY or (words[0] == K_REP and words[2] == 0 and words[3] == NO_BOUND)


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
        n.stack.data[kept] = e
        kept += 1
    n.stack.len = kept
    return True


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
    if count > n.max_members:
        return LIMIT_EXPRESSION_SIZE
    if is_union:
        flags = some & (NULLABLE | ALIVE)
    else:
        flags = (NULLABLE | ALIVE) if every & NULLABLE else 0
    n.stack.data[base] = kind
    return add_node(n, n.stack.data + base, count + 1, flags, depth, shortest, out)


cdef inline int simplify_members(Nodes* n, uint32_t kind, size_t base, uint32_t* out) noexcept nogil:
    cdef Gathered found
    cdef uint32_t e
    cdef size_t count
    cdef int status
    if flatten(n, base, kind) < 0:
        return NO_MEMORY
    if not gather(n, kind, base, &found):
        out[0] = ANY if kind == K_OR else NOTHING
        return OK
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
    count = sort_members(n, base)
    if count > 1:
        return intern_members(n, kind, base, out)
    if count == 1:
        out[0] = n.stack.data[base + 1]
    else:
        out[0] = NOTHING if kind == K_OR else ANY
    return OK


cdef int make_members(Nodes* n, uint32_t kind, size_t base, uint32_t* out) noexcept nogil:
    # The kind is a constant in each call, so the compiler makes a copy of the function for unions and one for intersections.
    cdef int status
    if kind == K_OR:
        status = simplify_members(n, K_OR, base, out)
    else:
        status = simplify_members(n, K_AND, base, out)
    n.stack.len = base
    return status


cdef int make_union(Nodes* n, size_t base, uint32_t* out) noexcept nogil:
    return make_members(n, K_OR, base, out)


cdef int make_intersection(Nodes* n, size_t base, uint32_t* out) noexcept nogil:
    return make_members(n, K_AND, base, out)


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
