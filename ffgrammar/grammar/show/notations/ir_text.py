"""A compiled grammar as a listing: its rules as the parser has them, its lexemes, and what is promised of them.

The listing is for readers, and nothing reads it back. A production stands on a line of its own after its rule; `->`
begins what comes after a condition on the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

from ffgrammar.grammar.ir import ANY_COUNT, GrammarIR, Lexeme, Parametric, Template
from ffgrammar.grammar.show.patterns.cuts import Cuts
from ffgrammar.grammar.show.patterns.terminals import TerminalText
from ffgrammar.grammar.show.rules.labels import Labels, shown
from ffgrammar.grammar.show.rules.rules import bodies_of

__all__ = ["ir_text"]


def ir_text(grammar: GrammarIR) -> str:
    """The listing of a grammar.

    Args:
        grammar: the grammar. Expressions are made in its store.

    Raises:
        LimitError: a bound of the grammar was reached.
    """
    return "\n".join([*_head(grammar), "", *_Listing(grammar).lines()]) + "\n"


def _head(grammar: GrammarIR) -> Iterator[str]:
    counts = f"{len(grammar.productions)} productions, {len(grammar.lexemes)} lexemes"
    yield f"# {grammar.kind or 'grammar'}: {counts}, {len(grammar.templates)} productions with conditions"
    facts = {
        "delimited: longest match loses no text": grammar.delimited,
        "every text that can be read begins a sentence": grammar.correct_prefix,
        "at most one skip between two lexemes": grammar.single_skip,
        "the first byte of a lexeme decides its group": grammar.apart,
        "skips stand in some rules only": bool(grammar.skips_in),
        "no lexeme ends inside a word": grammar.words > 0,
    }
    for fact, holds in facts.items():
        if holds:
            yield f"# {fact}"
    for check in grammar.checks:
        yield f"# compares values: {check}"
    for warning in grammar.warnings:
        yield f"# warning: {shown(warning)}"


class _Listing:
    def __init__(self, grammar: GrammarIR) -> None:
        self.grammar = grammar
        self.labels = Labels(grammar)
        self.parameters = {one.number: _parameter(one) for one in grammar.parametric}
        self.templates: dict[int, list[Template]] = {}
        for one in grammar.templates:
            self.templates.setdefault(one.head, []).append(one)

    def lines(self) -> Iterator[str]:
        bodies = bodies_of(self.grammar)
        for head in bodies:
            self.labels.rule(head)
        for head, alternatives in bodies.items():
            yield f"{self.labels.rule(head)}{self.parameters.get(head, '')}:"
            if head in self.parameters:
                yield from map(self._template, self.templates.get(head, ()))
            else:
                for rhs in alternatives:
                    yield f"    {' '.join(map(self._symbol, rhs)) or '(nothing)'}"
        yield ""
        yield from self._lexemes()

    def _symbol(self, symbol: int) -> str:
        return self.labels.rule(symbol >> 1) if symbol & 1 else self.labels.lexeme(symbol >> 1)

    def _template(self, one: Template) -> str:
        parts = [f"if bit {bit}" for bit in range(one.need.bit_length()) if one.need >> bit & 1]
        if one.bit is not None:
            parts.append(f"unless bit {one.bit}")
        mask, distance = one.settled
        settled = [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
        parts += [f"unless bit {bit} without bit {bit + distance}" for bit in settled]
        for number, bounds in enumerate(one.counts):
            if bounds != ANY_COUNT:
                parts.append(
                    f"if {bounds[0]} <= counter {number}" + (f" <= {bounds[1]}" if bounds[1] is not None else "")
                )
        rhs = [self._symbol(symbol) for symbol in one.rhs]
        for guard in one.guards:
            lexeme = self.labels.lexeme(guard.lexeme)
            rhs.append(f"[unless bit {guard.bit}: {lexeme}]" if guard.inside else f"[if bit {guard.bit}: not {lexeme}]")
        if one.beside is not None:
            rhs.append(f"[only beside {self.labels.lexeme(one.beside)}]")
        if one.again is not None:
            changes = [f"counter {number} + 1" for number in range(2) if one.add[number]]
            if one.bit is not None:
                changes.insert(0, f"bit {one.bit}")
            changes += [f"bit {bit}" for bit in range(one.sets.bit_length()) if one.sets >> bit & 1]
            rhs.append(f"{self.labels.rule(one.again)}({', '.join(changes)})")
        condition = f"{', '.join(parts)} -> " if parts else ""
        return f"    {condition}{' '.join(rhs) or '(nothing)'}"

    def _lexemes(self) -> Iterator[str]:
        """The lexemes that are not written in the rules, or that are special in some way."""
        numbers = range(len(self.grammar.lexemes))
        names = [self.labels.lexeme(number) for number in numbers]
        cuts = Cuts([tree for tree in self.labels.trees.values() if tree is not None])
        parts = [f"part_{number}" for number in range(len(cuts.parts))]
        written = TerminalText(cuts, parts)
        for number, lexeme in enumerate(self.grammar.lexemes):
            marks = _marks(lexeme, self.grammar)
            if number in self.labels.trees:
                tree = self.labels.trees[number]
                bytewise = f"<bytes: {self.grammar.store.describe(lexeme.expr)}>"
                yield f"{names[number]}{marks} = {bytewise if tree is None else written.text(tree)}"
            elif marks:
                yield f"{names[number]}{marks}"
        for name, tree in zip(parts, cuts.parts, strict=True):
            yield f"{name} = {written.text(tree, True)}"


def _marks(lexeme: Lexeme, grammar: GrammarIR) -> str:
    marks = []
    if lexeme.skip:
        marks.append("skipped")
    if lexeme.lazy:
        marks.append("ends at its first match")
    if lexeme.anywhere:
        marks.append("ends at any match")
    if lexeme.check is not None:
        marks.append(f"checks: {grammar.checks[lexeme.check]}")
    if lexeme.tokens:
        marks.append(f"special tokens {', '.join(map(str, lexeme.tokens))}")
    if lexeme.group:
        marks.append(f"group {lexeme.group}")
    return f" [{'; '.join(marks)}]" if marks else ""


def _parameter(one: Parametric) -> str:
    return f" ({one.bits} bits{', joined' if one.joined else ''}, 2 counters)"
