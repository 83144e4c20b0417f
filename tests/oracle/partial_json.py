"""What the beginning of a JSON text says: a reader by recursive descent that stops where the text ends."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["NOTHING", "read_beginning"]

NOTHING: Any = object()
BLANK = " \t\n\r"


def read_beginning(text: str) -> Any:
    """The value so far, or NOTHING."""
    return _value(text, _blank(text, 0))[0]


def _blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANK:
        at += 1
    return at


def _value(text: str, at: int) -> tuple[Any, int | None]:
    """A value, and where it ends; None if it is not complete."""
    if at == len(text):
        return NOTHING, None
    if text[at] == '"':
        return _string(text, at)
    if text[at] in "[{":
        return _container(text, at)
    for word, value in (("true", True), ("false", False), ("null", None)):
        if text.startswith(word, at):
            return value, at + len(word)
    end = at
    while end < len(text) and text[end] in "+-.eE0123456789":
        end += 1
    if end == len(text) or end == at:
        return NOTHING, None
    return json.loads(text[at:end]), end


def _string(text: str, at: int) -> tuple[str, int | None]:
    units: list[str] = []  # the characters and escapes so far
    at += 1
    while at < len(text) and text[at] != '"':
        size = 1 if text[at] != "\\" else 6 if text[at + 1 : at + 2] == "u" else 2
        if at + size > len(text):
            at = len(text)
            break
        units.append(text[at : at + size])
        at += size
    complete = at < len(text)
    last = units[-1] if units else ""
    if not complete and (last == "\ufffd" or (last[:2] == "\\u" and 0xD800 <= int(last[2:], 16) < 0xDC00)):
        units.pop()
    return json.loads('"' + "".join(units) + '"'), at + 1 if complete else None


def _container(text: str, at: int) -> tuple[Any, int | None]:
    is_object = text[at] == "{"
    found: Any = {} if is_object else []
    at = _blank(text, at + 1)
    while at < len(text) and text[at] not in "]}":
        key = ""
        if is_object:
            key, end = _string(text, at)
            if end is None:
                return found, None
            end = _blank(text, end)
            if end == len(text):
                return found, None
            at = _blank(text, end + 1)
        value, end = _value(text, at)
        if value is not NOTHING:
            if is_object:
                found[key] = value
            else:
                found.append(value)
        if end is None:
            return found, None
        at = _blank(text, end)
        if text[at : at + 1] == ",":
            at = _blank(text, at + 1)
    return found, at + 1 if at < len(text) else None
