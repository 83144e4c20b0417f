# cython: language_level=3
"""The grammar every front-end emits: lexemes (regex expressions) and productions over them.

A symbol is an int: terminal t is 2*t, nonterminal n is 2*n+1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.productions import Productions
from ffgrammar.regex.expr.store import ExprStore

__all__ = [
    "ANY_COUNT",
    "CHECKS",
    "MAX_COUNT",
    "GrammarBuilder",
    "GrammarIR",
    "Lexeme",
    "Parametric",
    "Productions",
    "Template",
]

# bounds of a counter that do not bind
ANY_COUNT = (0, None)
# kinds of checks: no two items of an array are equal; some two are; a key is none that its object has already
CHECKS = ("unique", "repeated", "new key")
# a counter's bounds are below this
MAX_COUNT = 1 << 30


class Lexeme(NamedTuple):
    """A terminal: its expression in the grammar's store, and how it ends.

    A lexeme in a text is never empty. Where the expression matches the empty text, the grammar may go on without one.

    Attributes:
        check: number of the check (`GrammarIR.checks`) that must hold for the innermost open container, or None.
        opens: it is the bracket or brace that opens a container which checks are about.
    """

    expr: int
    name: str = ""
    lazy: bool = False
    skip: bool = False
    check: int | None = None
    opens: bool = False


@dataclass(frozen=True)
class Parametric:
    """A nonterminal that carries a parameter: a set of `bits` bits and two counters, all zero where a plain production
    names it. Its productions are templates."""

    number: int
    bits: int


@dataclass(frozen=True)
class Template:
    """A production of a parametric nonterminal, there for the parameters that meet its conditions.

    Attributes:
        head: number of the parametric nonterminal.
        rhs: plain symbols.
        again: number of the parametric nonterminal that ends the production, with the parameter changed as said below;
            or None.
        bit: must be unset; `again` has it set.
        need: bits that must be set, as an int.
        counts: (lowest, highest or None) of the two counters.
        add: what `again` has more on them, 0 or 1 each.
    """

    head: int
    rhs: tuple[int, ...]
    again: int | None = None
    bit: int | None = None
    need: int = 0
    counts: tuple[tuple[int, int | None], tuple[int, int | None]] = (ANY_COUNT, ANY_COUNT)
    add: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class GrammarIR:
    """An immutable context-free grammar over lexemes.

    Attributes:
        store: holds the expressions of the lexemes.
        lexemes: terminal t is lexemes[t].
        names: of the nonterminals, for messages.
        start: the start symbol.
        kind: what the front-end reads, for reports.
        single_skip: at most one skip lexeme between two others (a bound on runs of whitespace).
        delimited: the front-end vouches that longest match never loses a text: where a lexeme that was matched can go
            on with a byte, nothing that may follow it starts with that byte. (Otherwise the engine checks as it goes.)
        warnings: what the caller should know: what is not enforced, where a text may find no way on.
        parametric, templates: the nonterminals with a parameter, and their productions. The front-end vouches that from
            every parameter that can be reached a text can be completed.
        checks: what a grammar cannot say, looked up in the text: each is a kind in `CHECKS`. They are about JSON: the
            front-end vouches that brackets, braces and commas outside of strings are lexemes by themselves, and that
            the grammar is delimited.
    """

    store: ExprStore
    lexemes: tuple[Lexeme, ...]
    productions: Productions
    names: tuple[str, ...]
    start: int
    kind: str = ""
    single_skip: bool = False
    delimited: bool = False
    warnings: tuple[str, ...] = ()
    parametric: tuple[Parametric, ...] = ()
    templates: tuple[Template, ...] = ()
    checks: tuple[str, ...] = ()


class GrammarBuilder:
    """Collects lexemes and productions; all front-ends build through it."""

    def __init__(self, store: ExprStore, limits: Limits | None = None) -> None:
        self.store = store
        self.limits = limits or Limits()
        # (a limit may be any int)
        self._most = min(self.limits.rules, 1 << 60)
        self._lexemes: list[Lexeme] = []
        self._terminals: dict[tuple[object, ...], int] = {}
        # those with nothing but an expression, by that
        self._plain: dict[int, int] = {}
        self._checks: dict[str, int] = {}
        self._productions = Productions()
        self._names: list[str] = []
        self._parametric: list[Parametric] = []
        self._templates: list[Template] = []
        self._shared: dict[tuple[object, ...], int] = {}

    def check(self, kind: str) -> int:
        """The number of a check."""
        return self._checks.setdefault(kind, len(self._checks))

    def terminal(
        self,
        expr: int,
        name: str = "",
        *,
        lazy: bool = False,
        skip: bool = False,
        check: int | None = None,
        opens: bool = False,
    ) -> int:
        """The symbol of a lexeme; equal lexemes are one symbol."""
        if not lazy and not skip and check is None and not opens:
            return self.plain(expr, name)
        key = (expr, lazy, skip, check, opens)
        found = self._terminals.get(key)
        if found is None:
            found = self._terminals[key] = self._lexeme(Lexeme(expr, name, lazy, skip, check, opens))
        return found

    def plain(self, expr: int, name: str = "") -> int:
        """The symbol of a lexeme that is nothing but an expression."""
        found = self._plain.get(expr)
        if found is None:
            found = self._plain[expr] = self._lexeme(Lexeme(expr, name))
        return found

    def _lexeme(self, lexeme: Lexeme) -> int:
        self._lexemes.append(lexeme)
        return 2 * len(self._lexemes) - 2

    def skip(self, expr: int, name: str = "") -> None:
        """Allow a lexeme between any two others, before the first and after the last."""
        self.terminal(expr, name, skip=True)

    def nonterminal(self, name: str = "") -> int:
        """A fresh nonterminal symbol."""
        self._names.append(name)
        return 2 * len(self._names) - 1

    def parametric(self, bits: int, name: str = "") -> int:
        """A fresh nonterminal with a parameter; where a plain production names it, the parameter is all zero."""
        symbol = self.nonterminal(name)
        self._parametric.append(Parametric(symbol >> 1, bits))
        return symbol

    def add_template(
        self,
        lhs: int,
        rhs: Sequence[int],
        again: int | None = None,
        *,
        bit: int | None = None,
        need: int = 0,
        counts: tuple[tuple[int, int | None], tuple[int, int | None]] = (ANY_COUNT, ANY_COUNT),
        add: tuple[int, int] = (0, 0),
    ) -> None:
        """One production of a parametric nonterminal; see `Template`. One with `again` has a terminal: it reads."""
        if len(self._templates) >= self.limits.rules:
            raise LimitError("rules", self.limits.rules, "the grammar has too many productions")
        next_one = None if again is None else again >> 1
        self._templates.append(Template(lhs >> 1, tuple(rhs), next_one, bit, need, counts, add))

    def add(self, lhs: int, rhs: Sequence[int]) -> None:
        """One production; an empty rhs derives the empty text."""
        if len(self._productions) >= self._most:
            raise LimitError("rules", self.limits.rules, "the grammar has too many productions")
        self._productions.append(lhs >> 1, rhs)

    def seq(self, symbols: Sequence[int], name: str = "") -> int:
        """A symbol for the symbols one after another."""
        if len(symbols) == 1:
            return symbols[0]
        return self._share(("seq", *symbols), name, [symbols])

    def choice(self, symbols: Iterable[int], name: str = "") -> int:
        """A symbol for any one of the symbols; no symbols means nothing matches."""
        unique = tuple(dict.fromkeys(symbols))
        if len(unique) == 1:
            return unique[0]
        return self._share(("choice", *unique), name, [(symbol,) for symbol in unique])

    def optional(self, symbol: int, name: str = "") -> int:
        """A symbol for `symbol` or nothing."""
        return self._share(("optional", symbol), name, [(symbol,), ()])

    def star(self, symbol: int, name: str = "") -> int:
        """A symbol for any number of `symbol`; left recursive, so that every length comes back to one row."""
        key = ("star", symbol)
        if key not in self._shared:
            again = self._shared[key] = self.nonterminal(name)
            self.add(again, ())
            self.add(again, (again, symbol))
        return self._shared[key]

    def plus(self, symbol: int, name: str = "") -> int:
        """A symbol for one or more `symbol`."""
        key = ("plus", symbol)
        if key not in self._shared:
            again = self._shared[key] = self.nonterminal(name)
            self.add(again, (symbol,))
            self.add(again, (again, symbol))
        return self._shared[key]

    def repeat(self, symbol: int, lo: int, hi: int | None, name: str = "") -> int:
        """A symbol for lo to hi (None: no bound) of `symbol`; costs hi productions, or lo when there is no bound."""
        if hi is None:
            if lo == 0:
                return self.star(symbol, name)
            if lo == 1:
                return self.plus(symbol, name)
            return self.seq([symbol] * (lo - 1) + [self.plus(symbol)], name)
        # up_to(k): nothing, or one and up_to(k - 1). Right recursion in tail position costs a constant a step.
        tail = self.seq([])
        for _ in range(hi - lo):
            tail = self._share(("up_to", symbol, tail), name, [(), (symbol, tail)])
        if lo == 0:
            return tail
        return self.seq([symbol] * lo + ([tail] if hi > lo else []), name)

    def finish(
        self,
        start: int,
        *,
        kind: str = "",
        single_skip: bool = False,
        delimited: bool = False,
        warnings: Iterable[str] = (),
    ) -> GrammarIR:
        """The finished grammar."""
        assert delimited or not self._checks, "checks need a delimited grammar"
        if not start & 1:
            start = self._share(("seq", start), "start", [(start,)])
        return GrammarIR(
            self.store,
            tuple(self._lexemes),
            self._productions,
            tuple(self._names),
            start,
            kind,
            single_skip,
            delimited,
            tuple(warnings),
            tuple(self._parametric),
            tuple(self._templates),
            tuple(self._checks),
        )

    def _share(self, key: tuple[object, ...], name: str, bodies: Iterable[Sequence[int]]) -> int:
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = self.nonterminal(name)
            for body in bodies:
                self.add(found, body)
        return found
