"""Entries get their links in an order in which the links of what waits for them are known. Where circles leave no such order, the
first entry without a link gets one by place, and so on."""

from libc.stdint cimport uint32_t
from libc.stdlib cimport qsort

from ffgrammar.core.intern cimport intern_add, intern_free, intern_init, intern_truncate
from ffgrammar.core.owner cimport own_intern, own_vec, owner_init, owner_status
from ffgrammar.core.sort cimport compare_runs
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_push
from ffgrammar.engine.parser.tables cimport END

cdef enum:
    NO_LINK = 0xFFFFFFFF
    ITSELF = 0xFFFFFFFF  # in a key: the link of the key


cdef int links_init(Links* l) noexcept nogil:
    owner_init(&l.owner)
    own_intern(&l.owner, &l.keys)
    own_vec(&l.owner, &l.pairs)
    own_vec(&l.owner, &l.of_key)
    own_vec(&l.owner, &l.predicted)
    own_vec(&l.owner, &l.waits)
    own_vec(&l.owner, &l.grouped)
    own_vec(&l.owner, &l.missing)
    own_vec(&l.owner, &l.ready)
    own_vec(&l.owner, &l.key)
    return owner_status(&l.owner)


cdef int links_clear(Links* l) noexcept nogil:
    intern_free(&l.keys)
    vec_free(&l.pairs)
    vec_free(&l.of_key)
    if intern_init(&l.keys) < 0:
        return NO_MEMORY
    return vec_fill(&l.pairs, 2, 0xFF)  # the root


cdef void links_truncate(Links* l, uint32_t count, uint32_t keys) noexcept nogil:
    l.pairs.len = 2 * <size_t>count
    intern_truncate(&l.keys, keys)
    l.of_key.len = keys


cdef int compare_pairs(const void* a, const void* b) noexcept nogil:
    return compare_runs(a, b, 2)


cdef inline uint32_t* entry_of(const Links* l, uint32_t number) noexcept nogil:
    return l.predicted.data + number * P_WORDS


cdef inline uint32_t link_of_wait(const Links* l, const uint32_t* wait) noexcept nogil:
    return wait[W_LINK] if wait[W_SOURCE] == IN_KERNEL else entry_of(l, wait[W_SOURCE])[P_LINK]


cdef int link_by_place(Links* l, uint32_t row, uint32_t* entry) noexcept nogil:
    entry[P_LINK] = link_count(l)
    if vec_push(&l.pairs, row) < 0:
        return NO_MEMORY
    return vec_push(&l.pairs, entry[P_NONTERMINAL])


cdef int link_by_waits(Links* l, const Rules* rules, uint32_t row, uint32_t number, const uint32_t* waits) noexcept nogil:
    """Find the link of an entry, whose waits have links. `waits` are their numbers. Returns OK or NO_MEMORY."""
    cdef uint32_t* entry = entry_of(l, number)
    cdef const uint32_t* wait = l.waits.data + waits[0] * W_WORDS
    cdef uint32_t i, key
    cdef int status
    if entry[P_COUNT] == 1 and rules.symbols.data[wait[W_POSITION] + 1] & END and wait[W_SOURCE] != number:
        entry[P_LINK] = link_of_wait(l, wait)
        return OK
    l.key.len = 0
    for i in range(entry[P_COUNT]):
        wait = l.waits.data + waits[i] * W_WORDS
        key = <uint32_t>ITSELF if wait[W_SOURCE] == number else link_of_wait(l, wait)
        if vec_push(&l.key, wait[W_POSITION]) < 0 or vec_push(&l.key, key) < 0:
            return NO_MEMORY
    if entry[P_COUNT] > 1:
        qsort(l.key.data, entry[P_COUNT], 2 * sizeof(uint32_t), compare_pairs)
    status = intern_add(&l.keys, l.key.data, l.key.len, &key)
    if status < 0:
        return NO_MEMORY
    if status == 0:
        entry[P_LINK] = l.of_key.data[key]
        return OK
    if link_by_place(l, row, entry) < 0 or vec_push(&l.of_key, entry[P_LINK]) < 0:
        intern_truncate(&l.keys, key)
        return NO_MEMORY
    return OK


cdef int group_waits(Links* l, uint32_t count) noexcept nogil:
    """Fill `grouped`, `missing` and `ready`. In `missing`, where the waits of each entry begin in `grouped` comes after the counts.
    Returns OK or NO_MEMORY."""
    cdef uint32_t waits = <uint32_t>(l.waits.len // W_WORDS)
    cdef uint32_t i, number
    cdef uint32_t at = 0
    cdef uint32_t* starts
    cdef const uint32_t* wait
    l.grouped.len = l.missing.len = l.ready.len = 0
    if vec_fill(&l.missing, 2 * count, 0) < 0 or vec_fill(&l.grouped, waits, 0) < 0:
        return NO_MEMORY
    starts = l.missing.data + count
    for number in range(count):
        entry_of(l, number)[P_LINK] = NO_LINK
        starts[number] = at
        at += entry_of(l, number)[P_COUNT]
    for i in range(waits):
        wait = l.waits.data + i * W_WORDS
        number = wait[W_ENTRY]
        l.grouped.data[starts[number]] = i
        starts[number] += 1
        l.missing.data[number] += wait[W_SOURCE] != IN_KERNEL and wait[W_SOURCE] != number
    for number in range(count):
        starts[number] -= entry_of(l, number)[P_COUNT]
        if l.missing.data[number] == 0 and vec_push(&l.ready, number) < 0:
            return NO_MEMORY
    return OK


cdef int count_down(Links* l, uint32_t count, uint32_t source) noexcept nogil:
    """Note that an entry has a link: what waits in its productions has one, too. Returns OK or NO_MEMORY."""
    cdef uint32_t last = <uint32_t>(l.waits.len // W_WORDS)
    cdef uint32_t i, number
    if source + 1 < count:
        last = entry_of(l, source + 1)[P_FIRST]
    for i in range(entry_of(l, source)[P_FIRST], last):
        number = l.waits.data[i * W_WORDS + W_ENTRY]
        if number == source:
            continue
        l.missing.data[number] -= 1
        if l.missing.data[number] == 0 and entry_of(l, number)[P_LINK] == NO_LINK and vec_push(&l.ready, number) < 0:
            return NO_MEMORY
    return OK


cdef int links_find(Links* l, const Rules* rules, uint32_t row) noexcept nogil:
    cdef uint32_t count = <uint32_t>(l.predicted.len // P_WORDS)
    cdef uint32_t number
    cdef uint32_t first = 0
    cdef int status = group_waits(l, count)
    while status >= 0:
        if l.ready.len:
            l.ready.len -= 1
            number = l.ready.data[l.ready.len]
            status = link_by_waits(l, rules, row, number, l.grouped.data + l.missing.data[count + number])
        else:
            while first < count and entry_of(l, first)[P_LINK] != NO_LINK:
                first += 1
            if first == count:
                break
            number = first
            status = link_by_place(l, row, entry_of(l, number))
        if status >= 0:
            status = count_down(l, count, number)
    return min(status, OK)
