"""Grammars with indentation: from a grammar over the marks NEWLINE, INDENT and DEDENT to one over bytes.

A reader of such a language, like Lark's `Indenter`, turns the text into marks before it is parsed. NEWLINE is the text of
line ends, with the blanks that the next line begins with. If this line begins at a column right of that of the open
block, INDENT follows, which opens a block at this column. If it begins left of it, one DEDENT follows for each block
that ends, and the column must be that of the block that is then open. Inside brackets, line ends are skipped.

Indentation is context-free if the columns are bounded. So each rule that contains marks gets a version for each column
of its block. Three steps lead there.

Brackets. What stands between two brackets becomes a nonterminal of its own. Inside it, line ends are skips. Rules have a
version for the inside of brackets and one for the outside, because different skips may stand inside their productions.

Delay. A NEWLINE is written as a lexeme, whose column must be known. But DEDENT comes after NEWLINE. So a version of a rule
also says whether a NEWLINE is pending before it, and whether one is pending after it. A pending NEWLINE is written before
the next symbol that is no mark. If this is INDENT, the NEWLINE has any column right of the block's, which is the column
of the new block. DEDENT leaves it pending. At the end of the text a pending NEWLINE may be left out.

Columns. Where a NEWLINE is written, it is the lexeme of line ends after which exactly as many spaces stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.regex.expr.store import ANY_BYTES, ExprStore

__all__ = ["Marks", "with_columns"]

# A version of a symbol: the symbol, and whether a NEWLINE is pending before it.
_Begin = tuple[int, bool]


@dataclass(frozen=True)
class Marks:
    """The symbols that stand for indentation in a grammar.

    Attributes:
        newline: the symbol of a lexeme: line ends, and the blanks of the next line.
        indent, dedent: nonterminals without productions.
        end: the symbol of what may stand at the end of the text in place of a NEWLINE.
        brackets: the closing bracket of each opening bracket; all are lexemes.
        columns: the greatest column of a block.
    """

    newline: int
    indent: int
    dedent: int
    end: int
    brackets: Mapping[int, int]
    columns: int


def with_columns(grammar: GrammarIR, marks: Marks, limits: Limits) -> GrammarIR:
    """The grammar of the texts whose marks are a sentence of a grammar over marks.

    Args:
        grammar: the grammar over marks. It has no groups of lexemes and no parametric nonterminals.
        marks: its marks.
        limits: bounds of the new grammar.

    Raises:
        GrammarError: an INDENT or a bracket opens in one alternative and is closed in another one.
        LimitError: a bound was reached.
    """
    return _Indentation(grammar, marks, limits).whole()


class _Indentation:
    def __init__(self, grammar: GrammarIR, marks: Marks, limits: Limits) -> None:
        self.grammar = grammar
        self.marks = marks
        self.builder = GrammarBuilder(grammar.store, limits)
        self.names = list(grammar.names)
        self.bodies: list[list[tuple[int, ...]]] = [[] for _ in grammar.names]
        self.enclosed: set[int] = set()  # nonterminals of what stands between two brackets, with the brackets
        for head, body in grammar.productions:
            self.bodies[head].append(self.split(head, list(body)))
        self.nullable = self.closure(lambda body, known: all(symbol in known for symbol in body))
        self.marked = self.closure(self.has_marks) - self.enclosed
        self.leading = self.closure(self.leads_with_mark)
        self.ends = self.pending_ends()
        self.lexemes = [self.lexeme(lexeme) for lexeme in grammar.lexemes]
        self.lines: dict[int, int] = {}
        self.versions: dict[tuple[object, ...], int] = {}
        self.todo: list[tuple[object, ...]] = []
        self.inside: set[int] = set()

    # Brackets

    def split(self, head: int, body: list[int]) -> tuple[int, ...]:
        """A right-hand side in which what stands between brackets is a nonterminal."""
        brackets = self.marks.brackets
        opened: list[int] = []
        at = 0
        while at < len(body):
            if body[at] in brackets:
                opened.append(at)
            elif body[at] in brackets.values():
                if not opened or brackets[body[opened[-1]]] != body[at]:
                    raise self.unbalanced(head, "a closing bracket")
                first = opened.pop()
                self.names.append(self.names[head])
                self.bodies.append([tuple(body[first : at + 1])])
                self.enclosed.add(2 * len(self.names) - 1)
                body[first : at + 1] = [2 * len(self.names) - 1]
                at = first
            at += 1
        if opened:
            raise self.unbalanced(head, "an opening bracket")
        return tuple(body)

    def unbalanced(self, head: int, what: str) -> GrammarError:
        return GrammarError(f"{what} in {self.names[head]} has no counterpart in the same alternative")

    # What symbols derive

    def closure(self, holds) -> set[int]:  # type: ignore[no-untyped-def]
        """The least set of nonterminals of which some right-hand side `holds`."""
        known: set[int] = set()
        changed = True
        while changed:
            changed = False
            for number, bodies in enumerate(self.bodies):
                symbol = 2 * number + 1
                if symbol not in known and any(holds(body, known) for body in bodies):
                    known.add(symbol)
                    changed = True
        return known

    def is_mark(self, symbol: int) -> bool:
        return symbol in (self.marks.newline, self.marks.indent, self.marks.dedent)

    def has_marks(self, body: tuple[int, ...], known: set[int]) -> bool:
        return any(self.is_mark(symbol) or (symbol in known and symbol not in self.enclosed) for symbol in body)

    def leads_with_mark(self, body: tuple[int, ...], known: set[int]) -> bool:
        """Whether INDENT or DEDENT may come first."""
        for symbol in body:
            if symbol in known or symbol in (self.marks.indent, self.marks.dedent):
                return True
            if symbol not in self.nullable:
                return False
        return False

    def pending_ends(self) -> dict[_Begin, set[bool]]:
        """For each version of a nonterminal with marks, whether a NEWLINE may be pending after it."""
        ends: dict[_Begin, set[bool]] = {
            (symbol, before): set() for symbol in self.marked | self.nullable for before in (False, True)
        }
        self.ends = ends
        changed = True
        while changed:
            changed = False
            for (symbol, before), found in ends.items():
                for body in self.bodies[symbol >> 1]:
                    states = {before}
                    for one in body:
                        states = {after for state in states for after in self.after(one, state)}
                    if not states <= found:
                        found |= states
                        changed = True
        return ends

    def after(self, symbol: int, before: bool) -> set[bool]:
        """Whether a NEWLINE may be pending after a symbol."""
        marks = self.marks
        if symbol == marks.newline:
            return {True}
        if symbol == marks.indent:
            return {False} if before else set()
        if symbol == marks.dedent:
            return {True} if before else set()
        if symbol in self.enclosed or symbol not in self.marked | self.nullable:
            return {False}
        return self.ends[symbol, before]

    # Versions

    def lexeme(self, lexeme: Lexeme) -> int:
        if lexeme.tokens:
            return self.builder.special(lexeme.tokens, lexeme.name)
        return self.builder.terminal(lexeme.expr, lexeme.name, lazy=lexeme.lazy, skip=lexeme.skip)

    def line(self, column: int) -> int:
        """The lexeme of a NEWLINE after which a line begins at a column."""
        if column not in self.lines:
            store: ExprStore = self.grammar.store
            before = store.concat([store.repeat(ANY_BYTES, 0, None), store.literal(b"\n" + b" " * column)])
            newline = self.grammar.lexemes[self.marks.newline >> 1]
            expr = store.intersect([newline.expr, before])
            self.lines[column] = self.builder.terminal(expr, newline.name, lazy=newline.lazy)
        return self.lines[column]

    def version(self, *key: object) -> int:
        """The nonterminal of a version, given by a key: see `productions`."""
        found = self.versions.get(key)
        if found is None:
            number = key[1]
            name = self.names[number >> 1] if isinstance(number, int) else ""
            found = self.versions[key] = self.builder.nonterminal(name)
            self.todo.append(key)
        return found

    def within(self, symbol: int) -> int:
        """The version of a symbol inside brackets."""
        if not symbol & 1:
            return self.lexemes[symbol >> 1]
        found = self.version("inside", symbol)
        self.inside.add(found >> 1)
        return found

    def plain(self, symbol: int) -> int:
        """The version of a symbol without marks outside brackets."""
        if not symbol & 1:
            return self.lexemes[symbol >> 1]
        return self.within(symbol) if symbol in self.enclosed else self.version("plain", symbol)

    def productions(self, key: tuple[object, ...]) -> Iterator[tuple[int, ...]]:
        """The right-hand sides of a version."""
        if key[0] == "inside":
            for body in self.bodies[key[1] >> 1]:
                if not any(self.is_mark(symbol) for symbol in body):
                    yield tuple(self.within(symbol) for symbol in body)
        elif key[0] == "plain":
            for body in self.bodies[key[1] >> 1]:
                yield tuple(self.plain(symbol) for symbol in body)
        elif key[0] == "rule":
            _, symbol, before, after, column = key
            for body in self.bodies[symbol >> 1]:
                for made, state in self.ways(body, before, column):
                    if state == after:
                        yield made
        elif key[0] == "blocks":
            _, body, column = key
            for inner in range(column + 1, self.marks.columns + 1):
                yield (self.version("block", body, inner),)
        else:
            _, body, column = key
            for made, state in self.ways(body, False, column):
                if state:
                    yield (self.line(column), *made)

    def ways(self, body: tuple[int, ...], before: bool, column: int) -> Iterator[tuple[tuple[int, ...], bool]]:
        """The versions of a right-hand side, each with whether a NEWLINE is pending after it."""
        found: list[tuple[tuple[int, ...], bool]] = [((), before)]
        at = 0
        while at < len(body):
            symbol = body[at]
            if symbol == self.marks.indent:
                end = self.end_of_block(body, at)
                blocks = self.version("blocks", body[at + 1 : end], column)
                found = [((*made, blocks), True) for made, state in found if state]
                at = end + 1
                continue
            found = [
                (made + one, after)
                for made, state in found
                for after in self.after(symbol, state)
                for one in (self.written(symbol, state, after, column),)
            ]
            at += 1
        yield from found

    def end_of_block(self, body: tuple[int, ...], at: int) -> int:
        depth = 0
        for end in range(at, len(body)):
            depth += (body[end] == self.marks.indent) - (body[end] == self.marks.dedent)
            if depth == 0:
                return end
        raise GrammarError("an INDENT has no DEDENT in the same alternative")

    def written(self, symbol: int, before: bool, after: bool, column: int) -> tuple[int, ...]:
        """The version of a symbol in a block at a column, with the pending NEWLINE if it is written before the symbol."""
        if symbol == self.marks.dedent:
            raise GrammarError("a DEDENT has no INDENT in the same alternative")
        line = (self.line(column),) if before else ()
        if symbol == self.marks.newline:
            return line
        if symbol not in self.marked:
            if symbol in self.nullable and before:
                return (self.version("rule", symbol, before, after, column),)
            return (*line, self.plain(symbol))
        if before and symbol not in self.leading and symbol not in self.nullable:
            return (*line, self.version("rule", symbol, False, after, column))
        return (self.version("rule", symbol, before, after, column),)

    def whole(self) -> GrammarIR:
        grammar, builder, marks = self.grammar, self.builder, self.marks
        newline = grammar.lexemes[marks.newline >> 1]
        top = builder.nonterminal("start")
        start = grammar.start
        last = builder.optional(self.lexemes[marks.end >> 1])
        if start in self.nullable:
            builder.add(top, (last,))
        for after in self.after(start, False):
            made = self.written(start, False, after, 0)
            builder.add(top, (*made, last) if after else made)
        while self.todo:
            key = self.todo.pop()
            head = self.versions[key]
            for body in dict.fromkeys(self.productions(key)):
                builder.add(head, body)
        skip = builder.terminal(newline.expr, newline.name, lazy=newline.lazy, skip=True) >> 1
        made = builder.finish(top, kind=grammar.kind, warnings=grammar.warnings)
        outside = frozenset(number for number, lexeme in enumerate(made.lexemes) if lexeme.skip and number != skip)
        inside = outside | {skip}
        skips_in = tuple(inside if number in self.inside else outside for number in range(len(made.names)))
        return replace(made, skips_in=skips_in)
