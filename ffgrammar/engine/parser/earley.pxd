"""Earley rows, interned by their items: a row says what may follow, not where we are.

An item is (dot position, link). A link is (row, nonterminal): when the item's production is complete, every item of that
row that waits for that nonterminal advances. Link ROOT stands for the start symbol at the start.

The kernel of a row (items with something before the dot, not complete) is its identity; predicted items follow from it.
A nonterminal that one item only waits for, as its last symbol, is predicted with that item's own link: completing the one
completes the other. (Leo 1991; it keeps right recursion at a constant number of rows.)
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern, intern_get
from ffgrammar.core.map cimport Map
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.parser.tables cimport Rules

cdef enum:
    ROOT = 0

cdef struct Item:
    uint32_t symbol    # what follows the dot
    uint32_t position
    uint32_t link

cdef struct EarleyRows:
    Rules* rules
    const Intern* lexsets
    Intern kernels      # row -> (accepting, position, link, position, link, ...)
    Intern links        # link -> (row, nonterminal)
    Vec items           # Items (3 words), by row, sorted by symbol
    Vec starts          # per row, and one more: its first item
    Map scans           # row << 32 | lexeme set -> row
    Map seen            # what this scan has met, by epoch
    uint32_t epoch
    Vec kernel          # the rest is scratch
    Vec pending
    Vec predicted       # (nonterminal, waiting position, waiting link or predictor, ...) see earley.pyx
    Vec found           # Items
    Vec stamp           # per nonterminal: its place in `predicted`, valid where it points back
    size_t work         # items advanced by this scan
    uint32_t max_items
    size_t max_words    # of all items together

cdef int earley_init(EarleyRows* r, Rules* rules, const Intern* lexsets) noexcept nogil
cdef void earley_free(EarleyRows* r) noexcept nogil
cdef int earley_clear(EarleyRows* r) noexcept nogil
cdef size_t earley_bytes(const EarleyRows* r) noexcept nogil

# The row of the empty text; it is row 0 of a cleared table.
cdef int earley_first(EarleyRows* r, uint32_t* row) noexcept nogil

# The row after any of the lexemes of a set. Skip lexemes leave the row as it is.
cdef int earley_scan(EarleyRows* r, uint32_t row, uint32_t lexset, uint32_t* target) noexcept nogil


cdef inline bint row_accepting(const EarleyRows* r, uint32_t row) noexcept nogil:
    return intern_get(&r.kernels, row)[0]


cdef inline const Item* row_items(const EarleyRows* r, uint32_t row, uint32_t* count) noexcept nogil:
    count[0] = r.starts.data[row + 1] - r.starts.data[row]
    return <const Item*>r.items.data + r.starts.data[row]


cdef inline const Item* row_waiting(const EarleyRows* r, uint32_t row, uint32_t symbol, uint32_t* count) noexcept nogil:
    """The items of a row before `symbol`, which lie together."""
    cdef uint32_t all_items, mid
    cdef const Item* items = row_items(r, row, &all_items)
    cdef uint32_t lo = 0
    cdef uint32_t hi = all_items
    while lo < hi:
        mid = (lo + hi) >> 1
        if items[mid].symbol < symbol:
            lo = mid + 1
        else:
            hi = mid
    while hi < all_items and items[hi].symbol == symbol:
        hi += 1
    count[0] = hi - lo
    return items + lo
