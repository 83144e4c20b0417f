"""Formats in which arguments stand between tags: which texts a schema allows there, and what is refused."""

from __future__ import annotations

import ast
import itertools
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.api.tools.argument_formats import ARGUMENT_FORMATS


def accepts(grammar: ff.Grammar, text: str) -> bool:
    matcher = grammar.matcher()
    return matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting()


def tagged(key: str, value: str) -> str:
    """A call of the tool f with one argument, in the format qwen3-coder."""
    parameter = f"<parameter={key}>\n{value}\n</parameter>\n"
    return f"<tool_call>\n<function=f>\n{parameter}</function>\n</tool_call>"


def of_schema(schema: Any, tok: ff.Tokenizer, **more: Any) -> ff.Grammar:
    tool = {"name": "f", "input_schema": {"type": "object", "properties": {"a": schema}, "required": ["a"], **more}}
    return ff.compile_tools([tool], tok, format="qwen3-coder", choice="f")


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string"}, ["", "a", '"a"', "1", "a\n", "</parameter", "<b>&amp;"], ["</parameter>"]),
        ({}, ["", "a", "1", "{}", "null"], ["</parameter>"]),
        (True, ["", "a"], []),
        ({"title": "A", "x-note": 1, "description": "…"}, ["", "a"], []),
        ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "日本語"], ["a", "abcd"]),
        ({"type": "string", "pattern": "^a+$"}, ["a", "aaa"], ["", "ab"]),
        ({"type": "string", "format": "date"}, ["2026-11-25"], ["2026-11-31", "x"]),
        ({"type": "string", "format": "hostname"}, ["example.org"], ["-"]),
        ({"enum": ["x", "y z"]}, ["x", "y z"], ["y", '"x"']),
        ({"enum": ["x", None]}, ["x", "null"], ["y"]),
        ({"const": "x"}, ["x"], ["y"]),
        ({"anyOf": [{"type": "string", "maxLength": 2}, {"type": "null"}]}, ["ab", "null"], ["abc"]),
        ({"anyOf": [{"const": "a"}, {"const": "b"}]}, ["a", "b"], ["c"]),
        ({"$ref": "#/$defs/one"}, ["u"], ["v"]),
        ({"$ref": "#/$defs/many"}, ["u"], ["v"]),
        ({"type": "string", "nullable": True, "items": {}}, ["x"], []),
        ({"type": ["string", "null"], "enum": ["x"]}, ["x"], ["null"]),
        ({"type": "string", "anyOf": [{"type": "null"}, {"enum": ["x", None]}]}, ["x"], ["null"]),
        ({"oneOf": [{"const": "x"}, {"type": "null"}]}, ["x", "null"], ["y"]),
        ({"type": "integer"}, ["1", "-20"], ["", "1.5", '"1"', "x"]),
        ({"type": ["number", "null"]}, ["1.5", "null"], ["x"]),
        ({"type": "boolean"}, ["true", "false"], ["True"]),
        ({"type": "array", "items": {"$ref": "#/$defs/one"}}, ['["u"]', "[]"], ["u", '["v"]']),
        (
            {"type": "object", "properties": {"b": {"type": "integer"}}, "additionalProperties": False},
            ['{"b": 1}'],
            ['{"b": "x"}'],
        ),
    ],
)
def test_values_between_tags(schema: Any, good: list[str], bad: list[str], cl100k: ff.Tokenizer) -> None:
    # (each of many refers to the one before it twice)
    many = {f"m{n}": {"anyOf": [{"$ref": f"#/$defs/m{n - 1}"}] * 2} for n in range(1, 9)}
    definitions = {"one": {"enum": ["u"]}, "m0": {"$ref": "#/$defs/one"}, **many, "many": {"$ref": "#/$defs/m8"}}
    grammar = of_schema(schema, cl100k, **{"$defs": definitions})
    for value in good:
        assert accepts(grammar, tagged("a", value)), value
    for value in bad:
        assert not accepts(grammar, tagged("a", value)), value


PROPERTY = "/tools/0/input_schema/properties/a"


