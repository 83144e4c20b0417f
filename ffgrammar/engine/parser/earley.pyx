"""Scanning and completion. Nullable nonterminals are treated as Aycock and Horspool (2002) do: with each item whose
dot is before a nullable nonterminal, the item whose dot is behind this nonterminal is added, too. So no nonterminal is completed
in the row that predicted it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort

from ffgrammar.core.intern cimport (
    intern_add, intern_count, intern_free, intern_get, intern_init, intern_len, intern_truncate,
)
from ffgrammar.core.map cimport ABSENT, map_clear, map_count, map_free, map_get, map_init, map_put
from ffgrammar.core.owner cimport own_intern, own_map, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.sort cimport compare_runs
from ffgrammar.core.status cimport LIMIT_CACHE, LIMIT_ROW_ITEMS, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_push, vec_reserve
from ffgrammar.engine.parser.carried cimport ENTRY_WORDS, Entry, carried_settle
from ffgrammar.engine.parser.inclusion cimport drop_included
from ffgrammar.engine.parser.instances cimport expand
from ffgrammar.engine.parser.joined cimport join_readings
from ffgrammar.engine.parser.links cimport link_count, link_pair, links_clear, links_init, links_truncate
from ffgrammar.engine.parser.prediction cimport add_item, predict
from ffgrammar.engine.parser.rows cimport CARRIES, ITEM_WORDS, ROOT, SKIP_SHIFT, Item, row_items, row_waiting
from ffgrammar.engine.parser.tables cimport END, NONE, NONTERMINAL, NUMBER
from ffgrammar.regex.dfa.threads cimport CARRIED_WORDS, E_COUNT, E_ENDED, THREADED

cdef enum:
    # one scan may advance items this many times for each item that a row may have
    ADVANCES_PER_ITEM = 4
    EVERY_SKIP = 0xFFFFFFFF
    # units of work (pulse.pxd) for each word of a kernel that is looked up, and of the items of a new row
    WORK_A_WORD = 2


cdef int earley_init(EarleyRows* r, Rules* rules, const Intern* lexsets, const Threads* threads, Pulse* pulse) noexcept nogil:
    r.rules = rules
    r.pulse = pulse
    r.threads = threads
    r.lexsets = lexsets
    r.epoch = 0
    r.max_items = 0xFFFFFFFF
    r.max_words = <size_t>-1
    owner_init(&r.owner)
    own_intern(&r.owner, &r.kernels)
    own_map(&r.owner, &r.scans)
    own_map(&r.owner, &r.seen)
    own_vec(&r.owner, &r.rests)
    own_intern(&r.owner, &r.rest_numbers)
    own_vec(&r.owner, &r.after)
    own_map(&r.owner, &r.lists)
    own_intern(&r.owner, &r.sets)
    own_map(&r.owner, &r.within)
    own_vec(&r.owner, &r.complete)
    own_vec(&r.owner, &r.opened)
    own_vec(&r.owner, &r.set)
    own_vec(&r.owner, &r.items)
    own_vec(&r.owner, &r.starts)
    own_vec(&r.owner, &r.kernel)
    own_vec(&r.owner, &r.carried)
    own_vec(&r.owner, &r.order)
    own_vec(&r.owner, &r.pending)
    own_vec(&r.owner, &r.found)
    own_vec(&r.owner, &r.stamp)
    if links_init(&r.links) < 0 or owner_status(&r.owner) < 0:
        return NO_MEMORY
    return earley_clear(r)


cdef void earley_free(EarleyRows* r) noexcept nogil:
    owner_free(&r.owner)
    owner_free(&r.links.owner)


cdef int earley_clear(EarleyRows* r) noexcept nogil:
    intern_free(&r.kernels)
    map_free(&r.scans)
    vec_free(&r.items)
    vec_free(&r.starts)
    vec_free(&r.rests)
    intern_free(&r.rest_numbers)
    vec_free(&r.after)
    map_free(&r.lists)
    intern_free(&r.sets)
    map_free(&r.within)
    if intern_init(&r.kernels) < 0 or map_init(&r.scans) < 0 or vec_push(&r.starts, 0) < 0:
        return NO_MEMORY
    if intern_init(&r.rest_numbers) < 0 or map_init(&r.lists) < 0 or intern_init(&r.sets) < 0 or map_init(&r.within) < 0:
        return NO_MEMORY
    return links_clear(&r.links)


cdef size_t earley_bytes(const EarleyRows* r) noexcept nogil:
    return owner_bytes(&r.owner) + owner_bytes(&r.links.owner)


cdef int add_kernel(EarleyRows* r, uint32_t position, uint32_t link, bint* accepting) noexcept nogil:
    """Take in an advanced item: a complete one puts its link on `pending`, any other goes to `kernel`. Returns OK or
    NO_MEMORY."""
    cdef uint64_t key
    cdef uint32_t symbol
    while True:
        symbol = r.rules.symbols.data[position]
        if symbol & END:
            if link == ROOT:
                accepting[0] = True
                return OK
            # complete items with the same link all have the same effect, whatever their position
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
    """Advance every item of `row` that waits for `symbol`. Returns a status."""
    cdef uint32_t count, i
    cdef const Item* items = row_waiting(r, row, symbol, &count)
    for i in range(count):
        if add_kernel(r, items[i].position + 1, items[i].link, accepting) < 0:
            return NO_MEMORY
    r.work += count
    r.pulse.left -= count >> 1
    # (a bound on the items of the row alone would not do: with `s: s s | "x"` a row of n items takes about n * n advances)
    return LIMIT_ROW_ITEMS if r.work > <size_t>r.max_items * ADVANCES_PER_ITEM else OK


cdef int compare_pairs(const void* a, const void* b) noexcept nogil:
    return compare_runs(a, b, 2)


cdef int scan_lexemes(EarleyRows* r, uint32_t row, uint32_t lexset, bint* accepting, uint32_t* skips) noexcept nogil:
    """Advance the items that wait for lexemes of a set, and count the skip lexemes in it. Returns a status."""
    cdef uint32_t i, lexeme
    cdef int status
    for i in range(intern_len(r.lexsets, lexset)):
        lexeme = intern_get(r.lexsets, lexset)[i]
        # (a lexeme with a slot is never a skip)
        if lexeme < r.rules.is_skip.len and r.rules.is_skip.data[lexeme]:
            skips[0] += 1
            continue
        status = advance(r, row, lexeme, accepting)
        if status < 0:
            return status
    return OK


cdef inline uint32_t skips_inside(const Rules* rules, uint32_t position) noexcept nogil:
    """The skips that may stand inside the production of a dot position."""
    while not rules.symbols.data[position] & END:
        position += 1
    return rules.skip_bits.data[rules.symbols.data[position] & NUMBER]


cdef uint32_t skip_bits(const EarleyRows* r, uint32_t lexset) noexcept nogil:
    """The skips of a set of lexemes, as in `Rules.skip_bits`."""
    cdef uint32_t bits = 0
    cdef uint32_t i, k
    for i in range(intern_len(r.lexsets, lexset)):
        for k in range(<uint32_t>r.rules.skips.len):
            if r.rules.skips.data[k] == intern_get(r.lexsets, lexset)[i]:
                bits |= <uint32_t>1 << k
    return bits


cdef uint32_t kernel_flags(const EarleyRows* r, bint accepting) noexcept nogil:
    """The first word of the kernel that is being made."""
    cdef uint32_t skips = 0
    cdef uint32_t i
    if r.rules.skip_bits.len == 0:
        return accepting
    if accepting:
        skips = r.rules.skip_bits.data[r.rules.start]
    for i in range(1, <uint32_t>r.kernel.len, 2):
        skips |= skips_inside(r.rules, r.kernel.data[i])
    return accepting | skips << SKIP_SHIFT


cdef bint all_allow(const EarleyRows* r, uint32_t row, uint32_t skips) noexcept nogil:
    """Whether every item of a row's kernel allows one of some skips."""
    cdef const uint32_t* words = intern_get(&r.kernels, row)
    cdef uint32_t i
    if r.rules.skip_bits.len == 0:
        return True
    if words[0] & 1 and not r.rules.skip_bits.data[r.rules.start] & skips:
        return False
    for i in range(1, intern_len(&r.kernels, row), 2):
        if not skips_inside(r.rules, words[i]) & skips:
            return False
    return True


