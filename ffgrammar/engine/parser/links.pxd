"""Links: where the parser goes on once a nonterminal is complete.

An item of a nonterminal that is predicted in a row needs to know which items wait for this nonterminal. A textbook remembers the
row, which is where the nonterminal begins. But two rows may differ in all else and have the same items waiting for a nonterminal:
what may come after an expression does not depend on which statement came before. So links are interned by the items that wait.
Rows that differ only in where such links lead are then one row. Along the texts of SQL in grammars/texts there are 13,093 rows with
links by place, and 2,006 with links by what waits.

An item that waits for a nonterminal may belong to one of its own productions, as in `list: list "," value`. Then its link is the
one that is looked for, and the key has a placeholder there. Nonterminals that begin with each other in a longer circle have links
by place.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.parser.tables cimport Rules

cdef enum:
    # words of an entry of `predicted`, one for each nonterminal that some item of a row waits for
    P_NONTERMINAL
    P_COUNT        # how many items wait for the nonterminal
    P_FIRST        # the first of the waits that its own productions add to `waits`
    P_LINK         # the link that the nonterminal is predicted with
    P_WORDS

cdef enum:
    # words of a wait: an item that waits for a nonterminal
    W_ENTRY        # the entry of the nonterminal
    W_POSITION     # the dot position of the item
    W_SOURCE       # the entry of the nonterminal of the item's production, or IN_KERNEL
    W_LINK         # for an item of the kernel, its link
    W_WORDS

cdef enum:
    IN_KERNEL = 0xFFFFFFFF

cdef struct Links:
    Owner owner
    Vec pairs         # two words per link, (row, nonterminal): the items of this row that wait for this nonterminal
    Intern keys       # sets of waiting items: (position, link, position, link, ...), sorted
    Vec of_key        # per key: the link
    # of the row that is made
    Vec predicted     # entries, in the order in which they were found
    Vec waits         # those of the kernel first, then those of each entry's productions
    # scratch
    Vec grouped       # the waits of each entry, one entry after another
    Vec missing       # per entry: how many of its waits have no link yet
    Vec ready         # entries all of whose waits have links
    Vec key

# Returns OK or NO_MEMORY; free with owner_free in either case.
cdef int links_init(Links* l) noexcept nogil

# Forget all links but the first one, the root. Returns OK or NO_MEMORY.
cdef int links_clear(Links* l) noexcept nogil

# Find the link of each entry of `predicted`, and enter it there. If only one item waits for a nonterminal, and the nonterminal is
# the last symbol of this item's production, the item's own link is taken. `row` is the number of the row that is made. Returns OK
# or NO_MEMORY.
cdef int links_find(Links* l, const Rules* rules, uint32_t row) noexcept nogil

# Forget all links of the newest row. `count` and `keys` are how many links and keys there were before.
cdef void links_truncate(Links* l, uint32_t count, uint32_t keys) noexcept nogil


cdef inline uint32_t link_count(const Links* l) noexcept nogil:
    """How many links there are. Every link is below this number."""
    return <uint32_t>(l.pairs.len >> 1)


cdef inline const uint32_t* link_pair(const Links* l, uint32_t link) noexcept nogil:
    """The row and the nonterminal of a link. Adding a link may move them."""
    return l.pairs.data + 2 * <size_t>link
