"""`ffgrammar trie`: the vocabulary under a prefix."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from .options import Prefix, VocabularyName, example, json_option, prefix_options, tokenizer_option
from .show import bytes_as_json, complain, quote, write_json, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ffgrammar import Tokenizer

__all__ = ["command"]


@dataclass
class Branch:
    """A byte string that is a token (several ids may share it), under the longest token that is a prefix of it."""

    data: bytes
    ids: list[int] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)

    def as_json(self, depth: int | None) -> dict[str, Any]:
        """As a JSON object, `depth` levels below this one."""
        below = self.branches if depth is None or depth > 0 else []
        deeper = None if depth is None else depth - 1
        found = {**bytes_as_json(self.data), "ids": self.ids}
        return {**found, "branches": [branch.as_json(deeper) for branch in below]}

    def lines(self, depth: int | None, indent: int = 0, known: int = 0) -> Iterator[str]:
        """A line each, indented; of the bytes only those that the line above does not have."""
        for branch in self.branches if depth is None or depth > indent else []:
            ids = ",".join(map(str, branch.ids))
            yield f"{'  ' * indent}{quote(branch.data[known:])}\t{ids}"
            yield from branch.lines(depth, indent + 1, len(branch.data))


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


@click.command("trie", epilog=example("ffgrammar trie --prefix ' gramma'"))
@prefix_options
@click.option("--depth", type=click.IntRange(min=1), help="Show this many levels only.")
@json_option
@tokenizer_option
def command(prefix: Prefix, depth: int | None, as_json: bool, tokenizer: VocabularyName) -> int:
    """Show the vocabulary under a prefix, as a tree.

    A line is a token: what it adds to the token it hangs from, and its ids. Exit code 1: no token starts so.
    """
    from .sources import load_tokenizer

    vocabulary = load_tokenizer(tokenizer)
    start = prefix.data if prefix.tokens is None else vocabulary.decode(prefix.tokens)
    root = grow(vocabulary, start)
    if as_json:
        write_json(root.as_json(depth))
    else:
        write_lines(root.lines(depth))
    if not root.branches:
        complain(f"no token starts with {quote(start)}")
        return 1
    return 0
