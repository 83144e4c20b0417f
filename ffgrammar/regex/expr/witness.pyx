"""The witness is made of texts of one expression, the `unit`: the character of one of the loops.

A member either has `rounds`, or it has lengths (lengths.pxd). With rounds r, there is a text of r units that the member matches
whatever units come before and after it. So the witness of all members with rounds has as many units as their sum, or any number
above it.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.regex.expr.crowding cimport is_code, is_crowded
from ffgrammar.regex.expr.inclusion cimport part_within, prefix_length, within_star
from ffgrammar.regex.expr.lengths cimport ENDLESS, Lengths, find_lengths, has_length, lengths_meet
from ffgrammar.regex.expr.nodes cimport (
    ALIVE, ANY, DEAD_END, EMPTY, K_CAT, K_LIT, K_OR, K_REP, K_SET, NOTHING, Nodes, is_star, node, node_kind,
    node_len,
)

cdef enum:
    # So many units are tried.
    MAX_UNITS = 4
    # Larger intersections are not looked at: their states cost too much, even if it is known that they match something.
    MAX_MEMBERS = 256
    # Unions with more members, longer concatenations and longer texts are not looked at.
    MAX_PARTS = 64
    MAX_TEXT = 64
    # So many expressions are looked at to find the texts of one member.
    MAX_LOOKS = 256
    # The rounds of a member of which none are known.
    NO_ROUNDS = 0xFFFFFFFE

cdef struct Sample:
    uint8_t text[MAX_TEXT]
    uint32_t length
    uint32_t left  # how many more expressions are looked at


cdef uint32_t unit_of(const Nodes* n, uint32_t e) noexcept nogil:
    """What the first loop of a member repeats, or NOTHING."""
    cdef uint32_t head = e
    if node_kind(n, e) == K_CAT:
        head = node(n, e)[1]
        if node_kind(n, head) != K_REP:
            head = node(n, e)[2]
            if node_kind(n, head) == K_CAT:
                head = node(n, head)[1]
    if node_kind(n, head) != K_REP:
        return NOTHING
    while node_kind(n, head) == K_REP:
        head = node(n, head)[1]
    return head if n.info.data[head] & ALIVE else NOTHING


cdef int rounds_in(const Nodes* n, const Sample* s, uint32_t unit) noexcept nogil:
    """How many units a text is made of, or -1 if that is not seen."""
    cdef uint32_t at = 0
    cdef int rounds = 0
    cdef int found
    while at < s.length:
        found = prefix_length(n, unit, s.text + at, s.length - at)
        if found <= 0:
            return -1
        at += <uint32_t>found
        rounds += 1
    return rounds


cdef uint32_t byte_for(const Nodes* n, uint32_t e, uint32_t unit) noexcept nogil:
    """A byte of a set, if possible one that is a unit."""
    cdef const uint32_t* own = node(n, e) + 1
    cdef const uint32_t* words = node(n, unit)
    cdef uint32_t i
    if words[0] == K_OR:
        for i in range(1, node_len(n, unit)):
            if node_kind(n, words[i]) == K_SET:
                # (a union has one byte set at most)
                words = node(n, words[i])
                break
    if words[0] == K_SET:
        for i in range(8):
            if own[i] & words[i + 1]:
                return i << 5 | lowest_bit(own[i] & words[i + 1])
    for i in range(8):
        if own[i]:
            return i << 5 | lowest_bit(own[i])
    return 0


cdef bint append_text(const Nodes* n, uint32_t e, uint32_t unit, Sample* s) noexcept nogil:
    """Append a text of `e`, if possible one that makes the whole text one of units. Returns whether there was one."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t length = s.length
    cdef uint32_t i
    if s.left == 0:
        return False
    s.left -= 1
    if words[0] == K_SET and length < MAX_TEXT:
        s.text[length] = <uint8_t>byte_for(n, e, unit)
        s.length += 1
        return True
    if words[0] == K_LIT and words[2] <= MAX_TEXT - length:
        memcpy(s.text + length, n.text + words[1], words[2])
        s.length += words[2]
        return True
    if words[0] == K_REP and words[2] <= MAX_TEXT:
        for _ in range(words[2]):
            if not append_text(n, words[1], unit, s):
                return False
        return True
    if words[0] == K_CAT:
        while node_kind(n, e) == K_CAT:
            if not append_text(n, node(n, e)[1], unit, s):
                return False
            e = node(n, e)[2]
        return append_text(n, e, unit, s)
    if words[0] == K_OR and node_len(n, e) <= MAX_PARTS:
        for i in range(1, node_len(n, e)):
            s.length = length
            if append_text(n, words[i], unit, s) and rounds_in(n, s, unit) >= 0:
                return True
        s.length = length
        return append_text(n, words[1], unit, s)
    return e == EMPTY