@pytest.mark.parametrize(
    ("schema", "pointer", "message"),
    [
        ({"type": ["string", "integer"]}, PROPERTY, "a string or something else"),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, PROPERTY, "a string or something else"),
        ({"enum": ["x", 1]}, PROPERTY, "a string or something else"),
        ({"oneOf": [{"const": "x"}, {"const": "y"}]}, f"{PROPERTY}/oneOf", "use 'anyOf'"),
        (
            {"anyOf": [{"const": "x"}, {"type": "null", "not": {"const": 1}}]},
            f"{PROPERTY}/anyOf/1/not",
            "not known here",
        ),
        ({"minLength": 3}, PROPERTY, "a string or something else"),
        ({"type": "string", "not": {"const": "x"}}, f"{PROPERTY}/not", "not known here for a string"),
        ({"type": "string", "allOf": [{"maxLength": 1}]}, f"{PROPERTY}/allOf", "not known here for a string"),
        ({"$ref": "#/$defs/none"}, f"{PROPERTY}/$ref", "leads nowhere"),
        ({"$ref": "other.json"}, f"{PROPERTY}/$ref", "nothing is fetched"),
        ({"$ref": "#/properties/a"}, PROPERTY, "lead in a circle"),
        ({"type": "string", "minLength": -1}, f"{PROPERTY}/minLength", "from 0 up"),
        ({"type": "string", "pattern": "("}, f"{PROPERTY}/pattern", "group is not closed"),
        ({"type": "string", "minLength": 2, "maxLength": 1}, PROPERTY, "no value obeys"),
        ({"type": "string", "minLength": "x"}, f"{PROPERTY}/minLength", "must be a number"),
        ({"type": "string", "enum": 3}, f"{PROPERTY}/enum", "must be"),
        ({"const": "</parameter>"}, PROPERTY, "no text obeys"),
        ({"type": "integer", "minimum": "x"}, f"{PROPERTY}/minimum", "must be a number"),
        ({"type": "array", "items": {"$ref": "#/$defs/no"}}, f"{PROPERTY}/items/$ref", "leads to|nowhere|nothing"),
        (False, PROPERTY, "no value obeys"),
    ],
)
def test_values_that_cannot_be_written(schema: Any, pointer: str, message: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match=message) as caught:
        of_schema(schema, cl100k)
    assert caught.value.pointer == pointer


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"minProperties": 1}, "/tools/0/input_schema/minProperties"),
        ({"anyOf": [{}]}, "/tools/0/input_schema/anyOf"),
        ({"required": ["b"]}, "/tools/0/input_schema/required"),
        ({"properties": {"a>b": {}}, "required": []}, "/tools/0/input_schema/properties/a>b"),
        ({"properties": 3}, "/tools/0/input_schema/properties"),
        ({"required": None}, "/tools/0/input_schema/required"),
        ({"required": [{}]}, "/tools/0/input_schema/required"),
    ],
)
def test_objects_that_cannot_be_written(more: Any, pointer: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError) as caught:
        of_schema({}, cl100k, **more)
    assert caught.value.pointer == pointer


def test_alternatives_that_are_nested_too_deep(cl100k: ff.Tokenizer) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        schema = {"anyOf": [schema, {"type": "null"}]}
    with pytest.raises(ff.UnsupportedError, match="nested too deep"):
        of_schema(schema, cl100k)


def test_a_reference_for_all_arguments(cl100k: ff.Tokenizer) -> None:
    schema = {"$ref": "#/$defs/Args", "$defs": {"Args": {"type": "object", "properties": {"a": {"type": "string"}}}}}
    for format in ("hermes", *(one.name for one in ARGUMENT_FORMATS)):
        ff.compile_tools([{"name": "f", "input_schema": schema}], cl100k, format=format)  # type: ignore[arg-type]
    grammar = ff.compile_tools([{"name": "f", "input_schema": schema}], cl100k, format="qwen3-coder")
    assert accepts(grammar, tagged("a", "x")) and not accepts(grammar, tagged("b", "x"))


