"""Tokens in a row, each marked by why it is there: by a sign and a border, not by colour alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from ffgrammar.draw.text import Html, html

__all__ = ["Chip", "token_strip"]

Kind = Literal["chosen", "forced", "strange", "rejected", "prompt"]
SAID = {
    "chosen": "chosen",
    "forced": "forced",
    "strange": "not canonical",
    "rejected": "rejected",
    "prompt": "of the prompt",
}


class Chip(NamedTuple):
    """A token.

    Attributes:
        text: what is shown, in which everything can be seen.
        kind: "chosen", "forced", "strange" (not canonical), "rejected" or "prompt".
        title: more about it, such as its id.
    """

    text: str
    kind: Kind = "chosen"
    title: str = ""


def token_strip(chips: Iterable[Chip]) -> Html:
    """Tokens in a row."""
    return Html(f"<p>{''.join(map(_chip, chips))}</p>")


def _chip(one: Chip) -> str:
    title = SAID[one.kind] if not one.title else f"{one.title}: {SAID[one.kind]}"
    return f'<span class="token {one.kind}" title="{html(title)}">{html(one.text or chr(0x2205))}</span>'
