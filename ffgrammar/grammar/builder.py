# cython: language_level=3
"""`GrammarBuilder`, with which front-ends make grammars.

It makes symbols and shares equal ones, so a front-end may ask for the same lexeme, sequence or repeat as often as it
likes:

    builder = GrammarBuilder(store, limits)
    value = builder.nonterminal("value")
    comma = builder.terminal(store.literal(b","))
    builder.add(value, [builder.terminal(number, "number")])
    builder.add(value, [opening, value, builder.star(builder.seq([comma, value])), closing])
    grammar = builder.finish(value, kind="toy")
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ffgrammar.core.errors import LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.core.turn import turn
from ffgrammar.grammar.ir import (
    ANY_COUNT,
    GrammarIR,
    Guard,
    Lexeme,
    LexemeGroup,
    Parametric,
    RuleNote,
    Template,
    plain_lexeme,
)
from ffgrammar.grammar.productions import Productions
from ffgrammar.regex.expr.store import NOTHING, ExprStore

__all__ = ["GrammarBuilder", "settled_distance"]


def settled_distance(bits: int) -> int:
    """The least distance of `Template.settled` for a mask of this many bits."""
    return (bits + 31) // 32 * 32


class GrammarBuilder:
    """Collects lexemes and productions; all front-ends build grammars with it.

    Args:
        store: the store that has the expressions of the lexemes.
        limits: `rules` bounds the number of plain productions, and also the number of templates. None stands for the
            default limits.
    """

    def __init__(self, store: ExprStore, limits: Limits | None = None) -> None:
        self.store = store
        self.limits = limits or Limits()
        # A limit may be any int, but `_most` is a C integer.
        self._most = min(self.limits.rules, 1 << 60)
        self._lexemes: list[Lexeme] = []
        self._terminals: dict[tuple[object, ...], int] = {}
        # The symbols of the lexemes that are nothing but an expression, by expression.
        self._plain: dict[int, int] = {}
        self._checks: dict[str, int] = {}
        self._productions = Productions()
        self._names: list[str] = []
        self._parametric: list[Parametric] = []
        self._templates: list[Template] = []
        self._shared: dict[tuple[object, ...], int] = {}
        self._has_groups = False

    @property
    def productions(self) -> Productions:
        """The productions so far."""
        return self._productions

    @property
    def templates(self) -> Sequence[Template]:
        """The productions of parametric nonterminals so far."""
        return self._templates

    def check(self, kind: str) -> int:
        """The number of the check of a kind in `CHECKS`."""
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
        group: int = 0,
        anywhere: bool = False,
    ) -> int:
        """The symbol of a lexeme. See `Lexeme` for the arguments. If lexemes have groups or end anywhere, none may be a
        skip and none may have a check.

        Lexemes that differ only in their names share one symbol, and keep the name that came first.
        """
        if not lazy and not skip and check is None and not opens and not group and not anywhere:
            return self.plain(expr, name)
        key = (expr, lazy, skip, check, opens, group, anywhere)
        self._has_groups = self._has_groups or anywhere or group != 0
        found = self._terminals.get(key)
        if found is None:
            lexeme = Lexeme(expr, name, lazy, skip, check, opens, (), group, anywhere)
            found = self._terminals[key] = self._lexeme(lexeme)
        return found

    def special(self, tokens: tuple[int, ...], name: str) -> int:
        """The symbol of a lexeme that is one of these special tokens, given by their ids."""
        key = ("special", tokens)
        found = self._terminals.get(key)
        if found is None:
            found = self._terminals[key] = self._lexeme(Lexeme(NOTHING, name, tokens=tokens))
        return found

    def plain(self, expr: int, name: str = "") -> int:
        """The symbol of a lexeme that is nothing but an expression."""
        found = self._plain.get(expr)
        if found is None:
            found = self._plain[expr] = self._lexeme(plain_lexeme(expr, name))
        return found

    def _lexeme(self, lexeme: Lexeme) -> int:
        self._lexemes.append(lexeme)
        if not len(self._lexemes) % 256:
            turn()
        return 2 * len(self._lexemes) - 2

    def separate(self, expr: int, name: str = "") -> int:
        """The symbol of a lexeme of its own, also where another lexeme has the same expression."""
        return self._lexeme(plain_lexeme(expr, name))

    def skip(self, expr: int, name: str = "") -> None:
        """Allow a lexeme between any two others, before the first and after the last."""
        self.terminal(expr, name, skip=True)

    def nonterminal(self, name: str = "") -> int:
        """A new nonterminal."""
        self._names.append(name)
        return 2 * len(self._names) - 1

    def parametric(self, bits: int, name: str = "", *, joined: bool = False) -> int:
        """A new nonterminal with a parameter of this many bits and two counters; see `Parametric` for `joined`."""
        symbol = self.nonterminal(name)
        self._parametric.append(Parametric(symbol >> 1, bits, joined))
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
        sets: int = 0,
        settled: tuple[int, int] = (0, 0),
        guards: tuple[Guard, ...] = (),
        beside: int | None = None,
    ) -> None:
        """Add a production of a parametric nonterminal; see `Template`.

        `lhs` and `again` are symbols here; in a `Template`, `head` and `again` are numbers of nonterminals. The `rhs`
        of a production with `again` must contain a terminal.

        Raises:
            LimitError: there are too many productions of parametric nonterminals.
        """
        if len(self._templates) >= self.limits.rules:
            raise LimitError("rules", self.limits.rules, "the grammar has too many productions")
        next_one = None if again is None else again >> 1
        self._templates.append(
            Template(lhs >> 1, tuple(rhs), next_one, bit, need, counts, add, sets, settled, guards, beside)
        )

    def add(self, lhs: int, rhs: Sequence[int]) -> None:
        """Add a production; an empty right-hand side derives the empty text.

        Raises:
            LimitError: there are too many productions.
        """
        if len(self._productions) >= self._most:
            raise LimitError("rules", self.limits.rules, "the grammar has too many productions")
        self._productions.append(lhs >> 1, rhs)
        if not len(self._productions) % 256:
            turn()

    def seq(self, symbols: Sequence[int], name: str = "") -> int:
        """A symbol that stands for these symbols, one after another."""
        if len(symbols) == 1:
            return symbols[0]
        return self._share(("seq", *symbols), name, [symbols])

    def choice(self, symbols: Iterable[int], name: str = "") -> int:
        """A symbol that stands for any one of these symbols. If there are no symbols, it matches nothing."""
        unique = tuple(dict.fromkeys(symbols))
        if len(unique) == 1:
            return unique[0]
        return self._share(("choice", *unique), name, [(symbol,) for symbol in unique])

    def optional(self, symbol: int, name: str = "") -> int:
        """A symbol for `symbol` or nothing."""
        return self._share(("optional", symbol), name, [(symbol,), ()])

    def star(self, symbol: int, name: str = "") -> int:
        """A symbol for any number of `symbol`. It is left-recursive: all lengths lead to the same parser row."""
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
        """A symbol for lo to hi (None: no upper bound) of `symbol`.

        The size of the productions that are added grows linearly with hi, or with lo if hi is None.
        """
        if hi is None:
            if lo == 0:
                return self.star(symbol, name)
            if lo == 1:
                return self.plus(symbol, name)
            return self.seq([symbol] * (lo - 1) + [self.plus(symbol)], name)
        # up_to(k) is nothing, or one `symbol` and then up_to(k - 1). Each step of this right recursion has a constant
        # cost, because the recursion is at the end of its production.
        tail = self.seq([])
        for _ in range(hi - lo):
            tail = self._share(("up_to", symbol, tail), name, [(), (symbol, tail)])
        if lo == 0:
            return tail
        return self.seq([symbol] * lo + ([tail] if hi > lo else []), name)

    def skips_of(self, grammar: GrammarIR, lexemes: Sequence[int]) -> int | None:
        """A symbol for what another grammar skips at one place; None if it skips nothing.

        Args:
            grammar: the other grammar.
            lexemes: by the number of each of its lexemes, the symbol that stands for it here.
        """
        skips = [symbol for symbol, lexeme in zip(lexemes, grammar.lexemes, strict=True) if lexeme.skip]
        if not skips:
            return None
        skip = self.choice(skips)
        return self.optional(skip) if grammar.single_skip else self.star(skip)

    def embed(self, grammar: GrammarIR, lexemes: Sequence[int], after: int | None) -> int:
        """Add the productions of another grammar, and return the symbol of its start.

        Args:
            grammar: the other grammar.
            lexemes: by the number of each of its lexemes, the symbol that stands for it here.
            after: a symbol that follows each lexeme; None for none.

        Raises:
            LimitError: there are too many productions.
        """
        first = len(self._names)
        self._names += grammar.names
        own = {one.last_lexeme() for one in grammar.templates if one.guards or one.beside is not None}
        if own:
            # (what they read depends on each other, so they are not shared with other parts)
            lexemes = [
                self._lexeme(self._lexemes[symbol >> 1]) if number in own else symbol
                for number, symbol in enumerate(lexemes)
            ]
        if len(self._productions) + len(grammar.productions) > self._most:
            raise LimitError("rules", self.limits.rules, "the grammar has too many productions")
        self._productions.extend_from(grammar.productions, first, lexemes, after)
        for family in grammar.parametric:
            self._parametric.append(Parametric(family.number + first, family.bits, family.joined))
        for one in grammar.templates:
            rhs: list[int] = []
            for symbol in one.rhs:
                if symbol & 1:
                    rhs.append(symbol + 2 * first)
                else:
                    rhs.append(lexemes[symbol >> 1])
                    if after is not None:
                        rhs.append(after)
            again = None if one.again is None else 2 * (one.again + first) + 1
            self.add_template(
                2 * (one.head + first) + 1,
                rhs,
                again,
                bit=one.bit,
                need=one.need,
                counts=one.counts,
                add=one.add,
                sets=one.sets,
                settled=one.settled,
                guards=tuple([replace(guard, lexeme=lexemes[guard.lexeme] >> 1) for guard in one.guards]),
                beside=None if one.beside is None else lexemes[one.beside] >> 1,
            )
        return grammar.start + 2 * first

    def finish(
        self,
        start: int,
        *,
        kind: str = "",
        single_skip: bool = False,
        delimited: bool = False,
        warnings: Iterable[str] = (),
        family: str = "",
        rules: int = 0,
        groups: Sequence[LexemeGroup] = (),
        apart: bool = False,
        correct_prefix: bool = False,
        notes: Iterable[RuleNote] = (),
    ) -> GrammarIR:
        """The finished grammar. See `GrammarIR` for the arguments; `start` may also be a terminal. A grammar in which
        lexemes have groups or end anywhere is never delimited.

        The builder must not be used after this.
        """
        # (the engine then asks in each configuration whether the text can be completed)
        delimited = delimited and not self._has_groups
        assert delimited or not self._checks, "checks need a delimited grammar"
        if single_skip:
            # (otherwise a skip could follow a terminal that is a skip, too)
            skips = {lexeme.expr for lexeme in self._lexemes if lexeme.skip}
            others = {lexeme.expr for lexeme in self._lexemes if not lexeme.skip}
            assert skips.isdisjoint(others), "a terminal is also a skip, of which only one may stand in a place"
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
            family,
            rules,
            tuple(groups),
            apart,
            correct_prefix,
            notes=tuple(notes),
        )

    def _share(self, key: tuple[object, ...], name: str, bodies: Iterable[Sequence[int]]) -> int:
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = self.nonterminal(name)
            for body in bodies:
                self.add(found, body)
        return found