cdef int keep_kernel(EarleyRows* r, uint32_t row, uint32_t skips, bint* accepting) noexcept nogil:
    """Add the kernel of a row, unchanged but for carried items, to the kernel that is being made. Where items say which skips may
    stand, only those that allow one of `skips` are added. Returns OK or NO_MEMORY."""
    cdef const uint32_t* words = intern_get(&r.kernels, row)
    cdef uint32_t i
    if words[0] & CARRIES:
        row = words[1]
        words = intern_get(&r.kernels, row)
    if skips == EVERY_SKIP or r.rules.skip_bits.len == 0 or r.rules.skip_bits.data[r.rules.start] & skips:
        accepting[0] |= words[0] & 1
    for i in range(1, intern_len(&r.kernels, row), 2):
        if skips != EVERY_SKIP and r.rules.skip_bits.len and not skips_inside(r.rules, words[i]) & skips:
            continue
        if add_kernel(r, words[i], words[i + 1], accepting) < 0:
            return NO_MEMORY
    return OK


cdef int complete(EarleyRows* r, bint* accepting) noexcept nogil:
    """Advance the items that wait for what is complete, until nothing more becomes complete. Returns a status."""
    cdef const uint32_t* words
    cdef int status
    while r.pending.len:
        r.pending.len -= 1
        words = link_pair(&r.links, r.pending.data[r.pending.len])
        status = advance(r, words[0], NONTERMINAL | words[1], accepting)
        if status < 0:
            return status
    return OK


