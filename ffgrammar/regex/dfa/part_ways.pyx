"""A breadth-first search over the table of parts. The bytes of all parts on the way that it finds are remembered."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.map cimport ABSENT, map_clear, map_get, map_put
from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.regex.dfa.parts cimport NOT_FILLED, step_part
from ffgrammar.regex.expr.nodes cimport nullable

cdef enum:
    MAX_LOOKED = 256   # how many parts a search goes on from
    MAX_FILLED = 1024  # how many words of the table it fills


cdef int remember(Parts* p, uint32_t at, bint complemented) noexcept nogil:
    """Note the bytes on the way to the part at an index of the queue."""
    while at:
        if map_put(&p.ways, <uint64_t>p.queue.data[3 * p.queue.data[3 * at + 1]] << 1 | complemented, p.queue.data[3 * at + 2]) < 0:
            return NO_MEMORY
        at = p.queue.data[3 * at + 1]
    return OK


cdef int add_to_queue(Parts* p, uint32_t part, uint32_t before, uint32_t byte) noexcept nogil:
    if vec_push(&p.queue, part) < 0 or vec_push(&p.queue, before) < 0 or vec_push(&p.queue, byte) < 0:
        return NO_MEMORY
    return map_put(&p.queued, part, 0)


cdef inline bint is_plain(uint32_t byte) noexcept nogil:
    """Whether a byte is a character by itself, also in JSON."""
    return 0x20 <= byte < 0x7F and byte != 0x22 and byte != 0x5C


cdef int search_way(Parts* p, uint32_t part, bint complemented, bint plain) noexcept nogil:
    """Search the way that `find_way` asks for, by plain bytes only if `plain`. Returns 1 if it is found, and remembers it; 0; or a
    status."""
    cdef uint32_t at = 0
    cdef uint32_t filled = 0
    cdef uint32_t byte, after, last
    cdef int status = OK
    p.queue.len = 0
    map_clear(&p.queued)
    if add_to_queue(p, part, 0, 0) < 0:
        return NO_MEMORY
    while status >= 0 and 3 * at < p.queue.len and at < MAX_LOOKED:
        status = pulse(&p.nodes.pulse, 32)
        last = p.queue.data[3 * at]
        for byte in range(256):
            if plain and not is_plain(byte):
                continue
            if status < 0 or filled == MAX_FILLED:
                return status
            filled += p.delta.data[(<size_t>p.queue.data[3 * at] << 8) + byte] == NOT_FILLED
            status = step_part(p, p.queue.data[3 * at], byte, &after)
            if status < 0:
                return status
            if after == last or map_get(&p.queued, after) != ABSENT:
                continue
            last = after
            if add_to_queue(p, after, at, byte) < 0:
                return NO_MEMORY
            if nullable(p.nodes, p.exprs.data[after]) != complemented:
                status = remember(p, <uint32_t>(p.queue.len // 3) - 1, complemented)
                return status if status < 0 else 1
        at += 1
    return status


cdef int find_way(Parts* p, uint32_t part, bint complemented, uint32_t* byte) noexcept nogil:
    cdef uint64_t key = <uint64_t>part << 1 | complemented
    cdef int status
    byte[0] = map_get(&p.ways, key)
    if byte[0] != ABSENT:
        return OK
    # (Plain bytes come first: half a character matches nothing, so its complement does, but the next byte may undo that.)
    status = search_way(p, part, complemented, True)
    if status == 0:
        status = search_way(p, part, complemented, False)
    if status == 0:
        status = map_put(&p.ways, key, NO_WAY)
    byte[0] = map_get(&p.ways, key)
    return min(status, OK)
