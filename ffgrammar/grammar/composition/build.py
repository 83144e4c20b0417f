# cython: language_level=3
"""From the parts of a composition to one grammar: expressions, lexemes and productions of all leaves side by side.

The skip lexemes of a leaf may stand between its own lexemes only. So they become ordinary lexemes, and each lexeme of the
leaf is followed by a nonterminal for "any skips".
"""

from __future__ import annotations

from collections.abc import Mapping

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.composition.joints import Edges, find_joints
from ffgrammar.grammar.composition.leaves import Leaf, leaf_edges, read_leaf, special_ids
from ffgrammar.grammar.composition.parts import Choice, Node, Part, Repeat, Sequence, SpecialToken, Whole, flatten
from ffgrammar.grammar.ir import GrammarBuilder, GrammarIR
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
        LimitError: there are too many productions, or a bound of the expressions was reached.
    """
    nodes = flatten(root)
    for node in nodes:
        if isinstance(node.part, Whole) and node.part.vocabulary != vocabulary:
            raise GrammarError("a part was compiled for another vocabulary")
    leaves = {
        number: read_leaf(node.part, store)
        for number, node in enumerate(nodes)
        if not node.inner and not isinstance(node.part, (SpecialToken, Sequence, Choice))
    }
    edges = {number: leaf_edges(leaf, store, _family(nodes[number], number)) for number, leaf in leaves.items()}
    for number, node in enumerate(nodes):
        if isinstance(node.part, SpecialToken):
            edges[number] = Edges()
    joints = find_joints(nodes, edges)
    if joints.open_ended or joints.shared:
        raise UnsupportedError("two parts of the composition may read the same text")
    return _Composer(nodes, leaves, store, limits, special_tokens).grammar()


def _family(node: Node, number: int) -> object:
    part = node.part
    if isinstance(part, Whole) and part.grammar.family:
        return part.grammar.family
    return number


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
        if isinstance(part, Sequence):
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
            raise GrammarError("too many repetitions")
        if (part.least, part.most) == (0, 1):
            return self.builder.optional(symbol)
        return self.builder.repeat(symbol, part.least, part.most)

    def leaf(self, leaf: Leaf) -> int:
        """The symbol of a leaf, whose productions are added."""
        builder, grammar = self.builder, leaf.grammar
        if grammar is None:
            (only,) = leaf.lexemes
            return builder.plain(only.expr, only.name)
        symbols = []
        skips = []
        for lexeme in leaf.lexemes:
            check = None if lexeme.check is None else builder.check(grammar.checks[lexeme.check])
            if lexeme.tokens:
                symbols.append(builder.special(lexeme.tokens, lexeme.name))
                continue
            symbol = builder.terminal(
                lexeme.expr, lexeme.name, lazy=lexeme.lazy, check=check, opens=lexeme.opens
            )
            symbols.append(symbol)
            if lexeme.skip:
                skips.append(symbol)
        if not skips:
            return builder.embed(grammar, symbols, None)
        skip = builder.choice(skips)
        after = builder.optional(skip) if grammar.single_skip else builder.star(skip)
        return builder.seq([after, builder.embed(grammar, symbols, after)])
