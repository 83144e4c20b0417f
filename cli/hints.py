"""Advice at a terminal."""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any

from .show import complain

if TYPE_CHECKING:
    from ffgrammar import Grammar, Matcher, Tokenizer

    from .bitmask import Mask

__all__ = ["hint_at_encoding", "hint_at_file", "hint_at_layout", "hint_at_lines", "hint_at_special_tokens"]

# How the names of files end that have a JSON value on each line.
LINES = (".ndjson", ".jsonl")

LAYOUT_OPTIONS = ("whitespace", "separators", "indent")
JSON_BLANKS = b" \t\n\r"


def hint_at_encoding(name: str, text: bytes, offset: int) -> None:
    """Say that a text is not UTF-8, or begins with a byte order mark, if it is rejected for that.

    Args:
        name, text: the file, and its content.
        offset: where it is rejected.
    """
    if text.startswith(BOM_UTF8) and offset < len(BOM_UTF8):
        complain(f"hint: {name} begins with a byte order mark, which is part of the text here")
    try:
        text.decode()
    except UnicodeDecodeError as error:
        if error.start <= offset <= error.end:
            complain(f"hint: {name} is not UTF-8 at byte {error.start}")


def hint_at_file(flag: str, text: bytes) -> None:
    """Say that an option takes a text, if what it was given is the path of a file."""
    if os.path.isfile(text):
        complain(f"hint: {os.fsdecode(text)} is a file; {flag} takes the text itself")


def hint_at_layout(grammar: Grammar, mask: Mask, compiling: dict[str, Any]) -> None:
    """Say how to leave out white space, if most of the tokens in the mask of a schema are nothing but white space.

    Nothing is said if stderr is no terminal, or if a layout option was given.
    """
    if not sys.stderr.isatty() or grammar.kind != "json-schema":
        return
    if any(compiling[name] is not None for name in LAYOUT_OPTIONS):
        return
    tokens = [mask.tokenizer.token_bytes(token) for token in mask.ids()]
    blank = sum(1 for data in tokens if data and not data.strip(JSON_BLANKS))
    if 2 * blank > len(tokens):
        complain(
            f"hint: {blank} of these {len(tokens)} tokens are white space; "
            "compiling with --separators ', ' ': ' or --whitespace compact leaves them out"
        )


def hint_at_lines(name: str) -> None:
    """Say how to judge the lines of a file, if one that was rejected as a whole has a JSON value on each line."""
    if name.lower().endswith(LINES):
        complain(f"hint: {name} was judged as one text; --ndjson takes each of its lines as a text")


def hint_at_special_tokens(matcher: Matcher, tokenizer: Tokenizer, rest: bytes) -> None:
    """Say how to give a special token, if what was rejected begins with the name of one that is allowed there.

    Args:
        matcher, tokenizer: a matcher that stands before the rest, and its vocabulary.
        rest: what was rejected.
    """
    allowed = set(matcher.allowed_token_ids().tolist())
    for name, token in tokenizer.special_tokens.items():
        if token in allowed and rest.startswith(name.encode()):
            complain(
                f"hint: the prefix spells {name!r} as ordinary text; the special token is given by its id, {token}, "
                "with --prefix-tokens"
            )
            return
