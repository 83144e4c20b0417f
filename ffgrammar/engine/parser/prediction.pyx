"""What a kernel waits for, and all that follows from it. Each nonterminal is predicted once in a row, with the link that links.pyx
finds for it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.stdlib cimport qsort

from ffgrammar.core.sort cimport compare_runs
from ffgrammar.core.status cimport LIMIT_CACHE, LIMIT_ROW_ITEMS, NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec, vec_extend, vec_fill
from ffgrammar.engine.parser.instances cimport expand
from ffgrammar.engine.parser.links cimport (
    IN_KERNEL, P_COUNT, P_FIRST, P_LINK, P_NONTERMINAL, P_WORDS, W_ENTRY, W_LINK, W_POSITION, W_SOURCE, W_WORDS, links_find,
)
from ffgrammar.engine.parser.rows cimport ITEM_WORDS, Item
from ffgrammar.engine.parser.tables cimport END, NONE, NONTERMINAL, NUMBER, Rules


cdef int compare_items(const void* a, const void* b) noexcept nogil:
    return compare_runs(a, b, ITEM_WORDS)


cdef int wait_for(EarleyRows* r, uint32_t nonterminal, uint32_t position, uint32_t source, uint32_t link) noexcept nogil:
    """Note that an item waits for a nonterminal. The first such item predicts the nonterminal. `source` and `link` are words of a
    wait (links.pxd). Returns OK or NO_MEMORY."""
    cdef uint32_t entry[P_WORDS]
    cdef uint32_t wait[W_WORDS]
    cdef Vec* predicted = &r.links.predicted
    if nonterminal >= r.stamp.len and vec_fill(&r.stamp, nonterminal + 1 - r.stamp.len, 0) < 0:
        return NO_MEMORY
    wait[W_ENTRY] = r.stamp.data[nonterminal]
    wait[W_POSITION] = position
    wait[W_SOURCE] = source
    wait[W_LINK] = link
    if wait[W_ENTRY] * P_WORDS < predicted.len and predicted.data[wait[W_ENTRY] * P_WORDS] == nonterminal:
        predicted.data[wait[W_ENTRY] * P_WORDS + P_COUNT] += 1
        return vec_extend(&r.links.waits, wait, W_WORDS)
    r.stamp.data[nonterminal] = wait[W_ENTRY] = <uint32_t>(predicted.len // P_WORDS)
    entry[P_NONTERMINAL] = nonterminal
    entry[P_COUNT] = 1
    entry[P_FIRST] = entry[P_LINK] = 0
    return NO_MEMORY if vec_extend(&r.links.waits, wait, W_WORDS) < 0 else vec_extend(predicted, entry, P_WORDS)


cdef int expand_new(EarleyRows* r, uint32_t nonterminal) noexcept nogil:
    """Make the productions of an instance that is predicted for the first time. Returns a status."""
    if r.rules.starts.data[nonterminal] != <uint32_t>NONE:
        return OK
    return LIMIT_CACHE if r.rules.symbols.len > r.max_words else expand(r.rules, nonterminal)


cdef int find_predicted(EarleyRows* r) noexcept nogil:
    """Before the call `links.predicted` has the nonterminals that the kernel waits for. Add all that follow from them, and
    note the items that wait. Returns a status."""
    cdef Rules* rules = r.rules
    cdef uint32_t b, symbol, position, nonterminal
    cdef size_t number = 0
    cdef int status
    while number * P_WORDS < r.links.predicted.len:
        nonterminal = r.links.predicted.data[number * P_WORDS]
        r.links.predicted.data[number * P_WORDS + P_FIRST] = <uint32_t>(r.links.waits.len // W_WORDS)
        status = expand_new(r, nonterminal)
        if status < 0:
            return status
        for b in range(rules.starts.data[nonterminal], rules.ends.data[nonterminal]):
            position = rules.bodies.data[b]
            symbol = rules.symbols.data[position]
            while symbol & NONTERMINAL and not symbol & END:
                if wait_for(r, symbol & NUMBER, position, <uint32_t>number, 0) < 0:
                    return NO_MEMORY
                if not rules.nullable.data[symbol & NUMBER]:
                    break
                position += 1
                symbol = rules.symbols.data[position]
        number += 1
        if r.links.predicted.len > <size_t>r.max_items * P_WORDS:
            return LIMIT_ROW_ITEMS
    return OK


cdef int add_productions(EarleyRows* r, const uint32_t* entry) noexcept nogil:
    """Add the items of a predicted nonterminal. Returns OK or NO_MEMORY."""
    cdef Rules* rules = r.rules
    cdef uint32_t nonterminal = entry[P_NONTERMINAL]
    cdef uint32_t b, symbol, position
    for b in range(rules.starts.data[nonterminal], rules.ends.data[nonterminal]):
        position = rules.bodies.data[b]
        while True:
            symbol = rules.symbols.data[position]
            if symbol & END:
                break
            if add_item(r, symbol, position, entry[P_LINK]) < 0:
                return NO_MEMORY
            if not (symbol & NONTERMINAL and rules.nullable.data[symbol & NUMBER]):
                break
            position += 1
    return OK


cdef int predict(EarleyRows* r, uint32_t row) noexcept nogil:
    cdef uint32_t i, symbol
    cdef uint32_t* entry
    cdef size_t number
    cdef int status
    r.links.predicted.len = r.links.waits.len = 0
    r.found.len = 0
    for i in range(1, <uint32_t>r.kernel.len, 2):
        symbol = r.rules.symbols.data[r.kernel.data[i]]
        if add_item(r, symbol, r.kernel.data[i], r.kernel.data[i + 1]) < 0:
            return NO_MEMORY
        if symbol & NONTERMINAL and wait_for(r, symbol & NUMBER, r.kernel.data[i], IN_KERNEL, r.kernel.data[i + 1]) < 0:
            return NO_MEMORY
    status = find_predicted(r)
    if status >= 0:
        status = links_find(&r.links, r.rules, row)
    if status < 0:
        return status
    for number in range(r.links.predicted.len // P_WORDS):
        entry = r.links.predicted.data + number * P_WORDS
        if add_productions(r, entry) < 0:
            return NO_MEMORY
        if r.found.len > <size_t>r.max_items * ITEM_WORDS:
            return LIMIT_ROW_ITEMS
    if r.found.len > ITEM_WORDS:
        qsort(r.found.data, r.found.len // ITEM_WORDS, sizeof(Item), compare_items)
    return OK
