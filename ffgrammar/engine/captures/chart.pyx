"""Scanning, completion and prediction. What a set of nonterminals predicts does not depend on the text, and is found once.

A right recursion of depth n makes n items at each place where it can end: Leo's optimisation would skip the spans that are asked
for.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.status cimport LIMIT_ROW_ITEMS
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.parser.tables cimport END, NONTERMINAL, NUMBER


cdef class Prediction:
    """The items that a column has because of what its other items wait for."""

    def __cinit__(self):
        self.waiting = {}


cdef class Column:
    """The items at one node."""

    def __cinit__(self, Py_ssize_t node):
        self.node = node
        self.items = set()
        self.waiting = {}
        self.done = {}
        self.leaves = {}
        self.spans = {}


cdef class Chart:
    """The columns of a text.

    Args:
        engine: the engine of a grammar without parametric nonterminals.
    """

    def __cinit__(self, Engine engine not None):
        cdef Column first = Column(0)
        self.engine = engine
        self.rules = &engine.tables.rules
        self.predictions = {}
        first.predicted = self.predict(frozenset((self.rules.start,)))
        self.columns = [first]
        self.frontiers = [(0,)]

    cdef Chart copy(self):
        cdef Chart other = Chart.__new__(Chart, self.engine)
        other.predictions = self.predictions.copy()
        other.columns = self.columns[:]
        other.frontiers = self.frontiers[:]
        return other

    cdef int cut(self, Py_ssize_t count) except -1:
        del self.columns[count:]
        del self.frontiers[count:]
        return 0

    cdef list waiting(self, Column column, uint32_t symbol):
        cdef list keys = column.waiting.get(symbol)
        cdef list positions = column.predicted.waiting.get(symbol)
        if positions is None:
            return keys if keys is not None else []
        predicted = [item_key(position, column.node) for position in positions]
        return predicted if keys is None else keys + predicted

    cdef bint has(self, Column column, uint32_t position, Py_ssize_t node) except -1:
        if node != column.node:
            return item_key(position, node) in column.items
        # nothing is read yet: everything before the dot must be able to be empty
        while position and not self.rules.symbols.data[position - 1] & <uint32_t>END:
            position -= 1
            if not self.is_nullable(self.rules.symbols.data[position]):
                return False
        return True

    cdef bint is_nullable(self, uint32_t symbol) noexcept:
        return symbol & <uint32_t>NONTERMINAL and self.rules.nullable.data[symbol & NUMBER]

    cdef int add(self, list edges) except -1:
        cdef Py_ssize_t node = len(self.columns)
        cdef Column column = Column(node)
        cdef uint32_t lexeme, nonterminal
        cdef list complete = []
        cdef set frontier = set()
        for begin, lexemes in edges:
            for lexeme in lexemes:
                if self.rules.is_skip.data[lexeme]:
                    frontier.update(self.frontiers[begin])
                    continue
                for before in self.frontiers[begin]:
                    if self.advance(self.columns[before], lexeme, column, complete):
                        column.leaves.setdefault(lexeme, []).append((before, begin))
        while complete:
            key = complete.pop()
            nonterminal, before = key >> 32, key & 0xFFFFFFFF
            self.advance(self.columns[before], <uint32_t>NONTERMINAL | nonterminal, column, complete)
        if column.items:
            column.predicted = self.predict(
                frozenset([symbol & NUMBER for symbol in column.waiting if symbol & <uint32_t>NONTERMINAL])
            )
            frontier.add(node)
        self.columns.append(column if column.items else None)
        self.frontiers.append(tuple(sorted(frontier, reverse=True)))
        return 0

    cdef Py_ssize_t advance(self, Column source, uint32_t symbol, Column column, list complete) except -1:
        cdef uint64_t key
        cdef list waiting = self.waiting(source, symbol)
        for key in waiting:
            self.add_item(column, <uint32_t>(key >> 32) + 1, key & 0xFFFFFFFF, complete)
        if <size_t>len(column.items) > self.engine.recognizer.rows.max_items:
            self.engine.checked(LIMIT_ROW_ITEMS)
        return len(waiting)

    cdef int add_item(self, Column column, uint32_t position, uint64_t node, list complete) except -1:
        cdef uint32_t symbol
        while True:
            key = item_key(position, node)
            if key in column.items:
                return 0
            column.items.add(key)
            symbol = self.rules.symbols.data[position]
            if symbol & <uint32_t>END:
                nodes = column.done.setdefault(symbol & NUMBER, {})
                if node not in nodes:
                    nodes[node] = None
                    complete.append(item_key(symbol & NUMBER, node))
                return 0
            column.waiting.setdefault(symbol, []).append(key)
            if not self.is_nullable(symbol):
                return 0
            position += 1

    cdef Prediction predict(self, frozenset nonterminals):
        cdef Prediction found = self.predictions.get(nonterminals)
        cdef list open_ones = list(nonterminals)
        cdef set seen = set(nonterminals)
        cdef uint32_t nonterminal, b, position, symbol
        if found is not None:
            return found
        found = self.predictions[nonterminals] = Prediction()
        while open_ones:
            nonterminal = open_ones.pop()
            for b in range(self.rules.starts.data[nonterminal], self.rules.ends.data[nonterminal]):
                position = self.rules.bodies.data[b]
                while True:
                    symbol = self.rules.symbols.data[position]
                    if symbol & <uint32_t>END:
                        break
                    found.waiting.setdefault(symbol, []).append(position)
                    if symbol & <uint32_t>NONTERMINAL and symbol & NUMBER not in seen:
                        seen.add(symbol & NUMBER)
                        open_ones.append(symbol & NUMBER)
                    if not self.is_nullable(symbol):
                        break
                    position += 1
        return found
