"""The sources that a fuzzer begins with: hostile sources, and the cases of the tests."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ffgrammar.api.compiled_file import HEADER, dump
from ffgrammar.core.limits import Limits
from ffgrammar.grammar import lark
from ffgrammar.grammar.json_schema.spec.keywords import KEYWORDS
from ffgrammar.regex.expr.store import ExprStore
from hostile.sources import sources

__all__ = ["donors", "seeds", "words"]

CASES = Path(__file__).resolve().parent.parent / "cases"
LIBRARY = CASES.parent.parent / "grammars"
# The longest source that a fuzzer begins with, and the longest one that gives parts to others.
LONGEST, LONGEST_DONOR = 1000, 10_000
# The endings of the library's files.
LIBRARY_ENDS = {"json_schema": "json", "structural_tag": "tag.json"}
# Of the hostile sources only short ones: the others take seconds, and leave the fuzzer little time.
LONGEST_HOSTILE = 150


def seeds(target: str) -> list[bytes]:
    """The sources of a target. Each ends in a byte that no text has, and bytes that choose tokens."""
    texts = dict.fromkeys(_texts(target))
    return [text.encode() + b"\xff\x01\x02\x40\x80" for text in texts if len(text) <= LONGEST]


def donors(target: str) -> list[str]:
    """Texts whose parts a mutator puts into others."""
    return [text for text in dict.fromkeys(_texts(target)) if len(text) <= LONGEST_DONOR]


def _texts(target: str) -> Iterator[str]:
    form = {"json_schema": "json"}.get(target, target)
    for hostile in sources():
        if hostile.form == form and "in each other" not in hostile.name:
            text = hostile.source if isinstance(hostile.source, str) else json.dumps(hostile.source)
            if len(text) <= LONGEST_HOSTILE:
                yield text
    for path in sorted(LIBRARY.glob(f"*.{LIBRARY_ENDS.get(target, target)}")):
        if target != "json_schema" or not path.name.endswith(".tag.json"):
            yield path.read_text()
    if target == "json_schema":
        yield from (json.dumps(case["schema"]) for case in _cases("json_schema")["cases"])
    elif target == "lark":
        yield from (case["lark"] for case in _cases("lark"))
    elif target == "regex":
        yield from (case["pattern"] for case in _cases("regex"))
    elif target in ("gbnf", "ebnf"):
        yield from (case["grammar"] for case in _cases("gbnf") if target in case["dialects"])
        yield from (path.read_text() for path in sorted((CASES / "rules").glob("*.gbnf")))
    elif target == "structural_tag":
        for case in _cases("structural_tags")["cases"]:
            yield json.dumps({"type": "structural_tag", "format": case["format"]})
    elif target == "compiled_file":
        for text in ('start: "a" start | /b+/', 'start: A B*\nA: "x"\nB: /[yz]/ & ~"z"\n%ignore " "'):
            packed = dump(lark.build(text, ExprStore(), Limits()), "")[HEADER.size :]
            yield zlib.decompress(packed).decode()


def _cases(name: str) -> Any:
    return json.loads((CASES / f"{name}.json").read_text())


def words(target: str) -> list[str]:
    """Words that a fuzzer puts into sources."""
    if target == "json_schema":
        return [f'"{row.word}":' for row in KEYWORDS] + ['"object"', '"string"', '"#"', "true", "false", "null"]
    if target == "lark":
        return ["%ignore ", "%import ", "start: ", '"a"i', "~1..3", "| ", "& ", "(?i:", "// "]
    if target in ("gbnf", "ebnf"):
        return ["root ::= ", "[^a]", "{1,3}", "(root)", "| ", "# "]
    if target == "regex":
        return [r"\p{Lu}", r"\b", "(?=", "(?!", "(?<=", "(?i)", "{2,40}", "[^", "|", r"\d"]
    return ['"type":', '"format":', '"tag"', '"begin":', '"content":', '"end":', '"triggered_tags"', '"any_text"']
