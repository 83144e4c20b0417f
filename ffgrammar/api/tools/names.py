"""Names: a choice between them as a tree, in which the next byte always decides; and which are names in Python."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

from ffgrammar.api.parts import Composable, Part, choice_of, sequence

__all__ = ["choice_of_names", "is_python_name"]


def is_python_name(text: str) -> bool:
    """Whether a text is an identifier in Python, and no keyword."""
    return text.isidentifier() and not keyword.iskeyword(text)


class _Node:
    """A piece of names: its bytes, what follows it where a name ends, and the pieces after it by their first byte."""

    __slots__ = ("after", "text", "then")

    def __init__(self, text: bytes, then: Composable | None = None) -> None:
        self.text = text
        self.then = then
        self.after: dict[int, _Node] = {}


def choice_of_names(names: Sequence[tuple[bytes, Composable]]) -> Part:
    """One of several names, and what follows it.

    A name may begin with another one. What follows a name must not begin with a byte with which a longer name goes on.

    Args:
        names: the names, which are different and not empty, each with what follows it.
    """
    root = _Node(b"")
    for name, then in names:
        _add(root, name, then)
    return _part(root)


def _add(root: _Node, name: bytes, then: Composable) -> None:
    node, at = root, 0
    while True:
        child = node.after.get(name[at])
        if child is None:
            node.after[name[at]] = _Node(name[at:], then)
            return
        text, same = child.text, 1
        while same < len(text) and at + same < len(name) and text[same] == name[at + same]:
            same += 1
        if same < len(text):
            upper = _Node(text[:same])
            child.text = text[same:]
            upper.after[child.text[0]] = child
            node.after[name[at]] = child = upper
        node, at = child, at + same
        if at == len(name):
            node.then = then
            return


def _part(root: _Node) -> Part:
    """A tree as a part. (It may be as deep as there are names, so there is no recursion.)"""
    order = [root]
    for node in order:
        order += node.after.values()
    made: dict[_Node, Part] = {}
    for node in reversed(order):
        ways: list[Composable] = [] if node.then is None else [node.then]
        ways += [made.pop(child) for child in node.after.values()]
        made[node] = sequence(node.text, choice_of(*ways) if len(ways) > 1 else ways[0])
    return made[root]