cdef int end_threads(EarleyRows* r, uint32_t row, uint32_t ending, bint* accepting) noexcept nogil:
    """Advance the items that wait for the lexemes that end, and carry those whose lexemes go on. Returns a status."""
    cdef const uint32_t* words = intern_get(r.lexsets, ending)
    cdef uint32_t size = intern_len(r.lexsets, ending)
    cdef uint32_t at, i, count
    cdef const Item* items
    cdef Entry entry
    cdef int status
    for i in range(words[E_COUNT]):
        status = advance(r, row, words[E_ENDED + i], accepting)
        if status < 0:
            return status
    at = E_ENDED + words[E_COUNT]
    while at < size:
        items = row_waiting(r, row, words[at + 1], &count)
        entry.thread = words[at]
        entry.symbol = words[at + 1] % r.threads.lexemes
        entry.expr = words[at + 2]
        for i in range(count):
            entry.position = items[i].position
            entry.link = items[i].link
            if vec_extend(&r.carried, <const uint32_t*>&entry, ENTRY_WORDS) < 0:
                return NO_MEMORY
        at += CARRIED_WORDS
    return LIMIT_ROW_ITEMS if r.carried.len > <size_t>r.max_items * ENTRY_WORDS else OK


cdef int earley_scan(EarleyRows* r, uint32_t row, uint32_t lexset, uint32_t* target) noexcept nogil:
    cdef uint64_t key = <uint64_t>row << 32 | lexset
    cdef uint32_t found = map_get(&r.scans, key)
    cdef uint32_t skips = 0
    cdef bint accepting = False
    cdef int status
    if found != ABSENT:
        target[0] = found
        return OK
    begin_row(r)
    if intern_len(r.lexsets, lexset) and intern_get(r.lexsets, lexset)[0] == <uint32_t>THREADED:
        status = end_threads(r, row, lexset, &accepting)
        skips = 0
    else:
        status = scan_lexemes(r, row, lexset, &accepting, &skips)
    if status < 0:
        return status
    if skips == intern_len(r.lexsets, lexset) and all_allow(r, row, skip_bits(r, lexset)):
        target[0] = row
        return map_put(&r.scans, key, row)
    if skips and keep_kernel(r, row, skip_bits(r, lexset), &accepting) < 0:
        # (the text may be a skip or another lexeme, and both futures are kept)
        return NO_MEMORY
    status = complete(r, &accepting)
    if status >= 0:
        status = finish_row(r, kernel_flags(r, accepting), target)
    return map_put(&r.scans, key, target[0]) if status >= 0 else status


cdef int earley_join(EarleyRows* r, uint32_t one, uint32_t other, uint32_t* target) noexcept nogil:
    cdef bint accepting = False
    begin_row(r)
    if keep_kernel(r, one, EVERY_SKIP, &accepting) < 0 or keep_kernel(r, other, EVERY_SKIP, &accepting) < 0:
        return NO_MEMORY
    return finish_row(r, kernel_flags(r, accepting), target)


