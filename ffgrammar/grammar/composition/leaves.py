"""The leaves of a composition as grammars whose expressions lie in one store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.composition.edges import edge_lexemes, first_bytes, next_bytes
from ffgrammar.grammar.composition.joints import Edges
from ffgrammar.grammar.composition.parts import Literal, Part, SpecialToken, Text, Whole
from ffgrammar.grammar.derives import derives
from ffgrammar.grammar.ir import GrammarIR, Lexeme
from ffgrammar.grammar.productions import Productions
from ffgrammar.regex.expr.packed import pack, unpack
from ffgrammar.regex.expr.store import ANY_BYTES, ExprStore
from ffgrammar.regex.lower.tree_walk import any_text

__all__ = ["Leaf", "read_leaf", "special_ids"]

# How many pairs of expressions are visited to find with which bytes a leaf may go on.
MOST_PAIRS = 2000


@dataclass(frozen=True)
class Leaf:
    """A leaf as lexemes and productions.

    Attributes:
        lexemes: the lexemes; their expressions lie in the store of the composition.
        grammar: where the productions are; None for a leaf that is the only lexeme.
    """

    lexemes: tuple[Lexeme, ...]
    grammar: GrammarIR | None = None


def read_leaf(part: Part, store: ExprStore) -> Leaf:
    """The lexemes of a leaf, with expressions in `store`."""
    if isinstance(part, Literal):
        return Leaf((Lexeme(store.literal(part.text), repr(part.text)[1:]),))
    if isinstance(part, Text):
        return Leaf((Lexeme(_text(part, store), "text"),))
    assert isinstance(part, Whole)
    grammar = part.grammar
    packed = part.paused(lambda: [pack(grammar.store, lexeme.expr) for lexeme in grammar.lexemes])
    lexemes = [
        Lexeme(
            unpack(store, expr),
            lexeme.name,
            lexeme.lazy,
            lexeme.skip,
            lexeme.check,
            lexeme.opens,
            lexeme.tokens,
        )
        for expr, lexeme in zip(packed, grammar.lexemes, strict=True)
    ]
    return Leaf(tuple(lexemes), grammar)


def _text(part: Text, store: ExprStore) -> int:
    """Any text; with `until`, any text that ends with the first of these texts in it."""
    whole = any_text(store)
    if not part.until:
        return whole
    end = store.literals(part.until)
    one_more = store.concat([store.byte_set(bytes(range(256))), ANY_BYTES])
    goes_on = store.concat([ANY_BYTES, end, one_more])
    return store.intersect([store.concat([whole, end]), whole, store.complement(goes_on)])


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
            raise GrammarError(f"the tokenizer has no special token {token!r}")
        named.add(number)
    ids = every - named if part.excluded else named
    if not ids:
        raise GrammarError("the tokenizer has no special token but those excluded")
    return tuple(sorted(ids))


def leaf_edges(leaf: Leaf, store: ExprStore, family: object) -> Edges:
    """How a leaf begins and ends."""
    lexemes = leaf.lexemes
    if leaf.grammar is None:
        (only,) = lexemes
        return Edges(
            only.expr,
            first_bytes(store, only.expr),
            store.is_nullable(only.expr),
            next_bytes(store, only.expr, only.expr, MOST_PAIRS),
        )
    productions, empty, empty_lexemes = _emptiness(leaf, store)
    start = leaf.grammar.start >> 1
    skips = {number for number, lexeme in enumerate(lexemes) if lexeme.skip}
    first = skips.union(edge_lexemes(productions, start, empty, empty_lexemes, False))
    last = skips.union(edge_lexemes(productions, start, empty, empty_lexemes, True))
    begins = 0
    for number in first:
        begins |= first_bytes(store, lexemes[number].expr)
    ended = store.union([lexemes[number].expr for number in last])
    every = store.union([lexeme.expr for lexeme in lexemes])
    return Edges(
        family,
        begins,
        bool(empty[start]),
        next_bytes(store, ended, every, MOST_PAIRS),
        exclusive=not leaf.grammar.delimited,
    )


def _emptiness(leaf: Leaf, store: ExprStore) -> tuple[Productions, bytearray, bytearray]:
    """The productions of a leaf, templates included; and which nonterminals and lexemes derive the empty text. (A template
    may ask for more than its production says. So a nonterminal may count as empty that is not.)"""
    grammar = leaf.grammar
    assert grammar is not None
    productions = grammar.productions
    if grammar.templates:
        productions = Productions(productions)
        for one in grammar.templates:
            again = () if one.again is None else (2 * one.again + 1,)
            productions.append(one.head, (*one.rhs, *again))
    empty_lexemes = bytearray(store.is_nullable(lexeme.expr) for lexeme in leaf.lexemes)
    return productions, derives(productions, len(grammar.names), empty_lexemes), empty_lexemes
