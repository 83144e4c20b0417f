"""A warning about the names of special tokens in ordinary text."""

from __future__ import annotations

import warnings

from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["warn_of_names"]


def warn_of_names(
    tok: Tokenizer, text: str | bytes, what: str, stacklevel: int, token: str = "ffgrammar.special_token({!r})"
) -> None:
    """Warn if a text has the name of a special token. It is ordinary text nevertheless.

    Args:
        tok: the tokenizer.
        text: the text.
        what: the text, in words.
        stacklevel: which caller the warning is about; 1 is the caller of this function.
        token: how the special token is written, with {!r} for its name.
    """
    name = tok.special_names.first(text)
    if name is not None:
        warnings.warn(
            f"{what} has {name!r}, which is spelled out as ordinary text; {token.format(name)} is the special token",
            stacklevel=stacklevel + 1,
        )
