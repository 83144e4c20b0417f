# cython: language_level=3
"""What a part of a rule becomes: an expression as long as it can, else symbols.

A part is a sequence of expressions and symbols. Expressions that stand side by side are one. So in `"{" ws pair`, where
`pair` is recursive, the first two are one lexeme.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.gbnf.source import Op, error_at, place
from ffgrammar.grammar.gbnf.tokens import Vocabulary
from ffgrammar.regex.expr.store import EMPTY, NOTHING, ExprStore

__all__ = ["NO_TEXT", "Excluded", "Part", "Parts"]

# A longer literal is not kept as bytes. (Rules that use others twice would double its length again and again.)
MAX_LITERAL = 1000
_BYTES = bytes(range(256))


class Excluded(NamedTuple):
    """Any one token but some, which has no symbol until it is repeated.

    Attributes:
        ids: the tokens that it is not.
        offset, written: where and how it stands in the text.
    """

    ids: frozenset[int]
    offset: int
    written: str


class Part(NamedTuple):
    """A part of a rule.

    Attributes:
        items: what stands one after another: symbols, and ~e for expressions e. No two expressions are neighbours. None
            stands for no text at all, where only `excluded` is an alternative.
        literal: the bytes, if the part is exactly these; else None.
        excluded: a further alternative.
    """

    items: tuple[int, ...] | None
    literal: bytes | None = None
    excluded: Excluded | None = None


NO_TEXT = Part((), b"")


class Parts:
    """Makes parts from parts. A method raises LimitError where the builder or the store does.

    Args:
        text: the whole grammar, for errors.
        builder: makes the symbols.
        vocabulary: has the special tokens.

    Attributes:
        name: the rule that is being read, for the names of symbols.
    """

    def __init__(self, text: str, builder: GrammarBuilder, vocabulary: Vocabulary) -> None:
        self.text = text
        self.builder = builder
        self.store: ExprStore = builder.store
        self.vocabulary = vocabulary
        self.name = ""
        # By the symbol of a choice, its alternatives.
        self.choices: dict[int, list[Part]] = {}

    # From parts to expressions and symbols

    def expression(self, part: Part) -> int | None:
        """The expression of a part; None if it has symbols."""
        items = part.items
        if part.excluded is not None or items is None or len(items) > 1:
            return None
        if not items:
            return EMPTY
        return ~items[0] if items[0] < 0 else None

    def symbols(self, part: Part) -> tuple[int, ...]:
        """The symbols of a part, one after another."""
        self.refuse_excluded(part)
        if part.literal:
            return (self.builder.terminal(self.store.literal(part.literal), json.dumps(part.literal.decode())),)
        return tuple(self.builder.terminal(~one, self.name) if one < 0 else one for one in part.items or ())

    def symbol(self, part: Part) -> int:
        """One symbol for a part."""
        return self.builder.seq(self.symbols(part), self.name)

    def refuse_excluded(self, part: Part) -> None:
        """Refuse *any token but some* where it is not repeated, with an UnsupportedError."""
        if part.excluded is not None:
            written = part.excluded.written
            message = (
                f"one token other than some has no bounded text, so {written} is supported only where it is repeated: "
                f"{written}* or {written}+"
            )
            raise error_at(self.text, part.excluded.offset, message, UnsupportedError)

    # From parts to parts

    def text_part(self, value: str) -> Part:
        data = value.encode()
        return Part((~self.store.literal(data),), data) if data else NO_TEXT

    def expr_part(self, expr: int) -> Part:
        return NO_TEXT if expr == EMPTY else Part((~expr,))

    def sequence(self, parts: Sequence[Part]) -> Part:
        if len(parts) == 1:
            return parts[0]
        items: list[int] = []
        run: list[int] = []
        for part in parts:
            self.refuse_excluded(part)
            for one in part.items or ():
                if one < 0:
                    run.append(~one)
                else:
                    self.flush(items, run)
                    items.append(one)
        self.flush(items, run)
        literals = [part.literal for part in parts if part.literal is not None]
        known = len(literals) == len(parts) and sum(map(len, literals)) <= MAX_LITERAL
        return Part(tuple(items), b"".join(literals) if known else None)

    def flush(self, items: list[int], run: list[int]) -> None:
        if run:
            expr = run[0] if len(run) == 1 else self.store.concat(run)
            if expr != EMPTY:
                items.append(~expr)
            run.clear()

    def alternatives(self, parts: Sequence[Part]) -> tuple[list[Part], Excluded | None]:
        """Alternatives, of which at most one is an expression; and the one that is any token but some."""
        literals: list[bytes] = []
        exprs: list[int] = []
        others: dict[Part, None] = {}
        excluded: Excluded | None = None
        for part in parts:
            if part.excluded is not None:
                ids = part.excluded.ids if excluded is None else excluded.ids & part.excluded.ids
                excluded = part.excluded._replace(ids=ids)
                part = Part(part.items)
            expr = self.expression(part)
            if part.literal is not None:
                literals.append(part.literal)
            elif expr is not None:
                exprs.append(expr)
            elif part.items is not None:
                others[part] = None
        if literals:
            exprs.append(self.store.literals(literals))
        found = list(others)
        if len(literals) == 1 and len(exprs) == 1:
            found.insert(0, Part((~exprs[0],) if literals[0] else (), literals[0]))
        elif exprs:
            found.insert(0, self.expr_part(exprs[0] if len(exprs) == 1 else self.store.union(exprs)))
        return found, excluded

    def choice(self, parts: Sequence[Part]) -> Part:
        found, excluded = self.alternatives(parts)
        if not found:
            return Part(None, None, excluded)
        if len(found) == 1:
            return found[0]._replace(excluded=excluded)
        symbols = [self.symbol(part) for part in found if part != NO_TEXT]
        symbol = self.builder.choice(symbols, self.name)
        if len(symbols) < len(found):
            symbol = self.builder.optional(symbol, self.name)
        self.choices[symbol] = found
        return Part((symbol,), None, excluded)

    def repeat(self, part: Part, op: Op) -> Part:
        lo, hi = op.argument
        expr = self.expression(part)
        if expr is not None:
            return self.expr_part(self.store.repeat(expr, lo, hi))
        if hi is None and lo <= 1:
            others, expr = self.divided(part)
            return self.interleaved(others, expr, lo)
        limits = self.builder.limits
        if max(lo, hi or 0) > limits.rules:
            line, column = place(self.text, op.offset)
            raise LimitError("rules", limits.rules, "too many repetitions", f"at line {line}, column {column}")
        symbol = self.symbol(part)
        if (lo, hi) == (0, 1):
            return Part((self.builder.optional(symbol, self.name),))
        return Part((self.builder.repeat(symbol, lo, hi, self.name),))

    def divided(self, part: Part) -> tuple[list[int], int]:
        """The alternatives of a part that are symbols, and the expression of the others."""
        items = part.items
        found = [] if items is None else [part._replace(excluded=None)]
        if items is not None and len(items) == 1:
            found = self.choices.get(items[0], found)
        exprs = [self.expression(one) for one in found]
        others = [self.symbol(one) for one, expr in zip(found, exprs, strict=True) if expr is None]
        if part.excluded is None:
            return others, self.store.union([expr for expr in exprs if expr is not None])
        special = self.vocabulary.others(part.excluded.ids)
        if special:
            others.append(self.builder.special(special, part.excluded.written))
        return others, self.store.byte_set(_BYTES)

    def interleaved(self, others: list[int], expr: int, lo: int) -> Part:
        """Any number of symbols and texts of an expression, or at least one.

        There are as few lexemes as can be: neighbouring texts of the expression are one.
        """
        store, builder = self.store, self.builder
        texts = store.repeat(expr, 0, None)
        if not others:
            return self.expr_part(store.repeat(expr, lo, None))
        other = builder.choice(others, self.name)
        after = builder.seq([other, *self.symbols(self.expr_part(texts))], self.name)
        if lo == 0 or store.is_nullable(expr):
            return self.sequence([self.expr_part(texts), Part((builder.star(after, self.name),))])
        only_others = builder.plus(after, self.name)
        if expr == NOTHING:
            return Part((only_others,))
        some = self.symbols(self.expr_part(store.repeat(expr, 1, None)))
        first = builder.seq([*some, builder.star(after, self.name)], self.name)
        return Part((builder.choice([first, only_others], self.name),))
