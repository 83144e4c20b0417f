"""Bytes as text in which everything can be seen, and text for documents."""

from __future__ import annotations

from html import escape

from ffgrammar.core.visible import visible_char

__all__ = ["Html", "html", "visible"]

# Characters that cannot be seen, and have a picture of their own.
KNOWN = {"\n": "\u23ce", "\t": "\u21e5", "\r": "\u240d", " ": "\u00b7"}


class Html(str):
    """Text that is HTML or SVG already."""

    __slots__ = ()


def html(text: str) -> Html:
    """Text for a document of HTML or SVG, also between quotes. What is `Html` stays as it is."""
    return text if isinstance(text, Html) else Html(escape(text, quote=True))


def visible(data: bytes) -> str:
    r"""Bytes as text. A blank is a middle dot, a line end an arrow. Bytes that are not UTF-8, and what cannot be seen,
    are escapes: `\xff`, `\u200b`."""
    text = data.decode("utf-8", "backslashreplace")
    return "".join([KNOWN.get(char) or visible_char(char) for char in text])
