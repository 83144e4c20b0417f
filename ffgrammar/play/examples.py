"""The grammars of the library, each with a text."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ffgrammar.api.library import library_folder
from ffgrammar.play.fields import BadRequest

__all__ = ["example", "example_names"]

# How names of files end, and the kinds of their grammars; longer ends first.
KINDS = {
    ".tag.json": "structural-tag",
    ".json": "json-schema",
    ".lark": "lark",
    ".gbnf": "gbnf",
    ".ebnf": "ebnf",
    ".regex": "regex",
}

MAX_EXAMPLE = 400
LONGER = " " * (MAX_EXAMPLE + 1)


@cache
def _paths() -> dict[str, tuple[Path, str]]:
    """The files by the name of the grammar, with their kinds."""
    found: dict[str, tuple[Path, str]] = {}
    for path in sorted(library_folder().iterdir()):
        end = next((one for one in KINDS if path.name.endswith(one)), None)
        if end is not None:
            found[path.name.removesuffix(end)] = (path, KINDS[end])
    return found


def example_names() -> list[str]:
    """The names, in alphabetical order."""
    return list(_paths())


def example(name: str) -> dict[str, Any]:
    """An example: its kind, its source, and a text that it accepts. A name is looked up, and is never part of a path.

    Raises:
        BadRequest: there is no such example.
    """
    if name not in _paths():
        raise BadRequest(f"there is no example {name[:60]!r}")
    path, kind = _paths()[name]
    samples = path.parent / f"{name}.samples.ndjson"
    return {"kind": kind, "source": path.read_text(encoding="utf-8"), "text": _text(samples)}


def _text(samples: Path) -> str:
    """The longest accepted text of a file of samples that is not longer than MAX_EXAMPLE; "" if there is none."""
    if not samples.is_file():
        return ""
    lines = map(json.loads, filter(None, samples.read_text(encoding="utf-8").split("\n")))
    # (the samples of a structural tag are tokens and texts; those without a text are left out)
    texts = [str(one["text"]) for one in lines if one.get("valid") and len(one.get("text", LONGER)) <= MAX_EXAMPLE]
    return max(texts, key=len, default="")
