"""How threads get their slots: they are sorted by contents."""

from libc.stdint cimport uint32_t
from libc.stdlib cimport qsort

from ffgrammar.core.sort cimport compare_runs
from ffgrammar.core.status cimport LIMIT_ROW_ITEMS, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.parser.tables cimport NONTERMINAL


cdef int compare_entries(const void* a, const void* b) noexcept nogil:
    return compare_runs(a, b, ENTRY_WORDS)


cdef size_t next_entry(const Entry* entries, size_t count, size_t at, bint with_items) noexcept nogil:
    """The entry of the same thread after one, or `count`; without items, the next one with another lexeme or expression."""
    cdef size_t i = at + 1
    while not with_items and i < count and entries[i].thread == entries[at].thread:
        if entries[i].symbol != entries[at].symbol or entries[i].expr != entries[at].expr:
            break
        i += 1
    return i if i < count and entries[i].thread == entries[at].thread else count


cdef int compare_threads(const Threads* t, const Entry* entries, size_t count, size_t a, size_t b) noexcept nogil:
    """Compare two threads, given by their first entries. Returns a number below, equal to or above 0."""
    cdef bint with_items = not t.alone.data[entries[a].symbol]
    # (all words of an entry but the thread; or the lexeme and the expression only)
    cdef int words = ENTRY_WORDS - 1 if with_items else 2
    cdef int order
    while a < count and b < count:
        order = compare_runs(&entries[a].symbol, &entries[b].symbol, words)
        if order:
            return order
        a = next_entry(entries, count, a, with_items)
        b = next_entry(entries, count, b, with_items)
    return <int>(a < count) - <int>(b < count)


cdef int carried_settle(const Threads* t, Vec* carried, Vec* order) noexcept nogil:
    cdef Entry* entries = <Entry*>carried.data
    cdef size_t count = carried.len // ENTRY_WORDS
    cdef size_t kept = 0
    cdef size_t i, j
    cdef uint32_t slot = 0
    cdef uint32_t first, thread
    order.len = 0
    qsort(entries, count, sizeof(Entry), compare_entries)
    for i in range(count):
        if i == 0 or entries[i].thread != entries[i - 1].thread:
            if vec_push(order, <uint32_t>i) < 0:
                return NO_MEMORY
            j = order.len - 1
            while j > 0 and compare_threads(t, entries, count, order.data[j - 1], i) > 0:
                order.data[j] = order.data[j - 1]
                j -= 1
            order.data[j] = <uint32_t>i
    # the slots, noted where the threads are, because the entries still have to be compared
    for i in range(order.len):
        first = order.data[i]
        if i == 0 or compare_threads(t, entries, count, order.data[i - 1], first) != 0:
            slot += 1
        if vec_push(order, slot) < 0:
            return NO_MEMORY
    if slot >= <uint32_t>NONTERMINAL // t.lexemes - 1:
        return LIMIT_ROW_ITEMS
    for i in range(order.len // 2):
        j = order.data[i]
        slot = order.data[order.len // 2 + i]
        thread = entries[j].thread
        while j < count and entries[j].thread == thread:
            entries[j].symbol += slot * t.lexemes
            j += 1
    for i in range(count):
        entries[i].thread = 0
    qsort(entries, count, sizeof(Entry), compare_entries)
    for i in range(count):
        if i == 0 or compare_entries(&entries[i], &entries[kept - 1]) != 0:
            entries[kept] = entries[i]
            kept += 1
    carried.len = kept * ENTRY_WORDS
    return OK
