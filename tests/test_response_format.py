"""Response formats of APIs."""

from __future__ import annotations

from typing import Any

import pytest

import ffgrammar as ff

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def accepts(grammar: ff.Grammar, text: str) -> bool:
    matcher = grammar.matcher()
    return matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting()


@pytest.mark.parametrize(
    ("given", "good", "bad"),
    [
        ({"type": "text"}, ["", "Hi {"], []),
        ({"type": "json_object"}, ["{}", '{"a": [1]}'], ["[]", "1", "{}  "]),
        (
            {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}},
            ['{"a": 1}', '{ "a":1 }'],
            ['{"a":   1}', "{}"],
        ),
        ({"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA, "strict": True}}, ['{"a": 1}'], ["{}"]),
        ({"type": "json_schema", "name": "x", "schema": SCHEMA, "strict": True}, ['{"a": 1}'], ["{}"]),
        ({"type": "json_schema", "schema": SCHEMA}, ['{"a": 1}'], ["{}"]),
    ],
)
def test_formats(given: Any, good: list[str], bad: list[str], cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_response_format(given, cl100k)
    assert all(accepts(grammar, text) for text in good) and not any(accepts(grammar, text) for text in bad)
    assert grammar.warnings == ()
    assert ff.compile(given, cl100k).warnings == ()


def test_warnings_say_where(cl100k: ff.Tokenizer) -> None:
    loose = {"type": "object", "properties": {"a": {"type": "string", "format": "phone"}}}
    given = {"type": "json_schema", "json_schema": {"schema": loose, "strict": True}}
    warnings = ff.compile_response_format(given, cl100k).warnings
    for start in (
        "at /json_schema/schema/properties/a/format: ",
        "at /json_schema/schema: strict asks for additionalProperties: false",
        "at /json_schema/schema: strict asks that all properties are required",
    ):
        assert any(one.startswith(start) for one in warnings), warnings
    # the grammar of the schema alone does not get them
    plain = {"type": "json_schema", "json_schema": {"schema": loose}}
    assert len(ff.compile_response_format(plain, cl100k).warnings) == 1


@pytest.mark.parametrize(
    ("given", "pointer", "message"),
    [
        ({}, "/type", "type must be one of text, json_object, json_schema"),
        ({"type": "xml"}, "/type", "not 'xml'"),
        (
            {"type": "json_schema"},
            "",
            r"a format of the type 'json_schema' has no 'schema': it is \{'type'.*\}, or \{'type'",
        ),
        ({"json_schema": {"schema": {}}}, "", "there is no 'type'; a format with 'json_schema' has the type"),
        ({"type": "json_schema", "json_schema": 3}, "/json_schema", "must be an object"),
        ({"type": "json_schema", "json_schema": {}}, "/json_schema", "'json_schema' has no 'schema': it is"),
        ({"type": "json_schema", "json_schema": {"schema": {"type": "x"}}}, "/json_schema/schema/type", "'x'"),
        ({"type": "json_schema", "schema": {"items": {"type": "x"}}}, "/schema/items/type", "'x'"),
    ],
)
def test_errors(given: Any, pointer: str, message: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match=message) as caught:
        ff.compile_response_format(given, cl100k)
    assert caught.value.pointer == pointer


def test_other_types(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(TypeError, match="must be a dict"):
        ff.compile_response_format("json_object", cl100k)  # type: ignore[arg-type]
