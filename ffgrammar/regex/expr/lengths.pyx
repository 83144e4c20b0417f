"""Progressions are found by structure alone, and intersected by the extended algorithm of Euclid."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from ffgrammar.regex.expr.inclusion cimport set_within
from ffgrammar.regex.expr.nodes cimport EMPTY, K_CAT, K_REP, K_SET, NO_BOUND, Nodes, node, node_kind

cdef enum:
    # Deeper repeats, and longer concatenations, are not looked at.
    MAX_LEVELS = 4
    MAX_PARTS = 16


cdef bint find_lengths(const Nodes* n, uint32_t e, uint32_t unit, Lengths* found) noexcept nogil:
    return lengths_within(n, e, unit, MAX_LEVELS, found)


cdef bint lengths_within(const Nodes* n, uint32_t e, uint32_t unit, uint32_t levels, Lengths* found) noexcept nogil:
    cdef uint32_t kind = node_kind(n, e)
    found.step = 1
    if e == EMPTY:
        found.first = found.last = 0
        return True
    if e == unit or (kind == K_SET and node_kind(n, unit) == K_SET and set_within(n, unit, e)):
        found.first = found.last = 1
        return True
    if levels == 0:
        return False
    if kind == K_CAT:
        return lengths_of_concat(n, e, unit, levels - 1, found)
    return kind == K_REP and lengths_of_repeat(n, e, unit, levels - 1, found)


cdef bint lengths_of_repeat(const Nodes* n, uint32_t e, uint32_t unit, uint32_t levels, Lengths* found) noexcept nogil:
    """The lengths of a repeat whose inner expression has one length."""
    cdef uint64_t lo = node(n, e)[2]
    cdef uint64_t hi = node(n, e)[3]
    cdef uint64_t length
    if not lengths_within(n, node(n, e)[1], unit, levels, found) or found.first != found.last or found.first == 0:
        return False
    length = found.first
    if lo > <uint64_t>MOST_ROUNDS / length or (hi != NO_BOUND and hi > <uint64_t>MOST_ROUNDS / length):
        return False
    found.first = lo * length
    found.step = length
    found.last = <uint64_t>ENDLESS if hi == NO_BOUND else hi * length
    return True


cdef bint lengths_of_concat(const Nodes* n, uint32_t e, uint32_t unit, uint32_t levels, Lengths* found) noexcept nogil:
    cdef Lengths own
    cdef uint32_t parts = 0
    cdef bint more = True
    found.first = found.last = 0
    found.step = 1
    while more:
        parts += 1
        more = node_kind(n, e) == K_CAT
        if parts > MAX_PARTS or not lengths_within(n, node(n, e)[1] if more else e, unit, levels, &own):
            return False
        if found.first == found.last:
            found.step = own.step
        elif own.first != own.last and own.step != found.step:
            return False
        found.first += own.first
        found.last = min(found.last + own.last, <uint64_t>ENDLESS)
        if more:
            e = node(n, e)[2]
    return found.first <= <uint64_t>MOST_ROUNDS


cdef uint64_t inverse(uint64_t a, uint64_t modulus, uint64_t* common) noexcept nogil:
    """A number by which `a` is `common`, the greatest common divisor, modulo `modulus`."""
    cdef int64_t x = 1
    cdef int64_t y = 0
    cdef uint64_t b = modulus
    cdef uint64_t times, rest
    cdef int64_t next
    while b:
        times = a / b
        rest = a % b
        a = b
        b = rest
        next = x - <int64_t>times * y
        x = y
        y = next
    common[0] = a
    return <uint64_t>(x + <int64_t>modulus) if x < 0 else <uint64_t>x


cdef int lengths_meet(Lengths* all, const Lengths* own) noexcept nogil:
    cdef uint64_t first = max(all.first, own.first)
    cdef uint64_t last = min(all.last, own.last)
    cdef uint64_t common, gap, rounds
    cdef uint64_t factor = inverse(all.step % own.step, own.step, &common)
    cdef uint64_t modulus = own.step / common
    if all.step > <uint64_t>ENDLESS / own.step:
        return -1
    # The lengths of `all` that `own` has are those after `rounds` steps, and after `modulus` steps more each time.
    gap = (own.first % own.step + own.step - all.first % own.step) % own.step
    if gap % common:
        return 0
    rounds = (gap / common) % modulus * (factor % modulus) % modulus
    all.first += rounds * all.step
    all.step *= modulus
    all.last = last
    if all.first < first:
        all.first += (first - all.first + all.step - 1) / all.step * all.step
    return all.first <= last


cdef bint has_length(const Lengths* all, uint64_t least) noexcept nogil:
    cdef uint64_t first = all.first
    if first < least:
        first += (least - first + all.step - 1) / all.step * all.step
    return first <= all.last
