"""A tree, a line for each of its nodes, as a document of SVG."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ffgrammar.draw.text import Html, html

__all__ = ["TreeLine", "tree"]

HEIGHT, STEP, CHARACTER = 20, 24, 9
STYLE = """
svg { color: #1b1f24; background: #ffffff; font: 14px ui-monospace, Menlo, Consolas, monospace }
text { fill: currentColor } tspan { fill: #57606a } path { fill: none; stroke: #8b949e }
@media (prefers-color-scheme: dark) { svg { color: #e6e6e6; background: #16181c } tspan { fill: #a9b1ba } }
""".strip()


class TreeLine(NamedTuple):
    """A node.

    Attributes:
        depth: 1 for a node at the top; that of the node above, or of one around it, plus 1 at most.
        text: what it says.
        note: what stands after that, fainter.
    """

    depth: int
    text: str
    note: str = ""


def tree(lines: Iterable[TreeLine]) -> Html:
    """A picture of a tree: its nodes from top to bottom, each below the node that it belongs to."""
    drawn, rows, width, count = [], list[int](), 0, 0
    for row, (depth, text, note) in enumerate(lines):
        x, y = 10 + STEP * (depth - 1), HEIGHT * (row + 1)
        del rows[depth - 1 :]
        if rows:
            drawn.append(f'<path d="M{x - STEP + 6} {HEIGHT * (rows[-1] + 1) + 5}V{y - 4}H{x - 4}"/>')
        rows.append(row)
        drawn.append(f'<text x="{x}" y="{y}">{html(text)} <tspan>{html(note)}</tspan></text>')
        width = max(width, x + CHARACTER * (len(text) + len(note) + 2))
        count = row + 1
    size = f'width="{width}" height="{HEIGHT * (count + 1)}"'
    body = "".join(drawn)
    return Html(f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><style>{STYLE}</style>{body}</svg>\n')