cdef void begin_row(EarleyRows* r) noexcept nogil:
    """Begin a new kernel. What earlier scans have met is forgotten by counting up the epoch."""
    r.kernel.len = 1
    r.carried.len = 0
    r.pending.len = 0
    r.work = 0
    r.epoch += 1
    if map_count(&r.seen) > 1 << 16 or r.epoch == ABSENT:
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
    # (where productions say which skips may stand inside them, none stands before the first lexeme)
    return finish_row(r, accepting, row)


cdef int finish_row(EarleyRows* r, uint32_t flags, uint32_t* row) noexcept nogil:
    """Intern the kernel with its first word, and find the items of its row if the row is new. Writes the row. Returns a status."""
    cdef uint32_t links = link_count(&r.links)
    cdef uint32_t keys = intern_count(&r.links.keys)
    cdef int status
    if r.rules.changes.len:
        status = join_readings(r)
        if status < 0:
            return status
    if r.kernel.len > 3:
        qsort(r.kernel.data + 1, (r.kernel.len - 1) >> 1, 2 * sizeof(uint32_t), compare_pairs)
    if r.rules.changes.len == 0:
        # (readings are joined by their links, so where they are, an item may count although it seems to add nothing)
        status = drop_included(r)
        if status < 0:
            return status
    r.kernel.data[0] = flags
    r.pulse.left -= WORK_A_WORD * <int64_t>r.kernel.len
    if r.kernel.len >> 1 > r.max_items:
        return LIMIT_ROW_ITEMS
    if r.items.len > r.max_words:
        return LIMIT_CACHE
    status = intern_add(&r.kernels, r.kernel.data, r.kernel.len, row)
    if status > 0:
        status = predict(r, row[0])
        if status >= 0:
            status = add_items(r)
        if status < 0:
            # forget the row, which has no items, and the links to it: neither may be found later
            intern_truncate(&r.kernels, row[0])
            links_truncate(&r.links, links, keys)
    return add_carried(r, row) if status >= 0 and r.carried.len else status


cdef int add_items(EarleyRows* r) noexcept nogil:
    """Give the items in `found` to the newest row. Returns OK or NO_MEMORY."""
    r.pulse.left -= WORK_A_WORD * <int64_t>r.found.len
    if vec_reserve(&r.starts, r.starts.len + 1) < 0 or vec_extend(&r.items, r.found.data, r.found.len) < 0:
        return NO_MEMORY
    return vec_push(&r.starts, <uint32_t>(r.items.len // ITEM_WORDS))


cdef int add_carried(EarleyRows* r, uint32_t* row) noexcept nogil:
    """From a row without carried items, find the one that also has those in `carried`. Overwrites the row. Returns a status."""
    cdef const Item* items
    cdef const Entry* entries
    cdef uint32_t core = row[0]
    cdef uint32_t count, i
    cdef uint32_t lexemes = 0
    cdef int status = carried_settle(r.threads, &r.carried, &r.order)
    if status < 0:
        return status
    r.kernel.len = 2
    r.kernel.data[0] = intern_get(&r.kernels, core)[0] | <uint32_t>CARRIES
    r.kernel.data[1] = core
    if vec_extend(&r.kernel, r.carried.data, r.carried.len) < 0:
        return NO_MEMORY
    status = intern_add(&r.kernels, r.kernel.data, r.kernel.len, row)
    if status <= 0:
        return status
    items = row_items(r, core, &count)
    r.found.len = 0
    while lexemes < count and items[lexemes].symbol < NONTERMINAL:
        lexemes += 1
    # (carried items come after those of other lexemes, because their symbols have slots)
    status = vec_extend(&r.found, <const uint32_t*>items, lexemes * ITEM_WORDS)
    entries = <const Entry*>r.carried.data
    for i in range(<uint32_t>r.carried.len // ENTRY_WORDS):
        if status >= 0:
            status = add_item(r, entries[i].symbol, entries[i].position, entries[i].link)
    for i in range(lexemes, count):
        if status >= 0:
            status = add_item(r, items[i].symbol, items[i].position, items[i].link)
    if status >= 0:
        status = add_items(r)
    if status < 0:
        intern_truncate(&r.kernels, row[0])
    return status
