# cython: language_level=3
"""What a part of a rule becomes: an expression as long as it can, else symbols.

A part is a sequence of expressions and symbols. Expressions that stand side by side are one. So in `"{" ws pair`, where
`pair` is recursive, the first two are one lexeme.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.gbnf.source import Op, error_at, place
from ffgrammar.grammar.gbnf.tokens import Vocabulary
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, ExprStore

__all__ = ["NO_TEXT", "Excluded", "Part", "Parts"]

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
        items: what stands one after another: symbols, and ~e for expressions e. No two expressions are neighbours. None:
            no text at all, where only `excluded` is an alternative.
        literal: the bytes, if the part is exactly these; else None.
        excluded: a further alternative.
    """

    items: tuple[int, ...] | None
    literal: bytes | None = None
    excluded: Excluded | None = None


NO_TEXT = Part((), b"")


class Parts:
    """Makes parts of parts.

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
        literals = [part.literal for part in parts]
        whole = None if None in literals else b"".join(one for one in literals if one is not None)
        return Part(tuple(items), whole)

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
        if NO_TEXT in found:
            found.remove(NO_TEXT)
            rest = self.builder.choice([self.symbol(part) for part in found], self.name)
            return Part((self.builder.optional(rest, self.name),), None, excluded)
        return Part((self.builder.choice([self.symbol(part) for part in found], self.name),), None, excluded)

    def repeat(self, part: Part, op: Op) -> Part:
        lo, hi = op.argument
        if part.excluded is not None and lo <= 1 and hi is None:
            return self.any_tokens(part, lo)
        self.refuse_excluded(part)
        expr = self.expression(part)
        if expr is not None:
            return self.expr_part(self.store.repeat(expr, lo, hi))
        limits = self.builder.limits
        if max(lo, hi or 0) > limits.rules:
            line, column = place(self.text, op.offset)
            raise LimitError("rules", limits.rules, f"line {line}, column {column}: too many repetitions")
        symbol = self.symbol(part)
        if (lo, hi) == (0, 1):
            return Part((self.builder.optional(symbol, self.name),))
        return Part((self.builder.repeat(symbol, lo, hi, self.name),))

    def any_tokens(self, part: Part, lo: int) -> Part:
        """Any number of `part`, or at least one, where one of its alternatives is any token but some."""
        assert part.excluded is not None
        builder = self.builder
        special = self.vocabulary.others(part.excluded.ids)
        if part.items is not None:
            alternatives = [self.symbol(part._replace(excluded=None)), builder.terminal(self.store.byte_set(_BYTES))]
            if special:
                alternatives.append(builder.special(special, part.excluded.written))
            return Part((builder.repeat(builder.choice(alternatives), lo, None),))
        if not special:
            return self.expr_part(self.store.repeat(self.store.byte_set(_BYTES), lo, None))
        text = builder.terminal(ANY_BYTES, "any text")
        pair = builder.seq([builder.special(special, part.excluded.written), text])
        if lo == 0:
            return Part((text, builder.star(pair)))
        some = builder.terminal(self.store.repeat(self.store.byte_set(_BYTES), 1, None), "some text")
        return Part((builder.choice([builder.seq([some, builder.star(pair)]), builder.plus(pair)]),))

    def check_found(self, found: bool, offset: int, name: str) -> None:
        if not found:
            raise error_at(self.text, offset, f"no text at all matches {name}", GrammarError)
