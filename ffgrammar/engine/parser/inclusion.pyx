"""What advances when a link is complete is listed once, and what came out of pairs is kept.

Grammars are no worse off where this does not help. Nothing is looked for in a row without two items of one dot position. Else the
search has a credit, which grows with the items of the row and with those that are dropped. What was found out for other rows spares
credit, so which items are dropped depends on what was read before. What may follow does not, but whether a text comes to the limit
`row_items` may.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort

from ffgrammar.core.intern cimport intern_add, intern_get, intern_len
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.core.sort cimport compare_runs
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.parser.links cimport link_pair
from ffgrammar.engine.parser.rests cimport number_rests
from ffgrammar.engine.parser.rows cimport ROOT, Item, row_waiting
from ffgrammar.engine.parser.tables cimport END, NONTERMINAL, NUMBER

cdef enum:
    # At most so many items are listed after a link, and at most so many links complete with it. What has more counts as not seen.
    MAX_LISTED = 1024
    MAX_COMPLETE = 64
    # How many items may be looked at for a row, for each item of its kernel, and for each one that is dropped.
    CREDIT = 1024
    CREDIT_PER_ITEM = 16
    CREDIT_PER_DROP = 256

cdef enum:
    # words of a list: whether the text may end there, how many items there are; then their rests and links, sorted
    A_ACCEPTS
    A_COUNT
    A_ITEMS
    NOT_LISTED = 0xFFFFFFFE  # in the place of a list: it would be too long

cdef enum:
    # What is known of a pair. During a search HOLDS may also mean: unless another pair is refuted.
    REFUTED = 0
    HOLDS
    NOT_KNOWN


cdef int compare_pairs(const void* a, const void* b) noexcept nogil:
    return compare_runs(a, b, 2)


cdef int compare_words(const void* a, const void* b) noexcept nogil:
    return compare_runs(a, b, 1)


cdef size_t sort_once(uint32_t* runs, size_t count, uint32_t words) noexcept nogil:
    """Sort runs of one or two words, and keep each once. Returns how many are left."""
    cdef size_t kept = 0
    cdef size_t i
    cdef uint32_t k
    if count > 1:
        qsort(runs, count, words * sizeof(uint32_t), compare_pairs if words == 2 else compare_words)
    for i in range(count):
        if kept == 0 or compare_runs(runs + words * i, runs + words * (kept - 1), words):
            for k in range(words):
                runs[words * kept + k] = runs[words * i + k]
            kept += 1
    return kept


# What advances when a link is complete


cdef int add_complete(EarleyRows* r, uint32_t link) noexcept nogil:
    """Note a link that is complete, unless it is noted. Returns OK or NO_MEMORY."""
    cdef size_t i
    for i in range(r.complete.len):
        if r.complete.data[i] == link:
            return OK
    return vec_push(&r.complete, link)


cdef int add_advanced(EarleyRows* r, uint32_t position, uint32_t link) noexcept nogil:
    """Add an item that has advanced to the list that is made, as earley.pyx adds it to a kernel. Returns OK or NO_MEMORY."""
    cdef uint32_t symbol
    while True:
        symbol = r.rules.symbols.data[position]
        if symbol & END:
            return add_complete(r, link)
        if vec_push(&r.after, r.rests.data[position]) < 0 or vec_push(&r.after, link) < 0:
            return NO_MEMORY
        if not (symbol & NONTERMINAL and r.rules.nullable.data[symbol & NUMBER]):
            return OK
        position += 1


cdef int add_waiting(EarleyRows* r, uint32_t link, size_t begin) noexcept nogil:
    """Add the items that wait for a link, which is complete, to the list that begins at `begin`. Returns OK or NO_MEMORY."""
    cdef const uint32_t* pair = link_pair(&r.links, link)
    cdef const Item* items
    cdef uint32_t count, i
    if link == ROOT:
        r.after.data[begin + A_ACCEPTS] = 1
        return OK
    items = row_waiting(r, pair[0], NONTERMINAL | pair[1], &count)
    r.credit -= 1 + <int64_t>count
    for i in range(count):
        if add_advanced(r, items[i].position + 1, items[i].link) < 0:
            return NO_MEMORY
    return OK


cdef int list_after(EarleyRows* r, uint32_t link, uint32_t* at) noexcept nogil:
    """Write where the list of what advances after a link begins in `after`, or NOT_LISTED. Returns OK or NO_MEMORY."""
    cdef size_t begin = r.after.len
    cdef size_t done = 0
    cdef size_t count
    at[0] = map_get(&r.lists, link)
    if at[0] != ABSENT:
        return OK
    r.complete.len = 0
    if vec_push(&r.after, 0) < 0 or vec_push(&r.after, 0) < 0 or vec_push(&r.complete, link) < 0:
        return NO_MEMORY
    while done < r.complete.len and r.complete.len <= MAX_COMPLETE and r.after.len - begin <= 2 * MAX_LISTED:
        if add_waiting(r, r.complete.data[done], begin) < 0:
            return NO_MEMORY
        done += 1
    if done < r.complete.len:
        r.after.len = begin
        at[0] = NOT_LISTED
        return map_put(&r.lists, link, NOT_LISTED)
    count = sort_once(r.after.data + begin + A_ITEMS, (r.after.len - begin - A_ITEMS) >> 1, 2)
    r.after.data[begin + A_COUNT] = <uint32_t>count
    r.after.len = begin + A_ITEMS + 2 * count
    at[0] = <uint32_t>begin
    return map_put(&r.lists, link, at[0])


# Whether the language of a link lies in that of a set of links


cdef int open_pair(EarleyRows* r, uint32_t link, uint32_t number) noexcept nogil:
    """Note a pair of a link and a set, unless it is known whether it holds. Returns REFUTED, HOLDS or NO_MEMORY."""
    cdef uint64_t key = <uint64_t>link << 32 | number
    cdef const uint32_t* others = intern_get(&r.sets, number)
    cdef uint32_t known, i
    for i in range(intern_len(&r.sets, number)):
        if others[i] == link:
            return HOLDS
    known = map_get(&r.within, key)
    if known == <uint32_t>REFUTED or known == <uint32_t>HOLDS:
        return <int>known
    if vec_push(&r.opened, link) < 0 or vec_push(&r.opened, number) < 0 or map_put(&r.within, key, HOLDS) < 0:
        return NO_MEMORY
    return HOLDS


cdef int follow_rest(EarleyRows* r, uint32_t rest, uint32_t link, uint32_t number) noexcept nogil:
    """Open the pair of a link, which has a rest, and all links that have the same rest after a set. Returns REFUTED, HOLDS,
    NOT_KNOWN or NO_MEMORY."""
    cdef const uint32_t* list
    cdef uint32_t i, k, at, found
    r.set.len = 0
    for i in range(intern_len(&r.sets, number)):
        if list_after(r, intern_get(&r.sets, number)[i], &at) < 0:
            return NO_MEMORY
        if at == <uint32_t>NOT_LISTED or r.credit < 0:
            return NOT_KNOWN
        list = r.after.data + at
        r.credit -= list[A_COUNT]
        for k in range(list[A_COUNT]):
            if list[A_ITEMS + 2 * k] == rest and vec_push(&r.set, list[A_ITEMS + 2 * k + 1]) < 0:
                return NO_MEMORY
    if r.set.len == 0:
        return REFUTED
    r.credit -= <int64_t>r.set.len
    r.set.len = sort_once(r.set.data, r.set.len, 1)
    if intern_add(&r.sets, r.set.data, r.set.len, &found) < 0:
        return NO_MEMORY
    return open_pair(r, link, found)


cdef int any_accepts(EarleyRows* r, uint32_t number) noexcept nogil:
    """Whether the text may end after a link of a set. Returns HOLDS, REFUTED, NOT_KNOWN or NO_MEMORY."""
    cdef int found = REFUTED
    cdef uint32_t i, at
    for i in range(intern_len(&r.sets, number)):
        if list_after(r, intern_get(&r.sets, number)[i], &at) < 0:
            return NO_MEMORY
        if at == <uint32_t>NOT_LISTED:
            found = NOT_KNOWN
        elif r.after.data[at + A_ACCEPTS]:
            return HOLDS
    return found


cdef int follow_pair(EarleyRows* r, uint32_t link, uint32_t number) noexcept nogil:
    """Open all pairs that a pair leads to. Returns REFUTED, HOLDS, NOT_KNOWN or NO_MEMORY."""
    cdef int status = HOLDS
    cdef uint32_t at, i
    if list_after(r, link, &at) < 0:
        return NO_MEMORY
    if at == <uint32_t>NOT_LISTED:
        return NOT_KNOWN
    if r.after.data[at + A_ACCEPTS]:
        status = any_accepts(r, number)
    for i in range(r.after.data[at + A_COUNT]):
        if status == HOLDS:
            status = follow_rest(r, r.after.data[at + A_ITEMS + 2 * i], r.after.data[at + A_ITEMS + 2 * i + 1], number)
    return status


cdef int is_within(EarleyRows* r, uint32_t link, uint32_t number) noexcept nogil:
    """Whether the language of a link is seen to lie in that of a set. Returns 1, 0 or NO_MEMORY."""
    cdef size_t done = 0
    cdef int status
    r.opened.len = 0
    status = open_pair(r, link, number)
    while status == HOLDS and done < r.opened.len:
        r.credit -= 1
        status = NOT_KNOWN if r.credit < 0 else follow_pair(r, r.opened.data[done], r.opened.data[done + 1])
        done += 2
    if status == HOLDS:
        return 1
    # (what was opened on the way leads nowhere that is refuted only if all of it was followed)
    done = 0
    while done + 1 < r.opened.len:
        if map_put(&r.within, <uint64_t>r.opened.data[done] << 32 | r.opened.data[done + 1], NOT_KNOWN) < 0:
            return NO_MEMORY
        done += 2
    if status == REFUTED and map_put(&r.within, <uint64_t>link << 32 | number, REFUTED) < 0:
        return NO_MEMORY
    return min(status, 0)


# The kernel


cdef int adds_nothing(EarleyRows* r, size_t at, size_t begin, size_t end) noexcept nogil:
    """Whether an item is seen to add nothing to the others between two places of the kernel. Returns 1, 0 or NO_MEMORY."""
    cdef uint32_t number
    cdef size_t i
    r.credit -= <int64_t>(end - begin)
    r.set.len = 0
    for i in range(begin, end, 2):
        if i != at and vec_push(&r.set, r.kernel.data[i + 1]) < 0:
            return NO_MEMORY
    if intern_add(&r.sets, r.set.data, r.set.len, &number) < 0:
        return NO_MEMORY
    return is_within(r, r.kernel.data[at + 1], number)


cdef int keep_items(EarleyRows* r, size_t begin, size_t end, size_t* kept) noexcept nogil:
    """Move the items between two places of the kernel, all of which have the same position, to `kept`, but for those that add
    nothing to the others. Returns OK or NO_MEMORY."""
    cdef size_t at = end
    cdef size_t i
    cdef int status
    # (the newest links come first)
    while at > begin and end - begin > 2 and r.credit > 0:
        at -= 2
        status = adds_nothing(r, at, begin, end)
        if status < 0:
            return status
        if status:
            r.credit += CREDIT_PER_DROP
            end -= 2
            for i in range(at, end):
                r.kernel.data[i] = r.kernel.data[i + 2]
    for i in range(begin, end):
        r.kernel.data[kept[0]] = r.kernel.data[i]
        kept[0] += 1
    return OK


cdef bint any_repeated(const EarleyRows* r) noexcept nogil:
    """Whether two items of the sorted kernel have the same position."""
    cdef size_t at
    for at in range(3, r.kernel.len, 2):
        if r.kernel.data[at] == r.kernel.data[at - 2]:
            return True
    return False


cdef int drop_included(EarleyRows* r) noexcept nogil:
    cdef int64_t credit
    cdef size_t begin
    cdef size_t at = 1
    cdef size_t kept = 1
    if not any_repeated(r):
        return OK
    if number_rests(r) < 0:
        return NO_MEMORY
    r.credit = credit = CREDIT + CREDIT_PER_ITEM * <int64_t>(r.kernel.len >> 1)
    while at < r.kernel.len:
        begin = at
        while at < r.kernel.len and r.kernel.data[at] == r.kernel.data[begin]:
            at += 2
        if keep_items(r, begin, at, &kept) < 0:
            return NO_MEMORY
    credit += CREDIT_PER_DROP * <int64_t>((r.kernel.len - kept) >> 1)
    r.pulse.left -= credit - r.credit
    r.kernel.len = kept
    return OK
