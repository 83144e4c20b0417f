"""Scanning, completion and prediction. Nullable symbols as in Aycock and Horspool (2002): an item before a nullable
nonterminal stands for the item behind it, too; so nothing is ever completed in the row that predicted it."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort

from ffgrammar.core.intern cimport (
    intern_add, intern_bytes, intern_count, intern_free, intern_init, intern_len, intern_truncate,
)
from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport LIMIT_CACHE, LIMIT_ROW_ITEMS, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_init, vec_push, vec_reserve
from ffgrammar.engine.parser.instances cimport expand
from ffgrammar.engine.parser.tables cimport END, NONE, NONTERMINAL, NUMBER

cdef enum:
    # words of an entry of `predicted`: nonterminal, position that waits for it, whether from the kernel, that item's link
    # (or the place of the nonterminal whose production waits), how many wait, its link
    P_NONTERMINAL
    P_POSITION
    P_IN_KERNEL
    P_SOURCE
    P_COUNT
    P_LINK
    P_WORDS

cdef enum:
    # of the ways to the items of one row, how many there may be for each item of the limit
    WAYS_AN_ITEM = 4


cdef int earley_init(EarleyRows* r, Rules* rules, const Intern* lexsets) noexcept nogil:
    r.rules = rules
    r.lexsets = lexsets
    r.epoch = 0
    r.max_items = 0xFFFFFFFF
    r.max_words = <size_t>-1
    vec_init(&r.items)
    vec_init(&r.starts)
    vec_init(&r.kernel)
    vec_init(&r.pending)
    vec_init(&r.predicted)
    vec_init(&r.found)
    vec_init(&r.stamp)
    if intern_init(&r.kernels) < 0 or intern_init(&r.links) < 0 or map_init(&r.scans) < 0 or map_init(&r.seen) < 0:
        return NO_MEMORY
    return earley_clear(r)


cdef void earley_free(EarleyRows* r) noexcept nogil:
    intern_free(&r.kernels)
    intern_free(&r.links)
    map_free(&r.scans)
    map_free(&r.seen)
    vec_free(&r.items)
    vec_free(&r.starts)
    vec_free(&r.kernel)
    vec_free(&r.pending)
    vec_free(&r.predicted)
    vec_free(&r.found)
    vec_free(&r.stamp)


cdef int earley_clear(EarleyRows* r) noexcept nogil:
    cdef uint32_t root[2]
    cdef uint32_t link
    intern_free(&r.kernels)
    intern_free(&r.links)
    map_free(&r.scans)
    vec_free(&r.items)
    vec_free(&r.starts)
    if intern_init(&r.kernels) < 0 or intern_init(&r.links) < 0 or map_init(&r.scans) < 0:
        return NO_MEMORY
    root[0] = root[1] = 0xFFFFFFFF
    if vec_push(&r.starts, 0) < 0:
        return NO_MEMORY
    return NO_MEMORY if intern_add(&r.links, root, 2, &link) < 0 else OK


cdef size_t earley_bytes(const EarleyRows* r) noexcept nogil:
    return (intern_bytes(&r.kernels) + intern_bytes(&r.links) + map_bytes(&r.scans) + map_bytes(&r.seen)
            + (r.items.cap + r.starts.cap + r.kernel.cap + r.pending.cap + r.predicted.cap + r.found.cap
               + r.stamp.cap) * sizeof(uint32_t))


cdef int add_kernel(EarleyRows* r, uint32_t position, uint32_t link, bint* accepting) noexcept nogil:
    """Take an advanced item in: a complete one puts its link on `pending`, others go to `kernel`."""
    cdef uint64_t key
    cdef uint32_t symbol
    while True:
        symbol = r.rules.symbols.data[position]
        if symbol & END:
            if link == ROOT:
                accepting[0] = True
                return OK
            # all complete items of one link do the same, whatever their position
            position = 0xFFFFFFFF
        key = <uint64_t>position << 32 | link
        if map_get(&r.seen, key) == r.epoch:
            return OK
        if map_put(&r.seen, key, r.epoch) < 0:
            return NO_MEMORY
        if symbol & END:
            return vec_push(&r.pending, link)
        if vec_push(&r.kernel, position) < 0 or vec_push(&r.kernel, link) < 0:
            return NO_MEMORY
        if not (symbol & NONTERMINAL and r.rules.nullable.data[symbol & NUMBER]):
            return OK
        position += 1


cdef int advance(EarleyRows* r, uint32_t row, uint32_t symbol, bint* accepting) noexcept nogil:
    """Advance every item of `row` before `symbol`."""
    cdef uint32_t count, i
    cdef const Item* items = row_waiting(r, row, symbol, &count)
    for i in range(count):
        if add_kernel(r, items[i].position + 1, items[i].link, accepting) < 0:
            return NO_MEMORY
    r.work += count
    # where all ways to split a text are grammatical a row has n items, and n * n ways lead to them
    return LIMIT_ROW_ITEMS if r.work > <size_t>r.max_items * WAYS_AN_ITEM else OK


cdef int compare_pairs(const void* a, const void* b) noexcept nogil:
    cdef const uint32_t* x = <const uint32_t*>a
    cdef const uint32_t* y = <const uint32_t*>b
    if x[0] != y[0]:
        return 1 if x[0] > y[0] else -1
    return (x[1] > y[1]) - (x[1] < y[1])


cdef int compare_items(const void* a, const void* b) noexcept nogil:
    cdef const Item* x = <const Item*>a
    cdef const Item* y = <const Item*>b
    if x.symbol != y.symbol:
        return 1 if x.symbol > y.symbol else -1
    return compare_pairs(&x.position, &y.position)


cdef int earley_scan(EarleyRows* r, uint32_t row, uint32_t lexset, uint32_t* target) noexcept nogil:
    cdef uint64_t key = <uint64_t>row << 32 | lexset
    cdef uint32_t found = map_get(&r.scans, key)
    cdef uint32_t i, lexeme, link
    cdef uint32_t skips = 0
    cdef bint accepting = False
    cdef const uint32_t* words
    cdef int status
    if found != ABSENT:
        target[0] = found
        return OK
    begin_row(r)
    for i in range(intern_len(r.lexsets, lexset)):
        lexeme = intern_get(r.lexsets, lexset)[i]
        if r.rules.is_skip.data[lexeme]:
            skips += 1
            continue
        status = advance(r, row, lexeme, &accepting)
        if status < 0:
            return status
    if skips == intern_len(r.lexsets, lexset):
        target[0] = row
        return map_put(&r.scans, key, row)
    if skips:
        # the text is a skip or a lexeme: both futures are kept
        words = intern_get(&r.kernels, row)
        accepting |= words[0]
        for i in range(1, intern_len(&r.kernels, row), 2):
            if add_kernel(r, words[i], words[i + 1], &accepting) < 0:
                return NO_MEMORY
    while r.pending.len:
        r.pending.len -= 1
        link = r.pending.data[r.pending.len]
        words = intern_get(&r.links, link)
        status = advance(r, words[0], NONTERMINAL | words[1], &accepting)
        if status < 0:
            return status
    status = finish_row(r, accepting, target)
    if status < 0:
        return status
    return map_put(&r.scans, key, target[0])


cdef void begin_row(EarleyRows* r) noexcept nogil:
    r.kernel.len = 1
    r.pending.len = 0
    r.work = 0
    r.epoch += 1
    if r.seen.len > 1 << 16 or r.epoch == ABSENT:
        map_clear(&r.seen)
        r.epoch = 1


cdef int earley_first(EarleyRows* r, uint32_t* row) noexcept nogil:
    cdef uint32_t i, position
    cdef uint32_t start = r.rules.start
    cdef bint accepting = r.rules.nullable.data[start]
    if vec_fill(&r.kernel, 1, 0) < 0:
        return NO_MEMORY
    begin_row(r)
    if r.rules.starts.data[start] == <uint32_t>NONE and expand(r.rules, start) < 0:
        return NO_MEMORY
    for i in range(r.rules.starts.data[start], r.rules.ends.data[start]):
        position = r.rules.bodies.data[i]
        if not r.rules.symbols.data[position] & END and add_kernel(r, position, ROOT, &accepting) < 0:
            return NO_MEMORY
    r.pending.len = 0
    return finish_row(r, accepting, row)


cdef int finish_row(EarleyRows* r, bint accepting, uint32_t* row) noexcept nogil:
    """Intern the kernel; a new row gets its items."""
    cdef uint32_t links = intern_count(&r.links)
    cdef int status
    if r.kernel.len > 3:
        qsort(r.kernel.data + 1, (r.kernel.len - 1) >> 1, 2 * sizeof(uint32_t), compare_pairs)
    r.kernel.data[0] = accepting
    if r.kernel.len >> 1 > r.max_items:
        return LIMIT_ROW_ITEMS
    if r.items.len > r.max_words:
        return LIMIT_CACHE
    status = intern_add(&r.kernels, r.kernel.data, r.kernel.len, row)
    if status <= 0:
        return status
    status = predict(r, row[0])
    if status >= 0 and (vec_reserve(&r.starts, r.starts.len + 1) < 0
                        or vec_extend(&r.items, r.found.data, r.found.len) < 0):
        status = NO_MEMORY
    if status < 0:
        # a row without its items must not be found again, nor a link to it
        intern_truncate(&r.kernels, row[0])
        intern_truncate(&r.links, links)
        return status
    return vec_push(&r.starts, <uint32_t>(r.items.len // 3))


cdef int wait_for(EarleyRows* r, uint32_t nonterminal, uint32_t position, uint32_t in_kernel, uint32_t source) noexcept nogil:
    """Note an item before a nonterminal; the first one predicts it."""
    cdef uint32_t place
    cdef uint32_t entry[P_WORDS]
    if nonterminal >= r.stamp.len and vec_fill(&r.stamp, nonterminal + 1 - r.stamp.len, 0) < 0:
        return NO_MEMORY
    place = r.stamp.data[nonterminal]
    if place * P_WORDS < r.predicted.len and r.predicted.data[place * P_WORDS] == nonterminal:
        r.predicted.data[place * P_WORDS + P_COUNT] += 1
        return OK
    r.stamp.data[nonterminal] = <uint32_t>(r.predicted.len // P_WORDS)
    entry[P_NONTERMINAL] = nonterminal
    entry[P_POSITION] = position
    entry[P_IN_KERNEL] = in_kernel
    entry[P_SOURCE] = source
    entry[P_COUNT] = 1
    entry[P_LINK] = 0
    return vec_extend(&r.predicted, entry, P_WORDS)


cdef int predict(EarleyRows* r, uint32_t row) noexcept nogil:
    cdef Rules* rules = r.rules
    cdef int status
    cdef uint32_t i, b, symbol, position, link, nonterminal
    cdef uint32_t pair[2]
    cdef uint32_t* entry
    cdef size_t place
    r.predicted.len = 0
    r.found.len = 0
    for i in range(1, <uint32_t>r.kernel.len, 2):
        symbol = rules.symbols.data[r.kernel.data[i]]
        if add_item(r, symbol, r.kernel.data[i], r.kernel.data[i + 1]) < 0:
            return NO_MEMORY
        if symbol & NONTERMINAL and wait_for(r, symbol & NUMBER, r.kernel.data[i], 1, r.kernel.data[i + 1]) < 0:
            return NO_MEMORY
    # 1. who is predicted, and who waits for whom
    place = 0
    while place * P_WORDS < r.predicted.len:
        nonterminal = r.predicted.data[place * P_WORDS]
        if rules.starts.data[nonterminal] == <uint32_t>NONE:
            if rules.symbols.len > r.max_words:
                return LIMIT_CACHE
            status = expand(rules, nonterminal)
            if status < 0:
                return status
        for b in range(rules.starts.data[nonterminal], rules.ends.data[nonterminal]):
            position = rules.bodies.data[b]
            symbol = rules.symbols.data[position]
            while symbol & NONTERMINAL and not symbol & END:
                if wait_for(r, symbol & NUMBER, position, 0, <uint32_t>place) < 0:
                    return NO_MEMORY
                if not rules.nullable.data[symbol & NUMBER]:
                    break
                position += 1
                symbol = rules.symbols.data[position]
        place += 1
        if r.predicted.len > <size_t>r.max_items * P_WORDS:
            return LIMIT_ROW_ITEMS
    # 2. links; the only one who waits for a nonterminal is who predicted it first, so its own link is known by then
    # 3. items
    for place in range(r.predicted.len // P_WORDS):
        entry = r.predicted.data + place * P_WORDS
        nonterminal = entry[P_NONTERMINAL]
        if entry[P_COUNT] == 1 and rules.symbols.data[entry[P_POSITION] + 1] & END:
            link = entry[P_SOURCE] if entry[P_IN_KERNEL] else r.predicted.data[entry[P_SOURCE] * P_WORDS + P_LINK]
        else:
            pair[0] = row
            pair[1] = nonterminal
            if intern_add(&r.links, pair, 2, &link) < 0:
                return NO_MEMORY
        entry[P_LINK] = link
        for b in range(rules.starts.data[nonterminal], rules.ends.data[nonterminal]):
            position = rules.bodies.data[b]
            while True:
                symbol = rules.symbols.data[position]
                if symbol & END:
                    break
                if add_item(r, symbol, position, link) < 0:
                    return NO_MEMORY
                if not (symbol & NONTERMINAL and rules.nullable.data[symbol & NUMBER]):
                    break
                position += 1
        if r.found.len > <size_t>r.max_items * 3:
            return LIMIT_ROW_ITEMS
    if r.found.len > 3:
        qsort(r.found.data, r.found.len // 3, sizeof(Item), compare_items)
    return OK


cdef inline int add_item(EarleyRows* r, uint32_t symbol, uint32_t position, uint32_t link) noexcept nogil:
    if vec_push(&r.found, symbol) < 0 or vec_push(&r.found, position) < 0:
        return NO_MEMORY
    return vec_push(&r.found, link)
