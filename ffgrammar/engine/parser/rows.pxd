"""Rows of the parser and what they hold. earley.pxd says what a row is."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t

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
    ITEM_WORDS = 3
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
    # which links' languages lie in others (inclusion.pyx)
    Vec rests           # per dot position: the number of its rest (rests.pyx)
    Intern rest_numbers
    Vec after           # lists of what advances when a link is complete
    Map lists           # link -> where its list begins in `after`
    Intern sets         # sets of links
    Map within          # link << 32 | set -> whether the language of the link lies in that of the set
    int64_t credit      # how many items searches may still look at
    # scratch, down to `work`
    Vec complete        # links that are complete
    Vec opened          # pairs of links and sets that a search has met
    Vec set             # a set of links
    Vec kernel          # of the row being made, as in `kernels`
    Vec carried         # its carried items, as entries (carried.pxd)
    Vec order
    Vec pending         # links whose productions are complete
    Vec found           # Items of the row being made
    Vec stamp           # per nonterminal: its entry in `links.predicted`, valid only if that entry is the nonterminal's
    size_t work         # how many items the current scan has advanced
    uint32_t max_items  # of one row
    size_t max_words    # of all items together


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
