# cython: language_level=3, nonecheck=True
"""The symbols that arrays and objects are written with, and the rules that are made of them. Equal rules get one
symbol."""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.emit.layout import Layout
from ffgrammar.grammar.json_schema.normalize.normalizer import Normalizer
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import FRAC
from ffgrammar.grammar.json_schema.spec.options import Options
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["ClausesRefused", "Symbols"]


class ClausesRefused(Exception):
    """Objects with clauses cannot be written (see clauses.py), so the schema has to be read again without clauses."""


class Symbols:
    """The symbols that arrays and objects are written with. The subclass `Emitter` adds the symbols of values.

    Attributes:
        store, limits: as given.
        subschemas, strings, multiples, warnings, negation, combiner: those of the normalizer.
        builder: the builder of the grammar.
        any_order: whether properties may come in any order.
        left_brace, right_brace, left_bracket, right_bracket, comma, colon: the symbols of these marks.
        layout: the marks with their whitespace.
        never: a symbol that derives nothing.
        keys: the symbols of a key and its colon, by the name of the property.
        promised: symbols that must derive something, because objects with clauses, or keys that patterns match, rely on
            it (see clauses.py and matched_keys.py).
        shared: what is made once and used again: symbols of parametric nonterminals, and numbers of subschemas. The key
            says what each is made from.
        dead_end_steps: how many steps the search for dead ends has taken (see dead_ends.py).
    """

    def __init__(
        self, store: ExprStore, limits: Limits, normalizer: Normalizer, options: Options, keys_apart: bool
    ) -> None:
        self.store = store
        self.limits = limits
        self.subschemas = normalizer.subschemas
        self.strings = normalizer.strings
        self.multiples = normalizer.multiples
        self.warnings = normalizer.warnings
        self.negation = normalizer.negation
        self.combiner = normalizer.combiner
        self.any_order = options.property_order == "any"
        self.builder = builder = GrammarBuilder(store, limits)
        literal = store.literal
        self.left_brace = builder.plain(literal(b"{"))
        self.right_brace = builder.plain(literal(b"}"))
        self.left_bracket = builder.plain(literal(b"["))
        self.right_bracket = builder.plain(literal(b"]"))
        self.layout = Layout(builder, store, options, keys_apart)
        self.comma = self.layout.comma()
        self.colon = self.layout.colon()
        self.never = builder.nonterminal("never")
        self.keys: dict[str, tuple[int, ...]] = {}
        self.promised: set[int] = set()
        self.shared: dict[tuple[object, ...], int] = {}
        self.dead_end_steps = 0
        self._rules: dict[tuple[tuple[int, ...], ...], int] = {}

    def symbol(self, conj: Conj, depth: int) -> int:
        """The symbol of the values that obey a conjunction, at a depth of nesting."""
        raise NotImplementedError

    def number(self, shape: Shape) -> int:
        """The expression of the numbers of a shape."""
        plain_integers = self.combiner.plain_integers
        if shape.numbers is not None:
            return self.multiples.numbers.values(shape.numbers, plain_integers and not shape.types & FRAC)
        return self.multiples.of(shape, plain_integers)

    def with_hole(self, conj: Conj, holes: Conj, hole: int) -> int | None:
        """The symbol of a conjunction in which a symbol stands for another conjunction; see `Emitter`."""
        raise NotImplementedError

    def rule(self, bodies: Sequence[tuple[int, ...]], name: str = "") -> int:
        """A symbol that stands for any one of these sequences of symbols. Equal rules are one symbol."""
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
        """A symbol that stands for one of the bodies, and then any number of the bodies in `more`.

        The rule is left recursive.
        """
        key = (*bodies, (), *more)
        found = self._rules.get(key)
        if found is None:
            found = self._rules[key] = self.builder.nonterminal(name)
            for body in bodies:
                self.builder.add(found, body)
            for body in more:
                self.builder.add(found, (found, *body))
        return found
