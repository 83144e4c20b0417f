"""Separators and line breaks: what json.dumps writes with the same arguments is accepted, other layouts are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from oracle.schemas import values
from sentences import BYTES, is_sentence

LAYOUTS: list[dict[str, Any]] = [
    {"indent": 2},
    {"indent": 0},
    {"indent": 4, "separators": (" , ", " : ")},
    {"indent": 1, "separators": (",", ":")},
    {"separators": (", ", ": ")},
    {"separators": (",", ":")},
]
SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "array", "items": {"type": "integer"}},
        "b": {"type": "array", "uniqueItems": True},
        "c": {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True},
        "d": {"minProperties": 2},
        "e": {"contains": {"const": 1}},
        "f": {"items": {"type": ["boolean", "array"]}, "uniqueItems": True},
    },
}
VALUES: list[Any] = [
    {},
    {"a": [], "b": [], "c": []},
    {"a": [1, 2, 3], "b": ["x", {"y": 1}, []], "c": [3, 1], "d": {"q": 1, "z": {}}, "e": [0, 1], "more": {}},
    {"f": [True, [1], False]},
]
REPEATED: list[Any] = [{"b": [1, 1]}, {"c": [1, 1]}]


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_layouts(layout: dict[str, Any], order: str, tmp_path: Path) -> None:
    grammar = ff.compile_json_schema(SCHEMA, BYTES, property_order=order, **layout)
    for value in VALUES:
        own = json.dumps(value, **layout)
        assert is_sentence(grammar, own), own
        for other in LAYOUTS:
            text = json.dumps(value, **other)
            # (any multiple of the indent is accepted on any line)
            if text != own and not ("indent" in layout and "indent" in other):
                assert not is_sentence(grammar, text), (layout, text)
    for value in REPEATED:
        assert not is_sentence(grammar, json.dumps(value, **layout))
    grammar.save(tmp_path / "layout.ffg")
    loaded = ff.load(tmp_path / "layout.ffg", BYTES)
    assert all([is_sentence(loaded, json.dumps(value, **layout)) for value in VALUES])


@given(values, st.sampled_from(LAYOUTS))
def test_anything_as_json_dumps_writes_it(value: Any, layout: dict[str, Any]) -> None:
    assert is_sentence(ff.compile_json_schema({}, BYTES, **layout), json.dumps(value, ensure_ascii=False, **layout))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"indent": -1}, "indent must be"),
        ({"indent": True}, "indent must be"),
        ({"separators": (";", ":")}, "separators must be"),
        ({"separators": ",:"}, "separators must be"),
        ({"separators": (",", ":x")}, "separators must be"),
        ({"indent": 2, "whitespace": "compact"}, "whitespace cannot be set"),
    ],
)
def test_wrong_options(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ff.GrammarError, match=says):
        ff.compile_json_schema({}, BYTES, **options)
