"""The spans of a grammar's rules in a text: lexemes, chart and choice, kept from one question to the next."""

from ffgrammar.engine.captures.chart cimport Chart
from ffgrammar.engine.captures.lexemes cimport Lexemes
from ffgrammar.engine.captures.preferred cimport Preferred
from ffgrammar.engine.captures.spans cimport OPEN, Names, Span, listed
from ffgrammar.engine.engine cimport Engine

from ffgrammar.core.errors import MatcherError
from ffgrammar.engine.captures.capture import Capture
from ffgrammar.engine.captures.text import no_such_name


cdef class RuleReader:
    """Reads the rules of a text that grows, shrinks and changes.

    Args:
        engine: the engine of a grammar.
    """

    cdef Engine engine
    cdef Lexemes lexemes
    cdef Chart chart
    cdef object asked  # the names that were asked for last, and the same as Names
    cdef Names names
    cdef dict notes    # the notes of rules, by their numbers

    def __cinit__(self, Engine engine not None):
        self.engine = engine
        self.lexemes = Lexemes(engine)
        self.chart = Chart(engine)
        self.notes = {note.rule: note for note in engine.rule_notes}

    def copy(self):
        """The same, for a fork of the matcher."""
        cdef RuleReader other = RuleReader.__new__(RuleReader, self.engine)
        other.lexemes = self.lexemes.copy()
        other.chart = self.chart.copy()
        return other

    def read(self, bytes text not None, list special not None, bint ended, names):
        """The captures of the rules with some names, or of all rules, in the order of their starts.

        Raises:
            MatcherError: there is no rule of a name.
            LimitError: a bound of the grammar was reached.
        """
        cdef tuple rules = self.engine.rule_names
        cdef Span root, span
        cdef list found = []
        if self.names is None or names != self.asked:
            self.names = Names(range(len(rules)) if names is None else self.numbers(names), len(rules))
            self.asked = names
        if not self.names.bits:
            return found
        self.advance(self.lexemes.read(text, special, ended))
        root = Preferred(self.chart, self.lexemes, len(rules)).read(ended)
        for span in listed(root, self.names) if root is not None else ():
            if span.name in self.notes:
                self.add_noted(found, span, text, names)
                continue
            if span.capture is None:
                end = None if span.end == OPEN else span.end
                # (a span that grows is made anew for every question)
                span.capture = Capture(rules[span.name], span.start, end, text[span.start:end])
            found.append(span.capture)
        return found

    cdef int add_noted(self, list found, Span span, bytes text, names) except -1:
        """Add the captures of a rule with a note, which does not have all of its text. Returns 0."""
        note = self.notes[span.name]
        name = self.engine.rule_names[span.name]
        end = None if span.end == OPEN else span.end - note.hidden
        if names is None or name in names:
            found.append(Capture(name, span.start, end, text[span.start:end]))
        if end is not None and note.hidden_name and (names is None or note.hidden_name in names):
            found.append(Capture(note.hidden_name, end, span.end, text[end:span.end]))
        return 0

    cdef int advance(self, Py_ssize_t stay) except -1:
        """Bring the chart up to the lexemes, whose first `stay` nodes are as before. Returns 0."""
        try:
            self.chart.cut(stay)
            while len(self.chart.columns) < len(self.lexemes.edges):
                self.chart.add(self.lexemes.edges[len(self.chart.columns)])
        except BaseException:
            self.lexemes.restart()
            self.chart.cut(1)
            raise
        return 0

    cdef set numbers(self, names):
        """The numbers of the rules of some names."""
        cdef dict found = {}
        for number, name in enumerate(self.engine.rule_names):
            found.setdefault(name, []).append(number)
        for note in self.engine.rule_notes:
            if note.hidden_name:
                found.setdefault(note.hidden_name, []).append(note.rule)
        unknown = sorted([name for name in names if name not in found])
        if not unknown:
            return {number for name in names for number in found[name]}
        if not found and self.engine.kind == "composition":
            raise MatcherError(f"there is no capture {unknown[0]!r}: no part of the composition has a name (ffgrammar.capture)")
        if not found:
            raise MatcherError(
                f"there is no rule {unknown[0]!r}: only a Lark grammar without schemas has rules that are captures")
        raise MatcherError(no_such_name("rule", unknown[0], found))
