"""Reports as pages: what --html of `explain`, `check`, `validate` and `bench` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ffgrammar import Tokenizer

__all__ = ["chips", "html_option", "write_page"]

# How many tokens of a row are shown.
MAX_TOKENS = 2000


def html_option(function: Any) -> Any:
    """--html, which arrives as the open file `html`, or None."""
    option = click.option(
        "--html",
        type=click.File("w", "utf-8", lazy=True),  # lazy: a file that exists is kept if there is no report
        metavar="FILE.html",
        help="Also write the report as a page, without scripts.",
    )
    return option(function)


def write_page(file: Any, title: str, *parts: str) -> None:
    """Write a page.

    Args:
        file: to which; None writes nothing.
        title: of the page.
        parts: what `ffgrammar.draw` made, or text.
    """
    if file is not None:
        from ffgrammar.draw import page

        file.write(page(title, *parts))


def chips(tokenizer: Tokenizer, ids: Sequence[int], kinds: dict[int, Any]) -> str:
    """Tokens in a row.

    Args:
        tokenizer: spells them.
        ids: the tokens.
        kinds: those that are not simply chosen, by index.
    """
    from ffgrammar.draw import Chip, token_strip

    shown = [
        Chip(tokenizer.visible_token(token), kinds.get(at, "chosen"), f"token {at}, id {token}")
        for at, token in enumerate(ids[:MAX_TOKENS])
    ]
    more = len(ids) - len(shown)
    return token_strip([*shown, *([Chip(f"{more} more", "prompt")] if more else [])])
