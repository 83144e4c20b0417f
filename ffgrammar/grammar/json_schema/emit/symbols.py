# cython: language_level=3
"""The symbols that all parts of a schema's grammar are made of, and the rules between them: equal ones are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarBuilder
from ffgrammar.grammar.json_schema.emit.layout import Layout
from ffgrammar.grammar.json_schema.normalize.shape import Conj
from ffgrammar.grammar.json_schema.numbers.multiples import Multiples
from ffgrammar.grammar.json_schema.spec.options import Options
from ffgrammar.grammar.json_schema.strings.strings import Strings
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["Symbols"]


class Symbols:
    """What arrays and objects are written with; `Emitter` makes the symbols of values.

    Attributes:
        combiner: the Combiner, which has the shapes of conjunctions.
    """

    def __init__(
        self,
        store: ExprStore,
        limits: Limits,
        strings: Strings,
        multiples: Multiples,
        combiner: Any,
        options: Options,
        keys_apart: bool,
    ) -> None:
        self.store = store
        self.limits = limits
        self.strings = strings
        self.multiples = multiples
        self.combiner = combiner
        self.any_order = options.property_order == "any"
        self.builder = builder = GrammarBuilder(store, limits)
        literal = store.literal
        self.left_brace = builder.terminal(literal(b"{"))
        self.right_brace = builder.terminal(literal(b"}"))
        self.left_bracket = builder.terminal(literal(b"["))
        self.right_bracket = builder.terminal(literal(b"]"))
        self.layout = Layout(builder, store, options, keys_apart)
        self.comma = self.layout.comma()
        self.colon = self.layout.colon()
        # what derives nothing at all
        self.never = builder.nonterminal("never")
        self.keys: dict[str, tuple[int, ...]] = {}
        # parametric nonterminals by what they are made of
        self.shared: dict[tuple[object, ...], int] = {}
        self._rules: dict[tuple[tuple[int, ...], ...], int] = {}

    def symbol(self, conj: Conj, depth: int) -> int:
        """The symbol of the values that obey a conjunction."""
        raise NotImplementedError

    def rule(self, bodies: Sequence[tuple[int, ...]], name: str = "") -> int:
        """A symbol for any of the symbol sequences; equal rules are one symbol."""
        if len(bodies) == 1:
            return self.builder.seq(bodies[0], name)
        key = tuple(bodies)
        found = self._rules.get(key)
        if found is None:
            found = self._rules[key] = self.builder.nonterminal(name)
            for body in bodies:
                self.builder.add(found, body)
        return found

    def growing(self, bodies: Sequence[tuple[int, ...]], more: Sequence[tuple[int, ...]], name: str = "") -> int:
        """A symbol for one of the bodies, and then any number of `more`; left recursive."""
        key = (*bodies, (), *more)
        found = self._rules.get(key)
        if found is None:
            found = self._rules[key] = self.builder.nonterminal(name)
            for body in bodies:
                self.builder.add(found, body)
            for body in more:
                self.builder.add(found, (found, *body))
        return found
