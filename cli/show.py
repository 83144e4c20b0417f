"""What commands print: bytes and tokens as text that cannot be misread, JSON lines, colours, complaints."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ffgrammar import Tokenizer

__all__ = [
    "GREEN",
    "RED",
    "YELLOW",
    "bytes_as_json",
    "complain",
    "counted",
    "emphasis",
    "quote",
    "token_as_json",
    "token_line",
    "write_json",
    "write_lines",
]

RED, GREEN, YELLOW = 31, 32, 33
SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def _escape(character: str) -> str:
    if character in SHORT_ESCAPES:
        return SHORT_ESCAPES[character]
    if character.isprintable():
        return character
    point = ord(character)
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def quote(data: bytes) -> str:
    r"""A literal: "…" with invisible characters escaped if the bytes are UTF-8, else b"\x…"."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return 'b"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in data) + '"'
    return '"' + "".join(map(_escape, text)) + '"'


def bytes_as_json(data: bytes) -> dict[str, str]:
    """{"text": …} for UTF-8, {"bytes": base64} otherwise."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        import base64

        return {"bytes": base64.b64encode(data).decode()}


def token_as_json(tokenizer: Tokenizer, token: int) -> dict[str, Any]:
    """A token as an object: its id with its text, its bytes, or the name of a special token."""
    data = tokenizer.token_bytes(token)
    if not data and tokenizer.is_special(token):
        return {"id": token, "special": tokenizer.decode([token]).decode()}
    return {"id": token, **bytes_as_json(data)}


def token_line(tokenizer: Tokenizer, token: int) -> str:
    """A token as a line: its id, a tab, and its bytes as a literal, or the bare name of a special token."""
    data = tokenizer.token_bytes(token)
    if not data and tokenizer.is_special(token):
        return f"{token}\t{tokenizer.decode([token]).decode()}"
    return f"{token}\t{quote(data)}"


def write_json(value: Any) -> None:
    """Writes one JSON value as a line of stdout. It is flushed, because the reader may wait for it."""
    import json

    print(json.dumps(value, ensure_ascii=False), flush=True)


def write_lines(lines: Iterable[str]) -> None:
    """Writes lines to stdout."""
    write = sys.stdout.write
    for line in lines:
        write(line + "\n")


def emphasis(text: str, colour: int) -> str:
    """Text in an ANSI colour at a terminal, and plain elsewhere and under NO_COLOR."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty():
        return text
    return f"\x1b[{colour}m{text}\x1b[0m"


def counted(count: int, thing: str) -> str:
    """A number with its noun: 1 schema, 1,200 schemas."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def complain(text: str) -> None:
    """Writes what is not a result to stderr, each line with `ffgrammar:` before it."""
    for line in text.splitlines():
        print(f"ffgrammar: {line}", file=sys.stderr)
