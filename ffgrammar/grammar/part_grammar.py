"""What a symbol of a grammar derives, as a grammar of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR, LexemeGroup
from ffgrammar.grammar.productions import Productions
from ffgrammar.regex.expr.packed import pack, unpack
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["PartGrammars"]


class PartGrammars:
    """Makes grammars of the symbols of one grammar.

    Args:
        whole: the grammar. It has no skips.
    """

    def __init__(self, whole: GrammarIR) -> None:
        self._whole = whole
        self._bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, body in whole.productions:
            self._bodies.setdefault(head, []).append(body)
        self._templates: dict[int, list[int]] = {}
        for number, template in enumerate(whole.templates):
            self._templates.setdefault(template.head, []).append(number)

    def of(self, symbol: int, limits: Limits) -> GrammarIR:
        """The grammar of a symbol. No other thread may make expressions in the whole grammar's store meanwhile.

        Raises:
            LimitError: a bound of the expressions was reached.
        """
        whole = self._whole
        # (the start is new, because the symbol may be a lexeme or parametric)
        start = len(whole.names)
        heads, lexemes, templates = self._reached(symbol)
        nonterminals = {one: number for number, one in enumerate([start, *heads])}
        terminals = {one: number for number, one in enumerate(lexemes)}

        def renamed(symbols: Iterable[int]) -> tuple[int, ...]:
            return tuple(2 * nonterminals[one >> 1] + 1 if one & 1 else 2 * terminals[one >> 1] for one in symbols)

        productions = Productions()
        productions.append(0, renamed([symbol]))
        for head in heads:
            for body in self._bodies.get(head, ()):
                productions.append(nonterminals[head], renamed(body))
        store = ExprStore(limits)
        moved = [whole.lexemes[number].in_store(_moved(whole, store, number)) for number in lexemes]
        return replace(
            whole,
            store=store,
            lexemes=tuple(moved),
            productions=productions,
            names=("start", *[whole.names[head] for head in heads]),
            start=1,
            parametric=tuple(
                replace(one, number=nonterminals[one.number]) for one in whole.parametric if one.number in nonterminals
            ),
            templates=tuple(
                replace(
                    one,
                    head=nonterminals[one.head],
                    rhs=renamed(one.rhs),
                    again=None if one.again is None else nonterminals[one.again],
                    guards=tuple([replace(guard, lexeme=terminals[guard.lexeme]) for guard in one.guards]),
                    beside=None if one.beside is None else terminals[one.beside],
                )
                for one in (whole.templates[number] for number in templates)
            ),
            checks=whole.checks if any(one.check is not None or one.opens for one in moved) else (),
            rules=0,
            groups=tuple(_group(one, terminals) for one in whole.groups),
            outline=(),
        )

    def _reached(self, symbol: int) -> tuple[list[int], list[int], list[int]]:
        """The nonterminals, lexemes and templates that a symbol needs, in the order of their numbers."""
        seen = {symbol}
        stack = [symbol] if symbol & 1 else []
        templates: list[int] = []
        while stack:
            head = stack.pop() >> 1
            found = [one for body in self._bodies.get(head, ()) for one in body]
            for number in self._templates.get(head, ()):
                template = self._whole.templates[number]
                templates.append(number)
                found += [*template.rhs, *[2 * guard.lexeme for guard in template.guards]]
                found += [
                    *([] if template.beside is None else [2 * template.beside]),
                    *([] if template.again is None else [2 * template.again + 1]),
                ]
            for one in found:
                if one not in seen:
                    seen.add(one)
                    stack += [one] if one & 1 else []
        heads = sorted(one >> 1 for one in seen if one & 1)
        return heads, sorted(one >> 1 for one in seen if not one & 1), sorted(templates)


def _moved(whole: GrammarIR, store: ExprStore, number: int) -> int:
    """The expression of a lexeme in another store."""
    return unpack(store, pack(whole.store, whole.lexemes[number].expr))


def _group(group: LexemeGroup, terminals: dict[int, int]) -> LexemeGroup:
    return replace(group, skips=tuple(terminals[one] for one in group.skips if one in terminals))