cdef bint is_free(Nodes* n, uint32_t e, uint32_t unit) noexcept nogil:
    """Whether a part matches any number of units."""
    return e == ANY or (is_star(n, e) and (part_within(n, unit, node(n, e)[1]) or within_star(n, unit, e)))


cdef uint32_t rounds_of_concat(Nodes* n, uint32_t e, uint32_t unit) noexcept nogil:
    """The rounds of a concatenation whose first and last parts match any number of units."""
    cdef Sample s
    cdef uint32_t rounds = 0
    cdef uint32_t part
    cdef int found
    s.length = 0
    s.left = MAX_LOOKS
    if not is_free(n, node(n, e)[1], unit):
        return NO_ROUNDS
    for _ in range(MAX_PARTS):
        part = node(n, e)[1] if node_kind(n, e) == K_CAT else e
        if is_free(n, part, unit):
            found = rounds_in(n, &s, unit)
            if found < 0:
                return NO_ROUNDS
            rounds += <uint32_t>found
            s.length = 0
            if part == e:
                return rounds
        elif part == e or not append_text(n, part, unit, &s):
            return NO_ROUNDS
        e = node(n, e)[2]
    return NO_ROUNDS


cdef uint32_t find_rounds(Nodes* n, uint32_t e, uint32_t unit) noexcept nogil:
    cdef uint32_t least = NO_ROUNDS
    cdef uint32_t i
    if is_free(n, e, unit):
        return 0
    if node_kind(n, e) == K_CAT:
        return rounds_of_concat(n, e, unit)
    if node_kind(n, e) == K_OR and node_len(n, e) <= MAX_PARTS:
        for i in range(1, node_len(n, e)):
            least = min(least, rounds_of(n, node(n, e)[i], unit))
    return least


cdef uint32_t rounds_of(Nodes* n, uint32_t e, uint32_t unit) noexcept nogil:
    """The rounds of a member, or NO_ROUNDS."""
    cdef uint64_t key = <uint64_t>e << 32 | unit
    cdef uint32_t found = map_get(&n.rounds, key)
    if found == ABSENT:
        found = find_rounds(n, e, unit)
        # Without memory the answer is just not kept.
        map_put(&n.rounds, key, found)
    return found


cdef uint32_t meet(Nodes* n, uint32_t e, uint32_t unit, uint32_t* failed) noexcept nogil:
    """What `judge` returns, with witnesses of this unit. `failed` is then a member without rounds or lengths, or NOTHING."""
    cdef Lengths all, own
    cdef uint64_t needed = 0
    cdef uint32_t i, member, rounds
    cdef int status
    all.first = 0
    all.step = 1
    all.last = ENDLESS
    for i in range(1, node_len(n, e)):
        n.pulse.left -= 1
        member = node(n, e)[i]
        rounds = rounds_of(n, member, unit)
        if rounds != NO_ROUNDS:
            needed += rounds
            continue
        failed[0] = member
        if not find_lengths(n, member, unit, &own):
            return 0
        failed[0] = NOTHING
        status = lengths_meet(&all, &own)
        if status <= 0:
            return DEAD_END if status == 0 and is_code(n, unit) else 0
    failed[0] = NOTHING
    if has_length(&all, needed):
        return ALIVE
    return DEAD_END if is_crowded(n, e, unit, all.last) else 0


cdef uint32_t judge(Nodes* n, uint32_t e) noexcept nogil:
    cdef uint32_t failed = node(n, e)[1]
    cdef uint32_t unit, found
    if node_len(n, e) > MAX_MEMBERS:
        return 0
    for _ in range(MAX_UNITS):
        # What does not match all texts of one unit may match those of its own.
        unit = unit_of(n, failed)
        if unit == NOTHING:
            return 0
        found = meet(n, e, unit, &failed)
        if found or failed == NOTHING:
            return found
    return 0
