# cython: language_level=3
"""From the parts of a composition to one grammar: the lexemes and productions of all leaves, side by side.

The skip lexemes of a leaf may stand between its own lexemes only. So they become ordinary lexemes, and each lexeme of
the leaf is followed by a nonterminal for "any skips".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.composition.joints import NAMES, TEXTS, Edges, find_joints
from ffgrammar.grammar.composition.leaves import Family, Leaf, leaf_edges, read_leaf, special_ids
from ffgrammar.grammar.composition.open_end import OpenEnd
from ffgrammar.grammar.composition.parts import Choice, Literal, Node, Part, Repeat, SpecialToken, Whole, flatten
from ffgrammar.grammar.composition.parts import Sequence as PartSequence
from ffgrammar.grammar.ir import GrammarBuilder, GrammarIR, Lexeme
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
        UnsupportedError: a grammar with checks may read the same text as another part, or a composition that was loaded
            from a file, or a Lark grammar with schemas, may read the same text as what follows it.
        LimitError: there are too many productions, or a bound of the expressions was reached.
    """
    nodes = flatten(root)
    for node in nodes:
        if isinstance(node.part, Whole) and node.part.vocabulary != vocabulary:
            raise GrammarError("a part was compiled for another vocabulary")
    leaves = {
        number: read_leaf(node.part, store)
        for number, node in enumerate(nodes)
        if not node.inner and not isinstance(node.part, (SpecialToken, PartSequence, Choice))
    }
    edges = _edges(nodes, leaves, store, special_tokens)
    joints = find_joints(nodes, edges)
    if joints.open_ended or joints.shared or any(_has_threads(leaf) for leaf in leaves.values()):
        _refuse_checks(leaves)
        groups: dict[tuple[int, int], int] = {}
        for number, leaf in leaves.items():
            leaves[number] = _apart(leaf, edges[number].family, groups, joints.open_ended.get(number))
    return _Composer(nodes, leaves, store, limits, special_tokens).grammar()


def _apart(leaf: Leaf, family: Family, groups: dict[tuple[int, int], int], follow: int | None) -> Leaf:
    """A leaf whose lexemes compete with those of its family only.

    Args:
        leaf: the leaf.
        family: its family.
        groups: the numbers of the groups, by family and group in the leaf; new ones are added.
        follow: the bytes that may follow, if the leaf could go on with one of them; None if not.
    """
    open_ended = follow is not None and not leaf.is_simple
    anywhere = set()
    if follow is not None and leaf.is_simple:
        # (longest match never matters inside such a leaf, so a lexeme may end anywhere in all places)
        anywhere = {lexeme.expr for lexeme in leaf.lexemes if follow & family.going_on(lexeme.expr)}
    if open_ended and leaf.grammar is not None and leaf.grammar.templates:
        raise UnsupportedError(
            "a composition that was loaded from a file, or a Lark grammar with schemas, is a part that may read the "
            "same text as what follows it; compose its own parts here instead"
        )
    lexemes = [
        lexeme.ending(
            groups.setdefault((id(family), lexeme.group), len(groups)), lexeme.anywhere or lexeme.expr in anywhere
        )
        for lexeme in leaf.lexemes
    ]
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
        elif number in leaves:
            key = part.grammar.family if isinstance(part, Whole) and part.grammar.family else number
            edges[number] = leaf_edges(leaves[number], store, families.setdefault(key, Family(store)), named)
    return edges


def _fixed_texts(nodes: Sequence[Node]) -> set[bytes]:
    """The texts of literals that are no beginning of another literal."""
    texts = sorted(node.part.text for node in nodes if isinstance(node.part, Literal))
    return {
        text for text, after in itertools.zip_longest(texts, texts[1:], fillvalue=b"") if not after.startswith(text)
    }


def _has_threads(leaf: Leaf) -> bool:
    """Whether not all lexemes of a leaf compete: it is a composition itself."""
    return any(lexeme.anywhere or lexeme.group != leaf.lexemes[0].group for lexeme in leaf.lexemes)


def _refuse_checks(leaves: Mapping[int, Leaf]) -> None:
    """Refuse leaves with checks where lexemes do not compete: a check reads one text only."""
    for leaf in leaves.values():
        if leaf.grammar is not None and leaf.grammar.checks:
            raise UnsupportedError(
                "a schema with uniqueItems, or with keys that must not come twice, is in a composition where another "
                "part may read the same text; let each part begin with a text or a special token of its own"
            )


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

    def grammar(self) -> GrammarIR:
        symbols: list[int] = []
        for number, node in enumerate(self.nodes):
            symbols.append(self.symbol(number, node, [symbols[one] for one in node.inner]))
        wholes = [leaf.grammar for leaf in self.leaves.values() if leaf.grammar is not None]
        warnings = dict.fromkeys(warning for grammar in wholes for warning in grammar.warnings)
        delimited = all(grammar.delimited for grammar in wholes)
        return self.builder.finish(symbols[-1], kind="composition", delimited=delimited, warnings=warnings)

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
            return symbols[0]
        after = builder.skips_of(grammar, symbols)
        start = builder.embed(grammar, symbols, after)
        if leaf.open_ended:
            last = [self.lexeme(lexeme.ending(lexeme.group, True), grammar) for lexeme in leaf.lexemes]
            return OpenEnd(builder, leaf, symbols, last, after, start).symbol()
        return start if after is None else builder.seq([after, start])

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
