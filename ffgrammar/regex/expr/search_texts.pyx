"""Each text has a slot in a vector: its length and its bytes. An empty slot has the length 0. Slots of short texts come first."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ffgrammar.core.pulse cimport pulse
from ffgrammar.core.vec cimport vec_fill
from ffgrammar.regex.expr.derivative cimport derivative
from ffgrammar.regex.expr.nodes cimport DEAD_END

cdef enum:
    MAX_LONG = 8  # texts of long searches
    SLOTS = MAX_SHORT_BYTES + MAX_LONG
    SLOT_WORDS = MAX_TEXT_BYTES + 1


cdef void fill_slot(Nodes* n, uint32_t slot, const uint32_t* bytes, uint32_t length) noexcept nogil:
    cdef uint32_t* words = n.search_texts.data + <size_t>slot * SLOT_WORDS
    words[0] = length
    memcpy(words + 1, bytes, length * sizeof(uint32_t))


cdef void keep_text(Nodes* n, const uint32_t* bytes, uint32_t length, bint is_of_long_search) noexcept nogil:
    cdef uint32_t end = min(length, <uint32_t>MAX_SHORT_BYTES)
    if n.search_texts.len == 0 and vec_fill(&n.search_texts, SLOTS * SLOT_WORDS, 0) < 0:
        return
    if not is_of_long_search:
        if length == end:
            fill_slot(n, length - 1, bytes, length)
        return
    fill_slot(n, MAX_SHORT_BYTES + n.texts_kept % MAX_LONG, bytes, length)
    n.texts_kept += 1
    if end < length:
        fill_slot(n, MAX_SHORT_BYTES + n.texts_kept % MAX_LONG, bytes + length - end, end)
        n.texts_kept += 1


cdef int try_text(Nodes* n, uint32_t e, size_t at) noexcept nogil:
    """Try the text of the slot at an index. Returns as `try_texts`."""
    cdef uint32_t i
    cdef int status
    for i in range(n.search_texts.data[at]):
        status = derivative(n, e, n.search_texts.data[at + 1 + i], &e)
        if status >= 0:
            status = pulse(&n.pulse, 8)
        if status < 0:
            return status
        e = undecided_rest(n, e)
        if n.info.data[e] & (ALIVE | DEAD_END):
            return n.info.data[e] & ALIVE != 0
    return 0


cdef int try_slots(Nodes* n, uint32_t e, size_t count) noexcept nogil:
    cdef size_t slot
    cdef int status
    if n.search_texts.len == 0:
        return 0
    for slot in range(count):
        status = try_text(n, e, slot * SLOT_WORDS)
        if status > 0:
            n.info.data[e] |= ALIVE
        if status:
            return status
    return 0


cdef int try_short_texts(Nodes* n, uint32_t e) noexcept nogil:
    return try_slots(n, e, MAX_SHORT_BYTES)


cdef int try_texts(Nodes* n, uint32_t e) noexcept nogil:
    return try_slots(n, e, SLOTS)
