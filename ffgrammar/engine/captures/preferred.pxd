"""Of all parses of a text the one that counts, and the spans of its rules.

The parse is chosen from the top down. For each rule it takes the first production that fits, and of that production the first
symbol as long as possible, then the second, and so on. No rule is inside itself over the same part of the text. While the text
can go on, every symbol that may still be growing is longer than one that is complete.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.captures.chart cimport Chart
from ffgrammar.engine.captures.lexemes cimport Lexemes
from ffgrammar.engine.captures.spans cimport Span

cdef class Child:
    # What a symbol of a production derives.
    cdef int kind               # see preferred.pyx
    cdef uint32_t nonterminal
    cdef Py_ssize_t begin       # the node where it begins; of a lexeme, where its text begins
    cdef Py_ssize_t end         # the node where it ends
    cdef list children          # of a child with the same span as its parent, which is chosen together with it

cdef class Growing:
    # How a nonterminal that began at a node can go on at the end of the text: keys (dot position, node) of its items.
    cdef set inside  # the next symbol grows, too
    cdef set stops   # the next symbol has not begun

cdef class Preferred:
    cdef Chart chart
    cdef Lexemes lexemes
    cdef Py_ssize_t rule_count  # nonterminals below this number are rules of the source
    cdef dict growing           # per key (nonterminal, node): its Growing

    # The span of the start rule in the chosen parse, or None if nothing has begun. `ended` says that nothing follows the text.
    cdef Span read(self, bint ended)

    # Find `growing`. Returns 0.
    cdef int find_growing(self) except -1

    # Note that an item is at the end of the text. Returns its Growing; `found` gets the key of a new one.
    cdef Growing grow(self, uint32_t position, Py_ssize_t node, list found)

    # The span of the start rule while it grows.
    cdef Span growing_span(self)

    # The span of a nonterminal from node `begin` to node `end`.
    cdef Span closed_span(self, uint32_t nonterminal, Py_ssize_t begin, Py_ssize_t end)

    # The span of a nonterminal whose children are chosen and have spans. `end` is an offset.
    cdef Span assemble(self, uint32_t nonterminal, list children, Py_ssize_t end)

    # The span of a child in a production that ends at offset `end`.
    cdef Span part(self, Child child, Py_ssize_t end)

    # The children, and children of children with the same span, that have no span yet.
    cdef list missing(self, list children)

    # The name of a nonterminal's span.
    cdef Py_ssize_t name(self, uint32_t nonterminal) noexcept

    # What a nonterminal derives, as a list of Child; None if it derives nothing without being inside one of the nonterminals
    # `banned` with the same span. `end` is a node, or OPEN. The last
    # child of what grows grows, too, or is None if nothing of it has begun.
    cdef list choose(self, uint32_t nonterminal, Py_ssize_t begin, Py_ssize_t end, tuple banned)

    # `choose` for one production, which begins at dot position `first`. `stops` are the keys of its items that may come last, and
    # `inside` those of items whose next symbol grows.
    cdef list choose_children(
        self, uint32_t first, Py_ssize_t begin, Py_ssize_t end, set inside, set stops, tuple banned,
    )

    # Per key (dot position, node): the nodes where the next symbol may end, if the production is to reach one of some keys.
    cdef dict paths(self, Py_ssize_t begin, set targets)

    # The nodes from which the symbol before the dot reaches to `node`.
    cdef list begins(self, uint32_t position, Py_ssize_t begin, Py_ssize_t node)

    # What the symbol at a dot position derives from `at` to `to`, in a production from `begin` to `end`; None as in `choose`.
    # `banned` includes the production's nonterminal.
    cdef Child child(
        self, uint32_t position, Py_ssize_t at, Py_ssize_t to, Py_ssize_t begin, Py_ssize_t end, tuple banned,
    )

    # The node where the text of a lexeme begins, which is read from the column at `before` to node `end`. Skips stand between
    # the two.
    cdef Py_ssize_t text_begin(self, uint32_t lexeme, Py_ssize_t before, Py_ssize_t end) except -1
