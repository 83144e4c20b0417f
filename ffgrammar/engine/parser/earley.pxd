"""Earley's algorithm, with interned rows: a row says what may follow a text, not where in the text we are.

An item is (dot position, link). A link is (row, nonterminal). When the item's production is complete, other items advance: those
in the link's row that wait for the link's nonterminal. The link ROOT stands for the start symbol at the start of the text. Links
hold row numbers where textbooks have text positions. So two places in a text with equal items have the same row. The step from a
row over a set of lexemes depends on the row and the set alone, and is computed once. A JSON array of 10 numbers and one of 1,000
make the same few rows. Forking a parser is copying the number of a row, and going back is remembering such a number.

The kernel of a row is the items that are not complete and have something before the dot (in the first row: the productions of
the start symbol). The kernel identifies the row, together with whether the row accepts. The predicted items follow from the
kernel.

In a grammar with threads (regex/dfa/threads.pxd) lexemes may go on where others end. The items that wait for them are *carried* to
the new row. Their symbol is the lexeme with its new slot. No link leads to a row with carried items, but to the same row without
them. So the links, and then the rows, do not become more with every place where a lexeme might have ended.

If only one item waits for a nonterminal, and this nonterminal is the last symbol of the item's production, the nonterminal is
predicted with the item's own link: completing the nonterminal completes the item, too. This is Leo's optimisation (1991). It
keeps the number of rows constant under right recursion.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern, intern_get, intern_len
from ffgrammar.core.map cimport Map
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.pulse cimport Pulse
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.parser.carried cimport ENTRY_WORDS, Entry
from ffgrammar.engine.parser.links cimport Links
from ffgrammar.engine.parser.tables cimport Rules
from ffgrammar.regex.dfa.threads cimport Threads

cdef enum:
    ROOT = 0
    CARRIES = 2  # flag in the first word of a kernel: the row has carried items
    SKIP_SHIFT = 2  # the bits above the flags: the skips that may stand in the row (`Rules.skip_bits`)

cdef struct Item:
    uint32_t symbol    # what follows the dot
    uint32_t position
    uint32_t link

cdef struct EarleyRows:
    Rules* rules
    const Threads* threads
    const Intern* lexsets  # the lexer's table of sets of lexemes, by number
    Pulse* pulse           # counts the work of new rows
    Owner owner
    Links links
    # row -> (accepting | skips << SKIP_SHIFT, position, link, position, link, ...);
    # with carried items: (accepting, with the flag CARRIES; the row without them; entries)
    Intern kernels
    Vec items           # Items (3 words), by row, sorted by symbol
    Vec starts          # per row, and one more: its first item
    Map scans           # row << 32 | lexeme set -> row
    Map seen            # what scans have met: position << 32 | link -> epoch; only entries of the current epoch count
    uint32_t epoch
    # scratch, down to `work`
    Vec kernel          # of the row being made, as in `kernels`
    Vec carried         # its carried items, as entries (carried.pxd)
    Vec order
    Vec pending         # links whose productions are complete
    Vec found           # Items of the row being made
    Vec stamp           # per nonterminal: its entry in `links.predicted`, valid only if that entry is the nonterminal's
    size_t work         # how many items the current scan has advanced
    uint32_t max_items  # of one row
    size_t max_words    # of all items together

# Returns OK or NO_MEMORY. earley_free may be called after either, and on a struct of zeros. `lexsets`, `threads` and `pulse` must
# live as long as the rows.
cdef int earley_init(EarleyRows* r, Rules* rules, const Intern* lexsets, const Threads* threads, Pulse* pulse) noexcept nogil
cdef void earley_free(EarleyRows* r) noexcept nogil

# Forget all rows and links. Returns OK or NO_MEMORY.
cdef int earley_clear(EarleyRows* r) noexcept nogil

# Bytes of all tables.
cdef size_t earley_bytes(const EarleyRows* r) noexcept nogil

# Write the row of the empty text; it is row 0 of a cleared table. Returns a status.
cdef int earley_first(EarleyRows* r, uint32_t* row) noexcept nogil

# Go on from `row` by a text that every lexeme of the set `lexset` matches, and write the row after this text to `target`. At
# least one of these lexemes must be allowed in `row`. A skip lexeme leaves the row as it is, but for items that do not allow the
# skip. `lexset` may also be an ending; what goes on is carried. Returns a status: LIMIT_ROW_ITEMS if the row gets too large,
# LIMIT_CACHE if all rows together do.
cdef int earley_scan(EarleyRows* r, uint32_t row, uint32_t lexset, uint32_t* target) noexcept nogil

# Write the row of what follows either of two rows to `target`. Returns a status as earley_scan.
cdef int earley_join(EarleyRows* r, uint32_t one, uint32_t other, uint32_t* target) noexcept nogil


cdef inline bint row_accepting(const EarleyRows* r, uint32_t row) noexcept nogil:
    """Whether a text that ends in a row is a sentence."""
    return intern_get(&r.kernels, row)[0] & 1


cdef inline uint32_t row_skips(const EarleyRows* r, uint32_t row) noexcept nogil:
    """The skips that may stand in a row, in a grammar with `Rules.skip_bits`."""
    return intern_get(&r.kernels, row)[0] >> SKIP_SHIFT


cdef inline const Entry* row_carried(const EarleyRows* r, uint32_t row, uint32_t* count) noexcept nogil:
    """The entries of a row's carried items, sorted by symbol. Writes how many they are to `count`. Adding a row may move them."""
    cdef const uint32_t* words = intern_get(&r.kernels, row)
    count[0] = (intern_len(&r.kernels, row) - 2) // ENTRY_WORDS if words[0] & CARRIES else 0
    return <const Entry*>(words + 2)


cdef inline const Item* row_items(const EarleyRows* r, uint32_t row, uint32_t* count) noexcept nogil:
    """The items of a row, sorted by symbol, lexemes first. Writes how many they are to `count`. Adding a row may move them."""
    count[0] = r.starts.data[row + 1] - r.starts.data[row]
    return <const Item*>r.items.data + r.starts.data[row]


cdef inline const Item* row_waiting(const EarleyRows* r, uint32_t row, uint32_t symbol, uint32_t* count) noexcept nogil:
    """The items of a row that have the dot before `symbol`. Writes how many they are to `count`."""
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
