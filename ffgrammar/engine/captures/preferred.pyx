"""Nodes are found from the chart backwards and chosen forwards: a symbol may end only where the rest of its production goes on
from. What is closed is chosen once and kept with the column where it ends.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.status cimport LIMIT_NESTING
from ffgrammar.engine.captures.chart cimport Chart, Column, item_key
from ffgrammar.engine.captures.lexemes cimport Lexemes
from ffgrammar.engine.captures.spans cimport NO_NAME, OPEN, Span, new_span
from ffgrammar.engine.parser.tables cimport END, NONTERMINAL, NUMBER

cdef enum:
    # kinds of children
    LEXEME
    EMPTY
    PART       # a nonterminal with a shorter span than its parent
    SAME       # a nonterminal with the same span as its parent
    # an end beyond all nodes: the next symbol has not begun
    STOP = -2


cdef class Child:
    """What a symbol derives."""

    def __cinit__(self, int kind, uint32_t nonterminal, Py_ssize_t begin, Py_ssize_t end, list children):
        self.kind = kind
        self.nonterminal = nonterminal
        self.begin = begin
        self.end = end
        self.children = children


cdef class Growing:
    """How a nonterminal can go on."""

    def __cinit__(self):
        self.inside = set()
        self.stops = set()


cdef class Preferred:
    """Chooses the parse of a chart.

    Args:
        chart: the chart of the lexemes.
        lexemes: the lexemes of a text.
        rule_count: how many nonterminals, from the first one on, are captured.
    """

    def __cinit__(self, Chart chart not None, Lexemes lexemes not None, Py_ssize_t rule_count):
        self.chart = chart
        self.lexemes = lexemes
        self.rule_count = rule_count

    cdef Span read(self, bint ended):
        cdef Py_ssize_t node
        cdef uint32_t start = self.chart.rules.start
        self.growing = {}
        if not ended:
            self.find_growing()
            if self.growing:
                return self.growing_span()
        for node in self.chart.frontiers[-1]:
            if node and 0 in (<Column>self.chart.columns[node]).done.get(start, ()):
                return self.closed_span(start, 0, node)
        return None

    # What grows

    cdef int find_growing(self) except -1:
        cdef uint64_t key
        cdef uint32_t lexeme, symbol
        cdef list found = []
        cdef Column column
        cdef bint in_skip = not self.lexemes.growing
        for lexeme in self.lexemes.growing:
            in_skip |= self.chart.rules.is_skip.data[lexeme]
        for node in self.chart.frontiers[-1]:
            column = self.chart.columns[node]
            for lexeme in self.lexemes.growing:
                for key in self.chart.waiting(column, lexeme):
                    self.grow(<uint32_t>(key >> 32), key & 0xFFFFFFFF, found).inside.add(item_key(key >> 32, node))
            if in_skip:
                for keys in column.waiting.values():
                    for key in keys:
                        self.grow(<uint32_t>(key >> 32), key & 0xFFFFFFFF, found).stops.add(item_key(key >> 32, node))
        while found:
            key = found.pop()
            symbol = <uint32_t>NONTERMINAL | <uint32_t>(key >> 32)
            node = key & 0xFFFFFFFF
            for key in self.chart.waiting(self.chart.columns[node], symbol):
                self.grow(<uint32_t>(key >> 32), key & 0xFFFFFFFF, found).inside.add(item_key(key >> 32, node))
        return 0

    cdef Growing grow(self, uint32_t position, Py_ssize_t node, list found):
        cdef Growing entry
        while not self.chart.rules.symbols.data[position] & <uint32_t>END:
            position += 1
        key = item_key(self.chart.rules.symbols.data[position] & NUMBER, node)
        entry = self.growing.get(key)
        if entry is None:
            entry = self.growing[key] = Growing()
            found.append(key)
        return entry

    cdef Span growing_span(self):
        cdef list levels = []
        cdef list children = self.choose(self.chart.rules.start, 0, OPEN, ())
        cdef Child last = Child(PART, self.chart.rules.start, 0, OPEN, children)
        cdef Span span = None
        cdef Py_ssize_t start
        cdef list parts
        while last is not None and last.kind != LEXEME:
            children = last.children if last.children is not None else self.choose(last.nonterminal, last.begin, OPEN, ())
            levels.append((last.nonterminal, children))
            last = children[-1]
        start = self.lexemes.offsets[last.begin] if last is not None else OPEN
        for nonterminal, children in reversed(levels):
            parts = [self.part(child, OPEN) for child in children[:-1] if (<Child>child).kind != EMPTY]
            if parts:
                start = (<Span>parts[0]).start
            if span is not None:
                parts.append(span)
            span = new_span(self.name(nonterminal), start, OPEN, parts)
        return span

    # What is closed

    cdef Span closed_span(self, uint32_t nonterminal, Py_ssize_t begin, Py_ssize_t end):
        cdef list stack = [Child(PART, nonterminal, begin, end, None)]
        cdef Child top
        cdef dict spans
        while stack:
            top = stack[-1]
            spans = (<Column>self.chart.columns[top.end]).spans
            key = item_key(top.nonterminal, top.begin)
            if key in spans:
                stack.pop()
                continue
            if top.children is None:
                top.children = self.choose(top.nonterminal, top.begin, top.end, ())
            missing = self.missing(top.children)
            if missing:
                stack += missing
                continue
            spans[key] = self.assemble(top.nonterminal, top.children, self.lexemes.offsets[top.end])
            stack.pop()
        return spans[key]

    cdef Span assemble(self, uint32_t nonterminal, list children, Py_ssize_t end):
        cdef list parts = [self.part(child, end) for child in children if (<Child>child).kind != EMPTY]
        return new_span(self.name(nonterminal), (<Span>parts[0]).start, end, parts)

    cdef Span part(self, Child child, Py_ssize_t end):
        cdef Span found
        if child.kind == LEXEME:
            return new_span(NO_NAME, self.lexemes.offsets[child.begin], self.lexemes.offsets[child.end], [])
        if child.kind == SAME:
            return self.assemble(child.nonterminal, child.children, end)
        found = (<Column>self.chart.columns[child.end]).spans.get(item_key(child.nonterminal, child.begin))
        return found if found is not None else self.closed_span(child.nonterminal, child.begin, child.end)

    cdef list missing(self, list children):
        cdef Child child
        cdef list found = []
        for child in children:
            if child.kind == SAME:
                found += self.missing(child.children)
            elif child.kind == PART:
                if item_key(child.nonterminal, child.begin) not in (<Column>self.chart.columns[child.end]).spans:
                    found.append(child)
        return found

    cdef Py_ssize_t name(self, uint32_t nonterminal) noexcept:
        return <Py_ssize_t>nonterminal if nonterminal < self.rule_count else <Py_ssize_t>NO_NAME

    # The choice

    cdef list choose(self, uint32_t nonterminal, Py_ssize_t begin, Py_ssize_t end, tuple banned):
        cdef uint32_t b, first, last
        cdef uint64_t key
        cdef Growing growing
        cdef set inside = set()
        cdef set stops = set()
        cdef list children
        if <size_t>len(banned) > <size_t>self.chart.engine.limits.nesting:
            self.chart.engine.checked(LIMIT_NESTING)
        for b in range(self.chart.rules.starts.data[nonterminal], self.chart.rules.ends.data[nonterminal]):
            first = last = self.chart.rules.bodies.data[b]
            while not self.chart.rules.symbols.data[last] & <uint32_t>END:
                last += 1
            if end == OPEN:
                growing = self.growing[item_key(nonterminal, begin)]
                inside = {key for key in growing.inside if first <= key >> 32 <= last}
                stops = {key for key in growing.stops if first <= key >> 32 <= last}
            elif self.chart.has(self.chart.columns[end], last, begin):
                stops = {item_key(last, end)}
            else:
                continue
            children = self.choose_children(first, begin, end, inside, stops, (*banned, nonterminal))
            if children is not None:
                return children
        return None

    cdef list choose_children(
        self, uint32_t first, Py_ssize_t begin, Py_ssize_t end, set inside, set stops, tuple banned,
    ):
        cdef dict paths = self.paths(begin, inside | stops)
        cdef list children = []
        cdef list ends = [begin]  # where the children end, after the node where the first one begins
        cdef list options = []    # per child, and for the next one: the ends that were not tried yet, the best last
        cdef Py_ssize_t end_of_child
        cdef Child child
        while True:
            if len(options) == len(children):
                key = item_key(first + len(children), ends[-1])
                if end != OPEN and key in stops:
                    return children
                options.append(sorted_ends(ends[-1], paths.get(key, ()), key in inside, key in stops))
            if not options[-1]:
                options.pop()
                if not children:
                    return None
                children.pop()
                ends.pop()
                continue
            end_of_child = options[-1].pop()
            if end_of_child == STOP:
                children.append(None)
                return children
            child = self.child(first + <uint32_t>len(children), ends[-1], end_of_child, begin, end, banned)
            if child is not None:
                children.append(child)
                ends.append(end_of_child)
                if end_of_child == OPEN:
                    return children

    cdef dict paths(self, Py_ssize_t begin, set targets):
        cdef dict found = {}
        cdef set seen = set(targets)
        cdef list stack = list(targets)
        cdef uint64_t key
        cdef uint32_t position
        cdef Py_ssize_t node
        while stack:
            key = stack.pop()
            position = <uint32_t>(key >> 32)
            node = key & 0xFFFFFFFF
            for before in self.begins(position, begin, node):
                key = item_key(position - 1, before)
                found.setdefault(key, []).append(node)
                if key not in seen:
                    seen.add(key)
                    stack.append(key)
        return found

    cdef list begins(self, uint32_t position, Py_ssize_t begin, Py_ssize_t node):
        cdef uint32_t symbol
        cdef Column column = self.chart.columns[node]
        cdef list nodes = []
        if position == 0 or self.chart.rules.symbols.data[position - 1] & <uint32_t>END:
            return nodes
        symbol = self.chart.rules.symbols.data[position - 1]
        if symbol & <uint32_t>NONTERMINAL:
            nodes.extend(column.done.get(symbol & NUMBER, ()))
            if self.chart.is_nullable(symbol):
                nodes.append(node)
        else:
            nodes.extend(dict.fromkeys([before for before, _ in column.leaves.get(symbol, ())]))
        return [
            before for before in nodes
            if before >= begin and self.chart.has(self.chart.columns[before], position - 1, begin)
        ]

    cdef Child child(
        self, uint32_t position, Py_ssize_t at, Py_ssize_t to, Py_ssize_t begin, Py_ssize_t end, tuple banned,
    ):
        cdef uint32_t symbol = self.chart.rules.symbols.data[position]
        cdef uint32_t nonterminal = symbol & NUMBER
        cdef list children
        if not symbol & <uint32_t>NONTERMINAL:
            return Child(LEXEME, 0, self.text_begin(symbol, at, to), to, None)
        if at == to:
            return Child(EMPTY, nonterminal, at, to, None)
        if at != begin or to != end:
            return Child(PART, nonterminal, at, to, None)
        children = self.choose(nonterminal, at, to, banned) if nonterminal not in banned else None
        return Child(SAME, nonterminal, at, to, children) if children is not None else None

    cdef Py_ssize_t text_begin(self, uint32_t lexeme, Py_ssize_t before, Py_ssize_t end) except -1:
        """The node where the text of a lexeme begins that follows the column at `before`, after skips."""
        cdef Column column
        if end == OPEN:
            return len(self.lexemes.offsets) - 1
        column = self.chart.columns[end]
        return min([begin for node, begin in column.leaves[lexeme] if node == before])


cdef list sorted_ends(Py_ssize_t at, nodes, bint grows, bint stops):
    """Where a child that begins at a node may end, the best last."""
    cdef list ends = [at] if at in nodes else []
    if stops:
        ends.append(STOP)
    ends += sorted([node for node in nodes if node > at])
    if grows:
        ends.append(OPEN)
    return ends
