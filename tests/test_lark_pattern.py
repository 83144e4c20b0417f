"""Lark's regular expressions in Rust's syntax: patterns that are taken as they are mean what rewritten ones mean."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar import FFGrammarError
from ffgrammar.grammar.lark.pattern import rewritten, translate
from ffgrammar.regex.syntax.parser import parse

PIECES = (
    "a b é - ^ $ | . & && ~ ~~ -- [ ] [^ [a-z] [-a] [a-] [!-~] [&~#] [a&&b] [+--] [a-c-e] [é-ü] [\\d-z] [^\\n] -] "
    "\\- \\] [[:alpha:]] [:alpha:] \\n \\x41 \\x{41} \\u{41} \\p{L} \\< \\d "
    "* + ? {2} {2,} {,3} { } ( ) (?: (?i) (?x) (?= # \n"
).split(" ")


def outcome(pattern: str, offsets: Sequence[int]) -> Any:
    """The tree of a pattern, with columns of the original pattern, or the error."""
    try:
        return original(parse(pattern), offsets)
    except FFGrammarError as error:
        column = (error.column or 1) - 1
        return type(error), error.message, offsets[column] if column < len(offsets) else None


def original(node: Any, offsets: Sequence[int]) -> Any:
    """A tree whose columns are those of the original pattern."""
    if node[0] in ("start", "end"):
        return (node[0], offsets[node[1] - 1], *node[2:])
    return tuple(
        original(part, offsets)
        if isinstance(part, tuple) and part and isinstance(part[0], str)
        else [original(one, offsets) for one in part]
        if isinstance(part, list)
        else part
        for part in node
    )


def test_patterns_that_stay_as_they_are_mean_the_same_as_rewritten_ones() -> None:
    rng = random.Random(5)
    unchanged = 0
    for _ in range(20_000):
        pattern = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 7)))
        found, slow = translate(pattern), rewritten(pattern, verbose=pattern.startswith(("(?x", "(?ix")))
        if isinstance(found.offsets, range):
            unchanged += 1
            assert not slow.lazy, pattern
            assert outcome(found.pattern, found.offsets) == outcome(slow.pattern, slow.offsets), pattern
        else:
            assert found == slow, pattern
    assert 4_000 < unchanged < 16_000


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        ("(?x: a ) s", ""),
        ("a s # b", "x"),
        ("a{,}", ""),
        ("a{,2}", ""),
        ("\u2028a", "x"),
        ("\xa0 a", "x"),
        ("\u2028a", ""),
    ],
)
def test_as_python_reads_them(cl100k: ff.Tokenizer, pattern: str, flags: str) -> None:
    grammar = ff.compile_lark(f"start: A\nA: /b{pattern}/{flags}", cl100k)
    python = re.compile(f"b{pattern}", re.VERBOSE if flags else 0)
    for text in ("b", "ba", "baa", "baaa", "bas", "ba s", "b a s", "b\u2028a", "b\xa0a", "b\xa0 a", "ba s # b"):
        matcher = grammar.matcher()
        whole = matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting()
        assert whole == bool(python.fullmatch(text)), text
