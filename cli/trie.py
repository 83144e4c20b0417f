"""`ffgrammar trie`: the part of the vocabulary that starts with a prefix, as a tree."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .options import PATH, Prefix, VocabularyName, example, json_option, prefix_options, tokenizer_option
from .show import bytes_as_json, complain, quote, write_json, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ffgrammar import Tokenizer

__all__ = ["command"]


@dataclass
class Branch:
    """A node of the tree: the bytes of a token, and all ids that have these bytes.

    Its parent is the longest other token with which these bytes begin.
    """

    data: bytes
    ids: list[int] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)

    def as_json(self, limits: Limits, depth: int = 1) -> dict[str, Any]:
        """A JSON object. Its "more" says how many branches are left out, with everything below them."""
        shown = self.branches if depth <= limits.depth else []
        shown = shown[: limits.children]
        found = {**bytes_as_json(self.data), "ids": self.ids}
        found["branches"] = [branch.as_json(limits, depth + 1) for branch in shown]
        return {**found, "more": len(self.branches) - len(shown)} if len(shown) < len(self.branches) else found

    def lines(self, limits: Limits, depth: int = 1) -> Iterator[tuple[int, bool, str, str]]:
        """For each token: its depth, whether it is the last below its parent, what it adds to its parent, its ids.

        Where `limits.children` leaves branches out, an entry without ids says how many.
        """
        if depth > limits.depth:
            return
        shown = self.branches[: limits.children]
        more = len(self.branches) - len(shown)
        for index, branch in enumerate(shown):
            last = not more and index == len(shown) - 1
            yield depth, last, quote(branch.data[len(self.data) if depth > 1 else 0 :]), ",".join(map(str, branch.ids))
            yield from branch.lines(limits, depth + 1)
        if more:
            yield depth, True, f"… {more} more", ""


class Limits(NamedTuple):
    """How much is shown: levels of the tree, and branches of each token."""

    depth: int
    children: int


def draw(root: Branch, limits: Limits) -> Iterator[str]:
    """The lines of the tree for a terminal. Lines of the first level are not indented."""
    ended: list[bool] = []
    for depth, last, text, ids in root.lines(limits):
        del ended[depth - 1 :]
        bars = "".join("    " if end else "│   " for end in ended[1:])
        corner = ("└── " if last else "├── ") if depth > 1 else ""
        ended.append(last)
        yield f"{bars}{corner}{text}\t{ids}" if ids else f"{bars}{corner}{text}"


def as_svg(root: Branch, limits: Limits) -> str:
    """The tree as an SVG picture."""
    from ffgrammar.draw import TreeLine, tree

    return tree(TreeLine(depth, text, ids) for depth, _, text, ids in root.lines(limits))


def grow(tokenizer: Tokenizer, prefix: bytes) -> Branch:
    """The tree of all tokens that start with a prefix."""
    under: dict[bytes, list[int]] = {}
    for token in range(tokenizer.vocab_size):
        data = tokenizer.token_bytes(token)
        if data and data.startswith(prefix):
            under.setdefault(data, []).append(token)
    root = Branch(prefix)
    path = [root]
    for data in sorted(under):
        while not data.startswith(path[-1].data):
            path.pop()
        branch = Branch(data, under[data])
        path[-1].branches.append(branch)
        path.append(branch)
    return root


@click.command("trie", epilog=example("ffgrammar trie --prefix user --max-depth 2 --max-children 3"))
@prefix_options
@click.option("--max-depth", type=click.IntRange(min=1), help="Show only this many levels.")
@click.option("--max-children", type=click.IntRange(min=1), help="Show only this many tokens under each token.")
@click.option("--svg", type=PATH, metavar="FILE", help="Also write the tree as a picture.")
@json_option
@tokenizer_option
def command(
    prefix: Prefix,
    max_depth: int | None,
    max_children: int | None,
    svg: str | None,
    as_json: bool,
    tokenizer: VocabularyName,
) -> int:
    """Show the vocabulary under a prefix, as a tree.

    A line is a token: what it adds to the token above it, and its ids. Exit code 1: no token starts with the prefix.
    """
    from .sources import load_tokenizer

    vocabulary = load_tokenizer(tokenizer)
    start = prefix.data if prefix.tokens is None else vocabulary.decode(prefix.tokens)
    root = grow(vocabulary, start)
    limits = Limits(max_depth or sys.maxsize, max_children or sys.maxsize)
    if svg is not None:
        try:
            Path(svg).write_text(as_svg(root, limits), encoding="utf-8")
        except OSError as error:
            raise click.UsageError(f"cannot write {svg}: {error.strerror}") from None
    if as_json:
        write_json(root.as_json(limits))
    else:
        write_lines(draw(root, limits))
    if not root.branches:
        complain(f"no token starts with {quote(start)}")
        return 1
    return 0
