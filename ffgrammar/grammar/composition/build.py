# cython: language_level=3
"""From the parts of a composition to one grammar: the lexemes and productions of all leaves, side by side.

The skip lexemes of a leaf may stand between its own lexemes only. So they become ordinary lexemes, and each lexeme of
the leaf is followed by a nonterminal for "any skips".
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.composition.free_texts import FreeTexts
from ffgrammar.grammar.composition.joints import FAMILIES, NAMES, TEXTS, Edges, find_joints
from ffgrammar.grammar.composition.leaves import Family, Leaf, free_edges, leaf_edges, read_leaf, special_ids
from ffgrammar.grammar.composition.long_stops import check_stops
from ffgrammar.grammar.composition.open_end import OpenEnd
from ffgrammar.grammar.composition.outline import outline
from ffgrammar.grammar.composition.parts import (
    Choice,
    Literal,
    Node,
    Part,
    Repeat,
    SpecialToken,
    Text,
    Whole,
    flatten,
)
from ffgrammar.grammar.composition.parts import Sequence as PartSequence
from ffgrammar.grammar.ir import VALUE_GOES_ON, GrammarIR, Lexeme, LexemeGroup
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["build"]


def build(
    root: Part, store: ExprStore, limits: Limits, *, special_tokens: Mapping[str, int], vocabulary: str
) -> GrammarIR:
    """The grammar of a composition.

    Args:
        root: its parts.
        store: where expressions are made.
        limits: bounds on the cost of the grammar.
        special_tokens: the ids of the tokenizer's special tokens by name.
        vocabulary: the fingerprint of the tokenizer's vocabulary.

    Raises:
        GrammarError: a special token is unknown, or a grammar was compiled for another vocabulary.
        UnsupportedError: a grammar with checks stands beside a Lark grammar or may read the same text as another part,
            or a composition that was loaded from a file, or a Lark grammar with schemas, may read the same text as what
            follows it.
        LimitError: there are too many productions, a stop is too long, or a bound of the expressions was reached.
    """
    nodes, has_names = flatten(root)
    for node in nodes:
        if isinstance(node.part, Whole) and node.part.vocabulary != vocabulary:
            raise GrammarError("a part was compiled for another vocabulary")
    check_stops({stop for node in nodes if isinstance(node.part, Text) for stop in node.part.stops}, limits)
    texts = FreeTexts(store)
    leaves = {
        number: read_leaf(node.part, store, texts)
        for number, node in enumerate(nodes)
        if not node.inner and not isinstance(node.part, (SpecialToken, PartSequence, Choice))
    }
    edges = _edges(nodes, leaves, store, special_tokens)
    joints = find_joints(nodes, edges)
    apart = not joints.open_ended and not joints.shared and not any(_has_threads(leaf) for leaf in leaves.values())
    groups: dict[tuple[int, int], int] = {}
    if not apart or not all(leaf.grammar is None or leaf.grammar.delimited for leaf in leaves.values()):
        _refuse_checks(leaves)
        for number, leaf in leaves.items():
            leaves[number] = _grouped(leaf, edges[number].family, groups, joints.open_ended.get(number))
    composer = _Composer(nodes, leaves, store, limits, special_tokens)
    grammar = composer.grammar(len(groups), apart)
    if not has_names:
        return grammar
    numbers = {(type(node.part), node.part.label()): number for number, node in enumerate(nodes)}

    def leaf_symbol(part: Part) -> tuple[int, bool]:
        number = numbers[type(part), part.label()]
        return composer.symbols[number], edges[number].nullable

    return replace(grammar, outline=outline(root, lambda part: special_ids(part, special_tokens), leaf_symbol))


def _grouped(leaf: Leaf, family: Family, groups: dict[tuple[int, int], int], follow: int | None) -> Leaf:
    """A leaf whose lexemes are in groups of their family.

    Args:
        leaf: the leaf.
        family: its family.
        groups: the numbers of the groups, by family and group in the leaf; new ones are added.
        follow: the bytes that may follow, if the leaf could go on with one of them; None if not.
    """
    clashing = frozenset(lexeme.expr for lexeme in leaf.lexemes if follow and follow & family.going_on(lexeme.expr))
    open_ended: frozenset[int] = frozenset() if leaf.is_simple else clashing
    if open_ended and leaf.grammar is not None and leaf.grammar.templates:
        raise UnsupportedError(
            "a composition that was loaded from a file, or a Lark grammar with schemas, is a part that may read the "
            "same text as what follows it; compose its own parts here instead"
        )
    lexemes = []
    for lexeme in leaf.lexemes:
        group = groups.setdefault((id(family), lexeme.group), len(groups))
        # (longest match never matters inside a simple leaf, so a lexeme may end anywhere in all places)
        anywhere = lexeme.anywhere or (leaf.is_simple and lexeme.expr in clashing)
        lexemes.append(lexeme.ending(group, anywhere))
    return Leaf(tuple(lexemes), leaf.grammar, open_ended)


def _edges(
    nodes: Sequence[Node], leaves: Mapping[int, Leaf], store: ExprStore, special_tokens: Mapping[str, int]
) -> dict[int, Edges]:
    """How each leaf begins and ends."""
    names: dict[object, int] = {}

    def named(keys: Iterable[object]) -> int:
        found = 0
        for key in keys:
            found |= 1 << NAMES + names.setdefault(key, len(names))
        return found

    fixed = _fixed_texts(nodes)
    free = _free_texts(nodes)
    families: dict[object, Family] = {}
    edges = {}
    for number, node in enumerate(nodes):
        part = node.part
        if isinstance(part, SpecialToken):
            edges[number] = Edges(first=named(special_ids(part, special_tokens)))
        elif isinstance(part, Literal) and part.text in fixed:
            family = families.setdefault(Literal, Family(store))
            family.members.add(leaves[number].lexemes[0].expr)
            edges[number] = Edges(family, named([part.text]) | 1 << TEXTS + part.text[0])
        elif isinstance(part, Text) and part.stops in free:
            family = families.setdefault(part.stops, Family(store))
            edges[number] = free_edges(part, leaves[number], store, family, free[part.stops], named)
        elif number in leaves:
            key: object = number
            limit = -1
            if isinstance(part, Whole) and part.grammar.family:
                key, limit = part.grammar.family, VALUE_GOES_ON
            family = families.setdefault(key, Family(store, limit))
            edges[number] = leaf_edges(leaves[number], store, family, named)
    return edges


def _fixed_texts(nodes: Sequence[Node]) -> set[bytes]:
    """The texts of literals that are no beginning of another literal."""
    texts = sorted(node.part.text for node in nodes if isinstance(node.part, Literal))
    return {
        text for text, after in itertools.zip_longest(texts, texts[1:], fillvalue=b"") if not after.startswith(text)
    }


def _free_texts(nodes: Sequence[Node]) -> dict[frozenset[bytes], int]:
    """The stops that several free texts share, each with a number. (More than there are bits for may be lexed side by
    side, which takes longer.)"""
    counts = Counter(node.part.stops for node in nodes if isinstance(node.part, Text) and node.part.stops)
    shared = [stops for stops, count in counts.items() if count > 1]
    return {stops: number for number, stops in enumerate(shared[: NAMES - FAMILIES])}


def _has_threads(leaf: Leaf) -> bool:
    """Whether not all lexemes of a leaf compete: it is a composition itself, or has schemas."""
    if leaf.grammar is not None and leaf.grammar.apart:
        return False
    return any(lexeme.anywhere or lexeme.group != leaf.lexemes[0].group for lexeme in leaf.lexemes)


def _refuse_checks(leaves: Mapping[int, Leaf]) -> None:
    """Refuse leaves with checks where lexemes do not compete, or longest match can lose a text: a check reads one text
    only, and it is never run on trial."""
    for leaf in leaves.values():
        if leaf.grammar is not None and leaf.grammar.checks:
            raise UnsupportedError(
                "a schema with uniqueItems, or with keys that must not come twice, is in a composition with a Lark "
                "grammar, or where another part may read the same text; leave the Lark grammar out, and put a text or "
                "a special token before and after the schema that nothing beside it begins or goes on with"
            )


def _only_skips(lexemes: Sequence[Lexeme], symbols: Sequence[int]) -> list[int]:
    """The numbers of the skip lexemes, unless a rule has the same lexeme as more than a skip."""
    used = {symbol for symbol, lexeme in zip(symbols, lexemes, strict=True) if not lexeme.skip}
    skips = [number for number, lexeme in enumerate(lexemes) if lexeme.skip]
    return [] if any(symbols[number] in used for number in skips) else skips


class _Composer:
    def __init__(
        self,
        nodes: list[Node],
        leaves: dict[int, Leaf],
        store: ExprStore,
        limits: Limits,
        special_tokens: Mapping[str, int],
    ) -> None:
        self.nodes = nodes
        self.leaves = leaves
        self.limits = limits
        self.special_tokens = special_tokens
        self.builder = GrammarBuilder(store, limits)
        # the symbol of each part
        self.symbols: list[int] = []
        # what is promised of each group
        self.promises: dict[int, LexemeGroup] = {}

    def grammar(self, groups: int, apart: bool) -> GrammarIR:
        """The grammar. `groups` is how many groups its lexemes are in, and `apart` is as in a `GrammarIR`."""
        symbols = self.symbols
        for number, node in enumerate(self.nodes):
            symbols.append(self.symbol(number, node, [symbols[one] for one in node.inner]))
        wholes = [leaf.grammar for leaf in self.leaves.values() if leaf.grammar is not None]
        warnings = dict.fromkeys(warning for grammar in wholes for warning in grammar.warnings)
        delimited = all(grammar.delimited for grammar in wholes)
        return self.builder.finish(
            symbols[-1],
            kind="composition",
            delimited=delimited,
            warnings=warnings,
            groups=[self.promises[number] for number in range(groups)],
            apart=apart,
            correct_prefix=all(grammar.delimited or grammar.correct_prefix for grammar in wholes),
        )

    def symbol(self, number: int, node: Node, inner: list[int]) -> int:
        builder, part = self.builder, node.part
        if isinstance(part, PartSequence):
            return builder.seq(inner)
        if isinstance(part, Choice):
            return builder.choice(inner)
        if isinstance(part, Repeat):
            return self.repeated(part, inner[0])
        if isinstance(part, SpecialToken):
            return builder.special(special_ids(part, self.special_tokens), "special token")
        return self.leaf(self.leaves[number])

    def repeated(self, part: Repeat, symbol: int) -> int:
        if max(part.least, part.most or 0) > self.limits.rules:
            raise LimitError("rules", self.limits.rules, "too many repetitions")
        if (part.least, part.most) == (0, 1):
            return self.builder.optional(symbol)
        return self.builder.repeat(symbol, part.least, part.most)

    def leaf(self, leaf: Leaf) -> int:
        """The symbol of a leaf, whose productions are added."""
        builder, grammar = self.builder, leaf.grammar
        symbols = [self.lexeme(lexeme, grammar) for lexeme in leaf.lexemes]
        if grammar is None:
            self.promise(leaf, symbols, ())
            return symbols[0]
        after = builder.skips_of(grammar, symbols)
        start = builder.embed(grammar, symbols, after)
        if leaf.open_ended:
            last = [
                self.lexeme(lexeme.ending(lexeme.group, True), grammar) if lexeme.expr in leaf.open_ended else symbol
                for symbol, lexeme in zip(symbols, leaf.lexemes, strict=True)
            ]
            self.promise(leaf, symbols, last)
            return OpenEnd(builder, leaf, symbols, last, after, start).symbol()
        self.promise(leaf, symbols, ())
        return start if after is None else builder.seq([after, start])

    def promise(self, leaf: Leaf, symbols: Sequence[int], last: Sequence[int]) -> None:
        """Note what is promised of the groups of a leaf.

        Args:
            leaf: the leaf.
            symbols: the symbols of its lexemes.
            last: the symbols of the same lexemes where they end anywhere; empty if there are none.
        """
        grammar = leaf.grammar
        for number, lexeme in enumerate(leaf.lexemes):
            if lexeme.group in self.promises:
                continue
            promise = LexemeGroup(delimited=grammar is None or grammar.delimited or grammar.correct_prefix)
            skips: Iterable[int] = ()
            if grammar is not None and grammar.groups:
                promise = grammar.groups[grammar.lexemes[number].group]
                skips = promise.skips
            elif grammar is not None and not grammar.delimited and not grammar.single_skip:
                skips = _only_skips(leaf.lexemes, symbols)
            skips = [one[skip] >> 1 for one in (symbols, last) if one for skip in skips]
            self.promises[lexeme.group] = replace(promise, skips=tuple(skips))

    def lexeme(self, lexeme: Lexeme, grammar: GrammarIR | None) -> int:
        builder = self.builder
        if lexeme.tokens:
            return builder.special(lexeme.tokens, lexeme.name)
        check = None if lexeme.check is None or grammar is None else builder.check(grammar.checks[lexeme.check])
        return builder.terminal(
            lexeme.expr,
            lexeme.name,
            lazy=lexeme.lazy,
            check=check,
            opens=lexeme.opens,
            group=lexeme.group,
            anywhere=lexeme.anywhere,
        )
