"""From trees to text in a notation with alternatives, sequences and repeats."""

from __future__ import annotations

from collections.abc import Callable

from ffgrammar.regex.syntax.parser import Node

__all__ = ["Notation"]

# A definition that is longer has its alternatives on lines of their own.
WIDTH = 100


class Notation:
    """How trees are written.

    Args:
        leaf: the text of a node that is not written by its parts, as an item that may be repeated; None for other
            nodes.
        repeat: from an item, and the bounds of its repeat, to the text of the repeat, which may be a sequence.
    """

    def __init__(self, leaf: Callable[[Node], str | None], repeat: Callable[[str, int, int | None], str]) -> None:
        self._leaf = leaf
        self._repeat = repeat

    def text(self, node: Node) -> str:
        """The text of a tree."""
        return self._written(node, 0)

    def _written(self, node: Node, level: int) -> str:
        """The text where alternatives (level 0), a sequence (1), or an item (2) may stand."""
        found = self._leaf(node)
        if found is not None:
            return found
        kind = node[0]
        if kind == "rep":
            lo, hi = node[2:]
            item = self._written(node[1], 2)
            if (lo, hi) == (2, 2):
                text = f"{item} {item}"
            else:
                text = self._repeat(item, lo, hi)
            return f"({text})" if level == 2 else text
        if kind == "not":
            return f"(~{self._written(node[1], 2)})"
        if kind == "and":
            return f"({' & '.join([self._written(one, 2) for one in node[1:]])})"
        if kind == "cat":
            text = " ".join([self._written(one, 1) for one in node[1]])
            return f"({text})" if level == 2 else text
        text = " | ".join([self._written(one, 1) for one in node[1]])
        return f"({text})" if level else text

    def lines(self, head: str, node: Node) -> str:
        """A definition: a head, such as `name:`, and a tree. Long ones take several lines."""
        whole = f"{head} {self.text(node)}".rstrip()
        if node[0] != "alt" or len(whole) <= WIDTH:
            return whole
        bar = "\n" + " " * (len(head) - 1) + "| "
        return f"{head} {bar.join([self._written(one, 1) for one in node[1]])}"
