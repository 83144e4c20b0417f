"""The value of the beginning of a JSON text, beside a slow reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.lm import partial_json
from oracle.partial_json import NOTHING, read_beginning

TEXTS = st.text(st.sampled_from('ab"\\/\n\ufffdé😀\ud83d\U0010ffff1u{}[],:'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_every_beginning_says_what_a_slow_reader_finds(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    for end in range(len(text) + 1):
        expected = read_beginning(text[:end])
        assert partial_json(text[:end]) == (None if expected is NOTHING else expected), text[:end]
    if not isinstance(value, int | float) or isinstance(value, bool):
        assert partial_json(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        (" [", []),
        ('{"a', {}),
        ('{"a": "b', {"a": "b"}),
        ('{"a": "b\\', {"a": "b"}),
        ('["\\ud83d', [""]),
        ('["\\ud83d\\ude00', ["😀"]),
        ('["\\\\ud83d', ["\\ud83d"]),
        ('["\\\\\\ud83d', ["\\"]),
        ("[12", []),
        ("[12,", [12]),
        ("[tru", []),
        ('{"a": {"b": [1, {"c": null', {"a": {"b": [1, {"c": None}]}}),
    ],
)
def test_beginnings(text: str, value: Any) -> None:
    assert partial_json(text) == value


@pytest.mark.parametrize("text", ["]", "[}", "[1 2,", '{"a" 1 ', '["\n', "[" * 100_000])
def test_what_no_json_text_begins_with(text: str) -> None:
    with pytest.raises(ValueError):
        partial_json(text)


def test_wrong_types() -> None:
    with pytest.raises(TypeError, match="a str"):
        partial_json(b"{}")  # type: ignore[arg-type]
