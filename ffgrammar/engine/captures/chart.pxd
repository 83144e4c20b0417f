"""Earley's algorithm over the lexemes of a text, with positions in the text.

The engine's own rows (engine/parser) say what may follow a text, and share rows between places of a text. A chart says where
productions began and ended. It is made only for texts whose captures are asked for.

An item is a dot position (engine/parser/tables.pxd) and the node where its production began. As a Python int it is
`position << 32 | node`: a *key*. What a production derives at a node is a column. Skipped lexemes belong to no production, so a
column stands only at nodes where a lexeme has ended that is not skipped; after skips the parser is still in that column.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.parser.tables cimport Rules

cdef class Prediction:
    # Per symbol: the dot positions that wait for it at the beginning of productions. The symbols before them derive nothing.
    cdef dict waiting

cdef class Column:
    cdef Py_ssize_t node
    cdef set items            # keys of the items that have read a lexeme
    cdef dict waiting         # per symbol: the keys that wait for it
    cdef dict done            # per nonterminal: a dict whose keys are the nodes from which it reaches to here
    cdef dict leaves          # per lexeme that ends here: pairs (column before it, node where its text begins)
    cdef Prediction predicted
    cdef dict spans           # what preferred.pxd found: per key (nonterminal, node), its Span

cdef class Chart:
    cdef Engine engine
    cdef const Rules* rules
    cdef dict predictions     # per set of nonterminals: its Prediction
    cdef list columns         # per node: its Column, or None
    cdef list frontiers       # per node: the columns in which the parser may be, the last one first

    # Forget all nodes but the first `count`. Returns 0.
    cdef int cut(self, Py_ssize_t count) except -1

    # Add a node, where `edges` end: pairs (node where the edge begins, its lexemes). Raises LimitError. Returns 0.
    cdef int add(self, list edges) except -1

    # The keys of the items that wait for a symbol in a column.
    cdef list waiting(self, Column column, uint32_t symbol)

    # Whether there is an item (dot position, node where its production began) in a column.
    cdef bint has(self, Column column, uint32_t position, Py_ssize_t node) except -1

    # The same chart, for a fork of the matcher. Columns are shared: a finished column does not change.
    cdef Chart copy(self)

    # Whether a symbol derives the empty text.
    cdef bint is_nullable(self, uint32_t symbol) noexcept

    # Advance the items of `source` that wait for a symbol, into `column`. What becomes complete is appended to `complete`, as
    # keys (nonterminal, node). Returns how many items wait.
    cdef Py_ssize_t advance(self, Column source, uint32_t symbol, Column column, list complete) except -1

    # Add an item to a column, and those that follow it because the next symbols may be empty. Returns 0.
    cdef int add_item(self, Column column, uint32_t position, uint64_t node, list complete) except -1

    # What a set of nonterminals predicts.
    cdef Prediction predict(self, frozenset nonterminals)


cdef inline object item_key(uint64_t position, uint64_t node):
    """A dot position or a nonterminal, and a node, as one number."""
    return position << 32 | node
