"""Brzozowski derivatives (1964) with the byte classes of Owens, Reppy and Turon (2009).

Recursion follows the nesting of an expression, never the length of a concatenation or the count of a repeat, and
`max_depth` bounds it.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ffgrammar.core.bits cimport bit_clear, bit_test
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_push
from ffgrammar.regex.expr.multiples cimport multiples_class, multiples_derivative
from ffgrammar.regex.expr.members cimport make_members, make_union
from ffgrammar.regex.expr.nodes cimport (
    ANY, DEPTH_SHIFT, EMPTY, K_AND, K_ANY, K_CAT, K_EMPTY, K_LIT, K_MULT, K_NOT, K_NOTHING, K_OR, K_PART, K_REP, K_SET,
    NO_BOUND, NOTHING, Nodes, make_complement, make_concat, make_repeat, make_suffix, node, node_kind, node_len, nullable,
    only_first,
)

cdef enum:
    # The byte classes of a union or an intersection are kept if its node has more than FEW_MEMBERS and at most MANY_MEMBERS
    # words, and a depth of at most SHALLOW. The union for one character of a JSON string is of this kind, and is part of every
    # lexer state inside a JSON string. So is a large set of characters, as in `idn-hostname`: the slowest mask of an `idn-email`
    # takes 17 ms, and 21 ms if only unions of more than 6 words and depth 4 are kept. Smaller unions are quickly looked through,
    # and deeper ones are hardly met again.
    FEW_MEMBERS = 4
    MANY_MEMBERS = 512
    SHALLOW = 8


cdef int derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil:
    # The simplest kinds are answered at once, because a look-up in the memo would take longer.
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t found
    cdef uint64_t key
    cdef int status
    if kind == K_NOTHING or kind == K_EMPTY:
        out[0] = NOTHING
        return OK
    if kind == K_ANY:
        out[0] = ANY
        return OK
    if kind == K_SET:
        out[0] = EMPTY if bit_test(words + 1, byte) else NOTHING
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
    # (an entry in a large table, which is hardly in the processor's cache)
    n.pulse.left -= 16
    status = new_derivative(n, e, byte, &found)
    if status < 0:
        return status
    out[0] = found
    return map_put(&n.derivatives, key, found)


cdef int new_derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil:
    cdef uint32_t kind = node_kind(n, e)
    cdef int status
    if kind == K_CAT:
        return concat_derivative(n, e, byte, out)
    if kind == K_OR or kind == K_AND:
        return members_derivative(n, e, byte, out)
    if kind == K_REP:
        return repeat_derivative(n, e, byte, out)
    if kind == K_NOT:
        status = derivative(n, node(n, e)[1], byte, out)
        return status if status < 0 else make_complement(n, out[0], out)
    return multiples_derivative(n, e, byte, out)


cdef int repeat_derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t inner = words[1]
    cdef uint32_t lo = words[2]
    cdef uint32_t hi = words[3]
    cdef uint32_t found, rest
    cdef int status = derivative(n, inner, byte, &found)
    if status < 0 or found == NOTHING:
        out[0] = NOTHING
        return status
    status = make_repeat(n, inner, lo - 1 if lo else 0, hi if hi == NO_BOUND else hi - 1, &rest)
    return status if status < 0 else make_concat(n, found, rest, out)


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
    """Whether the first part of `e` already shows that no text of `e` starts with `byte`. This rules out nearly all members of
    a union of many literals. (The first mask for a schema with 3,000 properties takes 4.5 ms; without this
    check it takes 6.3 ms.)"""
    cdef const uint32_t* words = node(n, e)
    if words[0] == K_CAT:
        words = node(n, words[1])
    if words[0] == K_LIT:
        return n.text[words[1]] != byte
    return words[0] == K_SET and not bit_test(words + 1, byte)


cdef int members_derivative(Nodes* n, uint32_t e, uint32_t byte, uint32_t* out) noexcept nogil:
    cdef size_t base = n.stack.len
    cdef uint32_t kind = node_kind(n, e)
    cdef uint32_t count = node_len(n, e)
    cdef uint32_t i, d
    cdef const uint32_t* words = node(n, e)
    cdef int status = vec_push(&n.stack, kind)
    # (a look-up of a member's derivative, and its place in the new node)
    n.pulse.left -= 2 * count
    for i in range(1, count):
        if kind == K_OR and starts_otherwise(n, words[i], byte):
            continue
        if status >= 0:
            status = derivative(n, words[i], byte, &d)
            # New nodes may have moved the words.
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
    return make_members(n, kind, base, out)


cdef inline void set_class(const uint32_t* members, uint32_t byte, uint32_t* bits) noexcept nogil:
    """What `same_class` does for a set with these members. (Copies of known size become four loads, without a loop.)"""
    cdef uint64_t flip = 0 if bit_test(members, byte) else <uint64_t>-1
    cdef uint64_t own[4]
    cdef uint64_t others[4]
    memcpy(own, bits, sizeof(own))
    memcpy(others, members, sizeof(others))
    own[0] &= others[0] ^ flip
    own[1] &= others[1] ^ flip
    own[2] &= others[2] ^ flip
    own[3] &= others[3] ^ flip
    memcpy(bits, own, sizeof(own))


cdef inline bint is_single(const uint32_t* bits) noexcept nogil:
    """Whether a set of bytes has at most one byte."""
    cdef uint64_t words[4]
    cdef uint64_t seen = 0
    cdef uint64_t twice = 0
    cdef uint32_t i
    memcpy(words, bits, sizeof(words))
    for i in range(4):
        twice |= words[i] & (words[i] - 1)
        if words[i]:
            twice |= seen
            seen = 1
    return twice == 0


cdef void members_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef const uint32_t* head
    cdef uint32_t count = node_len(n, e)
    cdef uint32_t i, other
    for i in range(1, count):
        head = node(n, words[i])
        if head[0] == K_CAT:
            head = node(n, head[1])
        if head[0] == K_SET:
            # (most members of large unions begin with a set)
            n.visits += 1
            n.pulse.left -= 1
            set_class(head + 1, byte, bits)
        else:
            other = only_first(n, words[i])
            if other < 256 and other != byte:
                bit_clear(bits, other)
            else:
                same_class(n, words[i], byte, bits)
        if i & 7 == 0 and is_single(bits):
            # no member can narrow it further
            return


cdef void kept_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil:
    """What `members_class` does, but from the table of classes. A class that is not in the table yet is entered."""
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
        # Without memory the class is just not kept.
        if vec_extend(&n.class_words, own, 8) >= 0 and map_put(&n.classes, key, offset) < 0:
            n.class_words.len = offset
    for i in range(8):
        bits[i] &= found[i]


cdef void same_class(Nodes* n, uint32_t e, uint32_t byte, uint32_t* bits) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t i
    cdef uint8_t first
    n.visits += 1
    n.pulse.left -= 1
    if kind == K_SET:
        set_class(words + 1, byte, bits)
    elif kind == K_LIT:
        first = n.text[words[1]]
        if first == byte:
            for i in range(8):
                bits[i] &= (<uint32_t>1 << (byte & 31)) if i == byte >> 5 else 0
        else:
            bit_clear(bits, first)
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
        if FEW_MEMBERS < node_len(n, e) <= MANY_MEMBERS and n.info.data[e] >> DEPTH_SHIFT <= SHALLOW:
            kept_class(n, e, byte, bits)
        else:
            members_class(n, e, byte, bits)
    elif kind == K_NOT or kind == K_REP:
        same_class(n, words[1], byte, bits)
    elif kind == K_MULT or kind == K_PART:
        multiples_class(n, e, byte, bits)


cdef bint next_class(Nodes* n, uint32_t e, uint32_t* covered, uint32_t* byte) noexcept nogil:
    cdef uint32_t bits[8]
    cdef uint32_t i
    while byte[0] < 256 and bit_test(covered, byte[0]):
        byte[0] += 1
    if byte[0] == 256:
        return False
    for i in range(8):
        bits[i] = 0xFFFFFFFF
    same_class(n, e, byte[0], bits)
    for i in range(8):
        covered[i] |= bits[i]
    return True
