"""The outline of a composition: its parts as the user has laid them out, for captures.

The grammar of a composition has equal parts once, and takes common beginnings out of alternatives. So its productions
do not say any more which part has read what. The outline does. Its leaves name the symbols of the grammar that derive
them.
"""

from __future__ import annotations

from collections.abc import Callable

from ffgrammar.grammar.composition.parts import Capture, Choice, Literal, Part, Repeat, Sequence, SpecialToken
from ffgrammar.grammar.ir import PartNode

__all__ = ["outline"]


def outline(
    root: Part, token_ids: Callable[[SpecialToken], tuple[int, ...]], leaf: Callable[[Part], tuple[int, bool]]
) -> tuple[PartNode, ...]:
    """The outline of a composition. Equal parts are one.

    Args:
        root: the whole.
        token_ids: finds the ids of special tokens.
        leaf: finds the symbol of any other leaf that is no literal, and whether the leaf may be empty.
    """
    nodes: list[PartNode] = []
    numbers: dict[int, int] = {}
    equal: dict[object, int] = {}
    for part in _inner_first(root):
        inner = tuple(numbers[id(one)] for one in part.inner())
        key = (type(part), part.label(), inner)
        number = numbers[id(part)] = equal.setdefault(key, len(nodes))
        if number == len(nodes):
            nodes.append(_node(part, inner, nodes, token_ids, leaf))
    return tuple(nodes)


def _inner_first(root: Part) -> list[Part]:
    """Each part of a tree once, inner ones first."""
    found: dict[int, Part] = {}
    stack = [root]
    while stack:
        missing = [one for one in stack[-1].inner() if id(one) not in found]
        if missing:
            stack += missing
        else:
            part = stack.pop()
            found[id(part)] = part
    return list(found.values())


def _node(
    part: Part,
    inner: tuple[int, ...],
    nodes: list[PartNode],
    token_ids: Callable[[SpecialToken], tuple[int, ...]],
    leaf: Callable[[Part], tuple[int, bool]],
) -> PartNode:
    empty = [nodes[one].nullable for one in inner]
    if isinstance(part, Sequence):
        return PartNode("sequence", inner, None, all(empty))
    if isinstance(part, Choice):
        return PartNode("choice", inner, None, any(empty))
    if isinstance(part, Repeat):
        return PartNode("repeat", inner, (part.least, part.most), part.least == 0 or empty[0])
    if isinstance(part, Capture):
        return PartNode("capture", inner, part.name, empty[0])
    if isinstance(part, Literal):
        return PartNode("text", (), part.text, False)
    if isinstance(part, SpecialToken):
        return PartNode("tokens", (), token_ids(part), False)
    symbol, nullable = leaf(part)
    return PartNode("grammar", (), symbol, nullable)
