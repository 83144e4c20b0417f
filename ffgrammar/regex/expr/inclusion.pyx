"""An expression lies in a loop if each of its parts does, because one text of a loop followed by another is a text of the loop."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from ffgrammar.core.bits cimport bit_test
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.regex.expr.nodes cimport (
    EMPTY, K_AND, K_CAT, K_LIT, K_OR, K_REP, K_SET, NOTHING, Nodes, node, node_kind, node_len,
)


cdef enum:
    # At most this many parts of a concatenation, bytes of a literal and members of a loop's union are looked at. What is longer
    # counts as not seen to lie in the loop.
    MAX_PARTS = 64
    # So many pairs of expressions are looked at to see whether one lies in the other.
    MAX_LOOKS = 512


cdef int prefix_length(const Nodes* n, uint32_t e, const uint8_t* text, uint32_t length) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t before = 0
    cdef uint32_t i
    cdef int found
    while words[0] == K_CAT:
        found = prefix_length(n, words[1], text + before, length - before)
        if found < 0:
            return -1
        before += found
        e = words[2]
        words = node(n, e)
    found = -1
    if words[0] == K_SET and before < length and bit_test(words + 1, text[before]):
        found = 1
    elif words[0] == K_LIT and words[2] <= length - before and memcmp(n.text + words[1], text + before, words[2]) == 0:
        found = <int>words[2]
    elif words[0] == K_OR and node_len(n, e) <= MAX_PARTS:
        for i in range(1, node_len(n, e)):
            found = prefix_length(n, words[i], text + before, length - before)
            if found >= 0:
                break
    return -1 if found < 0 else <int>before + found


cdef bint set_within(const Nodes* n, uint32_t e, uint32_t inner) noexcept nogil:
    cdef const uint32_t* bits = node(n, e) + 1
    cdef const uint32_t* words = node(n, inner)
    cdef uint32_t i
    if words[0] == K_SET:
        for i in range(8):
            if bits[i] & ~words[i + 1]:
                return False
        return True
    if words[0] == K_OR:
        for i in range(1, node_len(n, inner)):
            # (a union has one byte set at most)
            if node_kind(n, words[i]) == K_SET:
                return set_within(n, e, words[i])
    return False


cdef bint literal_within(const Nodes* n, uint32_t e, uint32_t inner) noexcept nogil:
    """Whether a literal is a sequence of texts of `inner`, as far as its structure shows."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t at = 0
    cdef int found
    if words[2] > MAX_PARTS:
        return False
    while at < words[2]:
        found = prefix_length(n, inner, n.text + words[1] + at, words[2] - at)
        if found <= 0:
            return False
        at += found
    return True


cdef inline bint is_made_of_parts(const Nodes* n, uint32_t e) noexcept nogil:
    return node_kind(n, e) == K_OR or node_kind(n, e) == K_CAT


cdef bint part_within(Nodes* n, uint32_t e, uint32_t whole) noexcept nogil:
    cdef uint32_t looks = MAX_LOOKS
    cdef uint64_t key = <uint64_t>e << 32 | whole
    cdef uint32_t known
    cdef bint found
    if not is_made_of_parts(n, e) or not is_made_of_parts(n, whole):
        return find_part_within(n, e, whole, &looks)
    # (the second expression is never a loop, so these keys are not those of `within_star`)
    known = map_get(&n.within, key)
    if known != ABSENT:
        return known
    found = find_part_within(n, e, whole, &looks)
    n.pulse.left -= MAX_LOOKS - looks
    # Without memory the answer is just not kept.
    map_put(&n.within, key, found)
    return found


cdef bint find_part_within(const Nodes* n, uint32_t e, uint32_t whole, uint32_t* looks) noexcept nogil:
    """`part_within` with a bound of the pairs that are looked at."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t i
    if e == whole:
        return True
    if looks[0] == 0:
        return False
    looks[0] -= 1
    if kind == K_OR:
        for i in range(1, node_len(n, e)):
            if not find_part_within(n, words[i], whole, looks):
                return False
        return True
    if kind == K_SET:
        return set_within(n, e, whole)
    if kind == K_LIT:
        return prefix_length(n, whole, n.text + words[1], words[2]) == <int>words[2]
    if kind != K_CAT:
        return False
    if node_kind(n, whole) == K_OR:
        for i in range(1, node_len(n, whole)):
            if find_part_within(n, e, node(n, whole)[i], looks):
                return True
        return False
    return node_kind(n, whole) == K_CAT and (
        find_part_within(n, words[1], node(n, whole)[1], looks) and find_part_within(n, words[2], node(n, whole)[2], looks))


cdef bint within_star(Nodes* n, uint32_t e, uint32_t star) noexcept nogil:
    cdef uint64_t key
    cdef uint32_t known
    cdef bint found
    if e == star or e == EMPTY or e == NOTHING:
        return True
    key = <uint64_t>e << 32 | star
    known = map_get(&n.within, key)
    if known != ABSENT:
        return known
    found = find_within_star(n, e, star)
    # Without memory the answer is just not kept.
    map_put(&n.within, key, found)
    return found


cdef bint find_within_star(Nodes* n, uint32_t e, uint32_t star) noexcept nogil:
    cdef uint32_t inner = node(n, star)[1]
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t kind = words[0]
    cdef uint32_t i
    if e == inner:
        return True
    if kind == K_SET:
        return set_within(n, e, inner)
    if kind == K_LIT:
        return literal_within(n, e, inner)
    if kind == K_CAT:
        for _ in range(MAX_PARTS):
            if not within_star(n, node(n, e)[1], star):
                return False
            e = node(n, e)[2]
            if node_kind(n, e) != K_CAT:
                return within_star(n, e, star)
        return False
    if kind == K_REP:
        return within_star(n, words[1], star)
    if kind == K_OR:
        for i in range(1, node_len(n, e)):
            if not within_star(n, words[i], star):
                return False
        return True
    if kind == K_AND:
        for i in range(1, node_len(n, e)):
            if within_star(n, words[i], star):
                return True
    return False
