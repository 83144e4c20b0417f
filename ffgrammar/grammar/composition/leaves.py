"""The leaves of a composition as grammars whose expressions lie in one store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.grammar.composition.free_texts import FreeTexts
from ffgrammar.grammar.composition.joints import FAMILIES, FREE, Edges
from ffgrammar.grammar.composition.parts import Literal, Part, SpecialToken, Text, Whole
from ffgrammar.grammar.edges import first_bytes, next_bytes
from ffgrammar.grammar.grammar_edges import grammar_edges
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.grammar.names import no_special_token
from ffgrammar.regex.expr.packed import pack, unpack
from ffgrammar.regex.expr.store import NOTHING, ExprStore

__all__ = ["Family", "Leaf", "free_edges", "leaf_edges", "read_leaf", "special_ids"]


@dataclass(frozen=True)
class Leaf:
    """A leaf as lexemes and productions.

    Attributes:
        lexemes: the lexemes; their expressions lie in the store of the composition.
        grammar: where the productions are; None for a leaf that is the only lexeme.
        open_ended: the expressions of the lexemes that end anywhere where they are the last of a text.
    """

    lexemes: tuple[Lexeme, ...]
    grammar: GrammarIR | None = None
    open_ended: frozenset[int] = frozenset()

    @property
    def is_simple(self) -> bool:
        """Whether it is one lexeme, or of a family: then longest match loses no text inside it, and after one of its
        texts nothing can begin but a skip."""
        grammar = self.grammar
        return grammar is None or bool(grammar.family) or (grammar.delimited and len(grammar.productions) == 1)


def read_leaf(part: Part, store: ExprStore, free: FreeTexts) -> Leaf:
    """The lexemes of a leaf, with expressions in `store`; those of free texts are made by `free`.

    Raises:
        UnsupportedError: the leaf has indentation or words (`GrammarIR.skips_in`, `GrammarIR.words`).
    """
    if isinstance(part, Literal):
        return Leaf((Lexeme(store.literal(part.text), repr(part.text)[1:]),))
    if isinstance(part, Text):
        return Leaf((Lexeme(free.expr(part), "text"),))
    assert isinstance(part, Whole)
    grammar = part.grammar
    if grammar.skips_in or grammar.words:
        message = "a grammar with %indenter or %words cannot be part of another one: compile it alone"
        raise UnsupportedError(message)
    packed = part.paused(lambda: [pack(grammar.store, lexeme.expr) for lexeme in grammar.lexemes])
    lexemes = [lexeme.in_store(unpack(store, expr)) for expr, lexeme in zip(packed, grammar.lexemes, strict=True)]
    return Leaf(tuple(lexemes), grammar)


def special_ids(part: SpecialToken, special_tokens: Mapping[str, int]) -> tuple[int, ...]:
    """The ids of a special token that is a part.

    Raises:
        GrammarError: the tokenizer has no such special token.
    """
    every = set(special_tokens.values())
    named = set()
    for token in part.tokens:
        number = special_tokens.get(token) if isinstance(token, str) else token
        if number not in every:
            raise GrammarError(no_special_token(token, special_tokens))
        named.add(number)
    ids = every - named if part.excluded else named
    if not ids:
        raise GrammarError("the tokenizer has no special token but those excluded")
    return tuple(sorted(ids))


def leaf_edges(leaf: Leaf, store: ExprStore, family: Family, named: Callable[[Iterable[object]], int]) -> Edges:
    """How a leaf begins and ends.

    Args:
        leaf: the leaf.
        store: has its expressions.
        family: what its lexemes belong to.
        named: the set that stands for special tokens, given by their ids.
    """
    lexemes = leaf.lexemes
    grammar = leaf.grammar
    if grammar is None:
        (only,) = lexemes
        first = {0}
        more: Iterable[int] = ()
        ended, nullable = only.expr, store.is_nullable(only.expr)
    else:
        found = grammar_edges(grammar, lexemes, store)
        skips = {number for number, lexeme in enumerate(lexemes) if lexeme.skip}
        first = skips.union(found.first)
        more = skips if leaf.is_simple else range(len(lexemes))
        ended, nullable = found.ended, found.nullable
    family.members.update(lexeme.expr for lexeme in lexemes)
    exclusive = not leaf.is_simple

    def begin(numbers: Iterable[int]) -> int:
        tokens = named(token for number in numbers for token in lexemes[number].tokens)
        return tokens | family.first_bytes(lexemes[number].expr for number in numbers)

    return Edges(family, begin(first), nullable, lambda: family.going_on(ended), begin(more), exclusive)


def free_edges(
    part: Text, leaf: Leaf, store: ExprStore, family: Family, number: int, named: Callable[[Iterable[object]], int]
) -> Edges:
    """How a free text begins and ends that shares its stops with others.

    Args:
        part: the text.
        leaf: its lexeme.
        store: has its expression.
        family: the texts with the same stops.
        number: the number of the family.
        named: the set that stands for the ends of free texts.
    """
    expr = leaf.lexemes[0].expr
    family.members.add(expr)
    first = named((part.stops, end) for end in part.until or (None,))
    first |= family.first_bytes([expr]) << FREE | 1 << FAMILIES + number
    # (a text that ends with a stop cannot go on)
    going_on = int if part.until else lambda: family.going_on(expr)
    return Edges(family, first, store.is_nullable(expr), going_on)


class Family:
    """Lexemes that never lose a text to each other.

    Attributes:
        members: their expressions.

    Args:
        store: has the expressions.
        limit: the bytes with which a member may go on after a sentence; bit b of the int stands for byte b. What cannot
            be found out in time is one of them.
    """

    def __init__(self, store: ExprStore, limit: int = -1) -> None:
        self.members: set[int] = set()
        self._store = store
        self._limit = limit
        self._whole = NOTHING
        self._first: dict[int, int] = {}
        self._going_on: dict[int, int] = {}

    def first_bytes(self, exprs: Iterable[int]) -> int:
        """The bytes with which texts of some expressions begin."""
        found = 0
        for expr in exprs:
            if expr not in self._first:
                self._first[expr] = first_bytes(self._store, expr)
            found |= self._first[expr]
        return found

    def going_on(self, ended: int) -> int:
        """The bytes with which a lexeme may go on after a text of `ended`. All members must be known."""
        if ended not in self._going_on:
            if self._whole == NOTHING:
                self._whole = self._store.union(sorted(self.members))
            self._going_on[ended] = next_bytes(self._store, ended, self._whole) & self._limit
        return self._going_on[ended]