MIXED = {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "number"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("format", "good", "bad"),
    [
        (
            "deepseek-v3.2",
            ['string="true">ab', 'string="true">7', 'string="false">7', 'string="false">null'],
            ['string="true">abcd', 'string="false">"ab"', 'string="false">true'],
        ),
        ("gemma4", ['<|"|>ab<|"|>', '<|"|>7<|"|>', "7", "null"], ['<|"|>abcd<|"|>', '"ab"', "true", '<|"|>ab']),
        ("pythonic", ['"ab"', "7", "null"], ['"abcd"', "'ab'", "True", "ab"]),
    ],
)
def test_strings_that_are_told_apart(format: str, good: list[str], bad: list[str], cl100k: ff.Tokenizer) -> None:
    before, after = {
        "deepseek-v3.2": (
            '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" ',
            "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        ),
        "gemma4": ("<|tool_call>call:f{a:", "}<tool_call|>"),
        "pythonic": ("[f(a=", ")]"),
    }[format]
    draft = {"$schema": "http://json-schema.org/draft-07/schema#"}
    for schema, more in ((MIXED, {}), ({"$ref": "#/$defs/mixed"}, {}), ({"$ref": "#/$defs/mixed"}, draft)):
        parameters = {"properties": {"a": schema}, "required": ["a"], "$defs": {"mixed": MIXED}, **more}
        tool = {"name": "f", "input_schema": parameters}
        grammar = ff.compile_tools([tool], cl100k, format=format, choice="f")  # type: ignore[arg-type]
        assert all(accepts(grammar, before + one + after) for one in good)
        assert not any(accepts(grammar, before + one + after) for one in bad)
    anything = ff.compile_tools(
        [{"name": "f", "input_schema": {"properties": {"a": {}}}}],
        cl100k,
        format="deepseek-v3.2",
        choice="f",
    )
    start = '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n'
    end = "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    for one in ('true">{}', 'false">{}', 'false">[1, "x"]'):
        value = f'<｜DSML｜parameter name="a" string="{one}</｜DSML｜parameter>\n'
        assert accepts(anything, start + value + end)
    assert accepts(anything, start + end)


def test_calls_in_pythons_notation_are_python(cl100k: ff.Tokenizer) -> None:
    properties = {key: {"type": "integer"} for key in "abcd"}
    tool = {"name": "f.g", "input_schema": {"properties": properties, "required": ["c"]}}
    grammar = ff.compile_tools([tool], cl100k, format="pythonic", choice="required")
    for size in range(5):
        for keys in itertools.combinations("abcd", size):
            text = f"[f.g({', '.join(f'{key}={number}' for number, key in enumerate(keys))}), f.g(c=1)]"
            assert accepts(grammar, text) == ("c" in keys)
            ast.parse(text)
    assert not any(
        accepts(grammar, text) for text in ("[f.g(, c=1)]", "[f.g(c=1, )]", "[f.g(c=1, a=1)]", "[f.g(c=1 d=1)]")
    )


@pytest.mark.parametrize(
    ("format", "name", "key", "schema", "message"),
    [
        ("pythonic", "get-it", "a", {}, "'get-it' is no name"),
        ("pythonic", "f", "class", {}, "names are as in Python"),
        ("pythonic", "f", "a b", {}, "names are as in Python"),
        ("gemma4", "f", "a:", {}, "':' ends it"),
        ("gemma4", "f", "a", {"type": "object"}, "does not write objects"),
        (
            "functiongemma",
            "f",
            "a",
            {"type": "array", "items": {"type": "string"}},
            "nor lists of anything but numbers",
        ),
        ("gemma4", "f", "a", {}, "does not write objects"),
    ],
)
def test_what_these_formats_refuse(
    format: str, name: str, key: str, schema: Any, message: str, cl100k: ff.Tokenizer
) -> None:
    tool = {"name": name, "input_schema": {"properties": {key: schema}}}
    with pytest.raises(ff.UnsupportedError, match=message) as caught:
        ff.compile_tools([tool], cl100k, format=format)  # type: ignore[arg-type]
    assert (caught.value.pointer or "").startswith("/tools/0/")
