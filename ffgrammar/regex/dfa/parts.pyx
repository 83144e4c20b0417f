"""Parts are added when a text first leads to them. What is known to match nothing by then is NO_PART."""

from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_set, lowest_bit
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.core.owner cimport own_map, own_vec, owner_init, owner_status
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport NO_MEMORY, OK, WIDE
from ffgrammar.core.vec cimport vec_fill, vec_push
from ffgrammar.regex.expr.derivative cimport derivative, same_class
from ffgrammar.regex.expr.nodes cimport ANY, DEAD_END, NOTHING, Nodes, nullable

cdef enum:
    FILL_WORK = 64  # what it takes to fill a step, in units of the pulse


cdef int parts_init(Parts* p, Nodes* nodes) noexcept nogil:
    cdef uint32_t part
    p.nodes = nodes
    owner_init(&p.owner)
    own_map(&p.owner, &p.numbers)
    own_vec(&p.owner, &p.exprs)
    own_vec(&p.owner, &p.delta)
    own_vec(&p.owner, &p.read)
    own_vec(&p.owner, &p.completed)
    own_vec(&p.owner, &p.witnesses)
    own_vec(&p.owner, &p.ends)
    own_map(&p.owner, &p.ways)
    own_vec(&p.owner, &p.queue)
    own_map(&p.owner, &p.queued)
    if owner_status(&p.owner) < 0 or find_part(p, NOTHING, &part) < 0:
        return NO_MEMORY
    return find_part(p, ANY, &part)


cdef int find_part(Parts* p, uint32_t e, uint32_t* part) noexcept nogil:
    part[0] = map_get(&p.numbers, e)
    if part[0] != ABSENT:
        return OK
    part[0] = <uint32_t>p.exprs.len
    if part[0] == <uint32_t>MAX_PARTS:
        return WIDE
    if vec_fill(&p.delta, 256, 0xFF) < 0 or vec_fill(&p.completed, WITNESS_WORDS, 0) < 0:
        return NO_MEMORY
    if vec_push(&p.exprs, e) < 0 or vec_push(&p.read, 0) < 0:
        return NO_MEMORY
    return map_put(&p.numbers, e, part[0])


cdef int fill_part(Parts* p, uint32_t part, uint32_t byte, uint32_t* after) noexcept nogil:
    cdef uint32_t bits[8]
    cdef uint32_t e = p.exprs.data[part]
    cdef uint32_t i, found
    cdef int status = pulse(&p.nodes.pulse, FILL_WORK)
    for i in range(8):
        bits[i] = 0xFFFFFFFF
    if status >= 0:
        same_class(p.nodes, e, byte, bits)
        status = derivative(p.nodes, e, byte, &found)
    if status >= 0:
        # (There is no search for a match here, because a witness mostly shows that there is one. With searches for all parts, a
        # mask of `idn-hostname` takes 47 ms instead of 22.)
        status = find_part(p, NOTHING if p.nodes.info.data[found] & DEAD_END else found, after)
    if status < 0:
        return status
    for i in range(8):
        while bits[i]:
            p.delta.data[(<size_t>part << 8) + (i << 5 | lowest_bit(bits[i]))] = after[0]
            bits[i] &= bits[i] - 1
    return OK


cdef int read_witnesses(Parts* p, uint32_t part) noexcept nogil:
    cdef uint32_t number = p.read.data[part]
    cdef uint32_t at, here
    cdef int status
    while number < p.ends.len:
        here = part
        at = p.ends.data[number - 1] if number else 0
        while at < p.ends.data[number] and here != NO_PART:
            status = step_part(p, here, p.witnesses.data[at], &here)
            if status < 0:
                return status
            at += 1
        if nullable(p.nodes, p.exprs.data[here]):
            bit_set(p.completed.data + <size_t>part * WITNESS_WORDS, number)
        number += 1
        p.read.data[part] = number
    return OK


cdef int add_witness(Parts* p, const uint32_t* text, uint32_t length) noexcept nogil:
    cdef uint32_t i
    if p.ends.len == MAX_WITNESSES:
        return OK
    for i in range(length):
        if vec_push(&p.witnesses, text[i]) < 0:
            return NO_MEMORY
    return vec_push(&p.ends, <uint32_t>p.witnesses.len)
