"""Pictures and pieces of pages: what notebooks, reports of the command line and the playground draw with.

All functions take plain values and return text: HTML or SVG without scripts, fonts or other files. Text from outside is
always escaped.

    from ffgrammar.draw import Chip, page, token_strip

    page("Tokens", token_strip([Chip("Hello"), Chip("·world", "forced")]))

In reading order:

- text: bytes as text in which everything can be seen; text for documents.
- document: the style, a fragment for a notebook, a whole page.
- tokens: tokens in a row, marked by why they are there.
- tables: tables.
- curves: curves over one axis.
- bars: a histogram of shares.
- trees: a tree, a line for each of its nodes.
"""

from __future__ import annotations

from ffgrammar.draw.bars import bars
from ffgrammar.draw.curves import curves
from ffgrammar.draw.document import fragment, page, picture
from ffgrammar.draw.tables import table
from ffgrammar.draw.text import Html, html, visible
from ffgrammar.draw.tokens import Chip, token_strip
from ffgrammar.draw.trees import TreeLine, tree

__all__ = [
    "Chip",
    "Html",
    "TreeLine",
    "bars",
    "curves",
    "fragment",
    "html",
    "page",
    "picture",
    "table",
    "token_strip",
    "tree",
    "visible",
]
