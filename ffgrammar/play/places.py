"""Where in a source an error is: from which code point to which one."""

from __future__ import annotations

import json

from ffgrammar.core.errors import FFGrammarError, GrammarError
from ffgrammar.core.pointers import unescaped

__all__ = ["error_place"]

BLANKS = " \t\n\r"
# How deep a pointer is followed.
MAX_DEPTH = 200


def error_place(error: FFGrammarError, source: str) -> tuple[int, int]:
    """The code points of a source that an error is about; (0, 0) if that is not known."""
    if not isinstance(error, GrammarError) or error.file is not None:
        return 0, 0
    if error.line is not None:
        return _of_line(source, error.line, error.column)
    if error.pointer is not None:
        return _of_pointer(source, error.pointer)
    return (error.column - 1, error.column) if error.column is not None else (0, 0)


def _of_line(source: str, line: int, column: int | None) -> tuple[int, int]:
    """A column to the end of its line; without a column the line."""
    lines = source.split("\n")
    number = min(line, len(lines)) - 1
    start = sum(len(one) + 1 for one in lines[:number])
    begin = start + min((column or 1) - 1, len(lines[number]))
    return begin, max(start + len(lines[number]), begin)


def _of_pointer(source: str, pointer: str) -> tuple[int, int]:
    """The first line of the value that a JSON pointer leads to, or of the nearest value around it that exists."""
    steps = [unescaped(one) for one in pointer.split("/")[1 : MAX_DEPTH + 1]]
    decoder = json.JSONDecoder()
    at = _blanks(source, 0)
    try:
        for step in steps:
            inner = _member(source, at, step, decoder)
            if inner == at:
                break
            at = inner
        end = decoder.raw_decode(source, at)[1]
    except (ValueError, IndexError, RecursionError):
        end = len(source)
    line_end = source.find("\n", at)
    return at, min(end, line_end if line_end >= 0 else end)


def _blanks(source: str, at: int) -> int:
    while at < len(source) and source[at] in BLANKS:
        at += 1
    return at


def _member(source: str, at: int, step: str, decoder: json.JSONDecoder) -> int:
    """Where the member of a container begins; `at` itself if it has none of that name.

    Raises:
        ValueError, IndexError: the text is no JSON.
    """
    is_object = source[at] == "{"
    if not is_object and source[at] != "[":
        return at
    found, number = at, 0
    inside = _blanks(source, at + 1)
    while source[inside] not in "}]":
        key = str(number)
        if is_object:
            key, inside = decoder.raw_decode(source, inside)
            inside = _blanks(source, _blanks(source, inside) + 1)
        if key == step:
            found = inside  # (of equal keys the last one counts)
            if not is_object:
                return found
        inside = _blanks(source, decoder.raw_decode(source, inside)[1])
        if source[inside] == ",":
            inside = _blanks(source, inside + 1)
        number += 1
    return found
