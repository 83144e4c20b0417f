"""tests/cases/json_schema.json: texts that schemas accept and reject, errors with JSON pointers; untrusted schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ffgrammar.core.errors as errors
from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.json_schema import build
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.regex.expr.store import ExprStore
from sentences import BYTES, is_sentence

DATA = json.loads((Path(__file__).parent / "cases" / "json_schema.json").read_text(encoding="utf-8"))


def accepts(schema: Any, text: str | bytes, **options: Any) -> bool:
    """Whether the text is in the language of the schema."""
    return is_sentence(compile_json_schema(schema, BYTES, **options), text)


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["name"])
def test_cases(case: Any) -> None:
    options = case.get("options", {})
    # as a dict, and as JSON text, whose numbers are read exactly
    for schema in (case["schema"], json.dumps(case["schema"])):
        for text in case["accept"]:
            assert accepts(schema, text, **options), text
        for text in case["reject"]:
            assert not accepts(schema, text, **options), text


@pytest.mark.parametrize("case", DATA["errors"], ids=lambda case: case["name"])
def test_errors(case: Any) -> None:
    with pytest.raises(getattr(errors, case["error"])) as caught:
        build(case["schema"], ExprStore(), **case.get("options", {}))
    assert type(caught.value).__name__ == case["error"]
    assert case["says"] in str(caught.value)
    assert caught.value.pointer == case["pointer"]


def test_warnings_name_what_is_not_enforced() -> None:
    schema = {"properties": {"a": {"format": "int32", "nullable": True, "x-order": 1}, "b": {"format": "date"}}}
    found = build(schema, ExprStore(), formats="annotation").warnings
    assert len(found) == 3
    assert found[0].startswith("at /properties/a/format: the format 'int32' is unknown")
    assert found[1].startswith("at /properties/a/nullable: 'nullable' is not a keyword")
    assert found[2].startswith("at /properties/b/format: the format 'date' is not enforced")
    assert build({"title": "t", "default": 1, "$comment": ""}, ExprStore()).warnings == ()


def test_warnings_name_the_keyword_that_may_be_meant() -> None:
    meant = {
        "requierd": "required",
        "additionalPropertes": "additionalProperties",
        "min_length": "minLength",
        "anyof": "anyOf",
        "defs": "$defs",
        "x-requierd": None,
        **dict.fromkeys(["nullable", "discriminator", "enumNames", "errorMessage", "order", "", "\ud800", "é" * 5000]),
    }
    for word, known in meant.items():
        found = build({"type": "string", word: 1}, ExprStore()).warnings
        assert [line.partition("; did you mean ")[2] for line in found] == (
            [] if word.startswith("x-") else [f"{known}?" if known else ""]
        )
    found = build({"name": "answer", "schema": {"type": "string"}}, ExprStore()).warnings
    assert found[1].endswith(
        "'schema' is not a keyword of JSON Schema: ignored; if the schema that it holds is meant, compile that one"
    )
    # of very many unknown words, only the first are compared
    found = build({f"item{number}": 1 for number in range(400)}, ExprStore()).warnings
    assert found[0].endswith("'item0' is not a keyword of JSON Schema: ignored; did you mean items?")
    assert found[-1].endswith("'item399' is not a keyword of JSON Schema: ignored")


def test_warnings_name_subschemas_that_no_value_obeys() -> None:
    contradiction = {"type": "array", "enum": ["a"]}
    properties: dict[str, Any] = {
        "a": contradiction,
        "b": False,
        "e": {"$ref": "#/$defs/f"},
        "c": {"items": dict(contradiction)},
        "d": {"minLength": 1},
    }
    schema = {"properties": properties, "$defs": {"f": dict(contradiction)}}
    assert build(schema, ExprStore()).warnings == (
        "at /properties/a: no value obeys this schema",
        "at /properties/e: no value obeys this schema",
        "at /properties/c/items: no value obeys this schema",
    )


EMPTY: dict[str, Any] = {"type": "string", "enum": [1]}


def _needing(word: str, value: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {word: value}, "required": [word]}


@pytest.mark.parametrize(
    ("schema", "pointer", "what"),
    [
        (False, "", ""),
        (_needing("a", _needing("b", EMPTY)), "/properties/a/properties/b", ""),
        # what is not required is no reason
        ({**_needing("b", EMPTY), "properties": {"a": dict(EMPTY), "b": EMPTY}}, "/properties/b", ""),
        ({"type": "array", "minItems": 2, "prefixItems": [{}, EMPTY]}, "/prefixItems/1", ""),
        ({"type": "array", "minItems": 2, "prefixItems": [{}], "items": EMPTY}, "/items", ""),
        ({"type": "array", "contains": EMPTY}, "/contains", ""),
        ({"anyOf": [EMPTY, _needing("b", False)]}, "", ""),
        ({"enum": []}, "", "`enum` lists no value"),
        ({"allOf": [{}, {"enum": []}]}, "/allOf/1", "`enum` lists no value"),
        ({"allOf": [{}, {"allOf": [False]}]}, "/allOf/1/allOf/0", "no value is allowed there"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"enum": []}}}, "/$defs/a", "`enum` lists no value"),
        (
            _needing("a", {"type": "integer", "minimum": 2, "maximum": 1}),
            "/properties/a",
            "`minimum` is greater than `maximum`",
        ),
        ({"type": "string", "minLength": 2, "maxLength": 1}, "", "`minLength` is greater than `maxLength`"),
        (
            _needing("a", {"type": "array", "contains": {}, "minContains": 3, "maxContains": 2}),
            "/properties/a",
            "`minContains` is greater than `maxContains`",
        ),
        (
            {"type": "array", "contains": {"type": "string"}, "minContains": 3, "maxItems": 2},
            "",
            "`minContains` is greater than `maxItems`",
        ),
        ({"type": "array", "contains": {}, "maxContains": 0}, "", "`contains` needs an item, but `maxContains` is 0"),
        ({"type": "array", "contains": {}, "maxItems": 0}, "", "`contains` needs an item, but `maxItems` is 0"),
        # (without `contains`, and before draft 2019-09, these words mean nothing)
        ({"type": "array", "minContains": 3, "maxContains": 2, "enum": [1]}, "", ""),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "array",
                "contains": {},
                "minContains": 3,
                "maxContains": 2,
                "maxItems": 0,
            },
            "",
            "`contains` needs an item, but `maxItems` is 0",
        ),
        # (not of strings)
        ({"type": "string", "minimum": 2, "maximum": 1, "enum": [1]}, "", ""),
        (_needing("a", False), "", "the property 'a' is required, but no value is allowed there"),
        (
            _needing("a", {"type": "object", "required": ["b"], "additionalProperties": False}),
            "/properties/a",
            "the property 'b' is required, but no value is allowed there",
        ),
        (
            {"type": "array", "minItems": 2, "prefixItems": [{}], "items": False},
            "",
            "the item 1 is required, but no value is allowed there",
        ),
        (
            {**_needing("a", {"$ref": "#/$defs/b"}), "$defs": {"b": _needing("b", {"$ref": "#/$defs/b"})}},
            "/$defs/b/properties/b",
            "the property 'b' is required and needs another such value, without end",
        ),
        (
            {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
            "/items",
            "the item 0 is required and needs another such value, without end",
        ),
    ],
)
def test_a_schema_that_no_value_obeys_is_refused_at_the_deepest_place(schema: Any, pointer: str, what: str) -> None:
    with pytest.raises(errors.GrammarError) as caught:
        build(schema, ExprStore())
    assert caught.value.pointer == pointer
    assert caught.value.message == "no value obeys this schema" + (f": {what}" if what else "")


def test_the_reason_why_no_value_obeys_is_left_out_where_it_is_too_hard_to_find() -> None:
    """Without one of its parts, the schema would have to be read again."""
    some_key = {"type": "array", "contains": {"type": "object", "not": {"additionalProperties": {"type": "string"}}}}
    with pytest.raises(errors.GrammarError, match=r"no value obeys this schema$"):
        build({"allOf": [{"type": "string"}, some_key]}, ExprStore(), whitespace="compact", property_order="any")


def test_later_keywords_mean_nothing_in_earlier_drafts() -> None:
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "const": 1, "enum": [[1], {"a": 1}, 2]}
    assert accepts(schema, "2") and accepts(schema, "[1]") and accepts(schema, '{"a":1}')
    assert not accepts(schema, "[2]") and not accepts(schema, "1")
    assert any("const" in line for line in build(schema, ExprStore()).warnings)


def test_one_store_serves_many_schemas() -> None:
    store = ExprStore()
    first = build({"type": "object", "properties": {"a": {"type": "string"}}}, store)
    count = len(store)
    again = build({"type": "object", "properties": {"a": {"type": "string"}}}, store)
    assert len(store) == count
    assert first.productions == again.productions and first.lexemes == again.lexemes


def test_equal_subschemas_are_equal_symbols() -> None:
    address = {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}
    one = build({"properties": {"a": address}}, ExprStore())
    many = build({"properties": {name: dict(address) for name in "abcdefgh"}}, ExprStore())
    # three productions for each optional property more, none for its value
    assert len(many.productions) - len(one.productions) <= 3 * 7 + 1


def _deep(word: str, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "null"}
    for _ in range(depth):
        schema = {word: [schema]} if word in ("anyOf", "allOf", "oneOf", "prefixItems") else {word: schema}
    return schema


@pytest.mark.parametrize("word", ["items", "anyOf", "allOf", "oneOf", "not", "additionalProperties", "prefixItems"])
def test_nesting_ends_in_a_limit(word: str) -> None:
    # no combination of depths reaches Python's recursion limit
    assert build(_deep(word, 300), ExprStore()).productions
    with pytest.raises(errors.LimitError) as caught:
        build(_deep(word, 5000), ExprStore())
    assert caught.value.limit == "nesting"
    with pytest.raises(errors.LimitError):
        build('{"items":' * 100_000 + "{}" + "}" * 100_000, ExprStore())


def test_deep_values_are_parsed() -> None:
    schema = _deep("items", 300)
    assert accepts(schema, "[" * 300 + "null" + "]" * 300)
    assert not accepts(schema, "[" * 300 + "1" + "]" * 300)


def test_combinations_end_in_a_limit() -> None:
    wide = {"allOf": [{"anyOf": [{"multipleOf": 10 * i + k} for k in range(1, 10)]} for i in range(10)]}
    with pytest.raises(errors.LimitError) as caught:
        build(wide, ExprStore(), Limits(alternatives=1000))
    assert caught.value.limit == "alternatives"


def test_alternatives_are_counted_at_the_root_and_in_its_properties() -> None:
    more = {c: {"required": ["x" + c], "not": {"required": ["y"]}} for c in "abcdefg"}
    with pytest.raises(errors.LimitError, match="combinations at the root"):
        build({"dependentSchemas": more}, ExprStore(), Limits(alternatives=1))
    ways = {"oneOf": [{"type": "string"}, {"minLength": 2}]}
    with pytest.raises(errors.LimitError, match="combinations at /properties/b"):
        integers = {key: {"type": "integer", "minimum": 0} for key in "abcdefgh"}
        build(
            {"properties": integers, "not": {"properties": {"a": {"const": 1}, "b": ways}}},
            ExprStore(),
            Limits(alternatives=1),
        )


def test_alternatives_are_counted_where_there_are_some() -> None:
    # plain schemas are not combinations, however many there are
    properties: dict[str, Any] = {f"p{i}": {"type": "string", "minLength": i} for i in range(200)}
    properties["last"] = {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer", "minimum": 4}]}
    assert build({"properties": properties}, ExprStore(), Limits(alternatives=10)).productions


@pytest.mark.parametrize(
    ("schema", "limit"),
    [
        ({"allOf": [{"contains": {"const": i}} for i in range(20)], "prefixItems": [{}], "maxItems": 30}, "rules"),
        ({"allOf": [{"contains": {"const": i}, "minContains": 10**5} for i in range(2)]}, "rules"),
        ({"allOf": [{"contains": {"properties": {f"a{i}": False}}, "maxContains": 2} for i in range(20)]}, "rules"),
        ({"contains": {"type": "integer"}, "minContains": 10**6}, "rules"),
        ({"contains": {"type": "integer"}, "maxContains": 10**6}, "rules"),
        ({"oneOf": [{"properties": {"a": {"minimum": i}}} for i in range(1000)]}, "alternatives"),
    ],
    ids=[
        "several in few items",
        "several at least",
        "several at most",
        "at least",
        "at most",
        "branches that all overlap",
    ],
)
def test_counting_ends_in_a_limit(schema: Any, limit: str) -> None:
    with pytest.raises(errors.LimitError) as caught:
        build(schema, ExprStore())
    assert caught.value.limit == limit


@pytest.mark.parametrize("name", ["types", "without", "not", "some of", "some unevaluated", "repeated"])
def test_keywords_are_strings(name: str) -> None:
    # internal keywords cannot come from outside
    with pytest.raises(errors.GrammarError, match="a key must be a string"):
        build({"type": "integer", (name,): (0,)}, ExprStore())  # type: ignore[dict-item]


def test_bounds_of_too_many_digits_end_in_a_limit() -> None:
    with pytest.raises(errors.LimitError):
        build('{"minimum": 1e999999999}', ExprStore())
    assert accepts('{"type": "integer", "minimum": 1e300}', "1" + "0" * 300)
    assert not accepts('{"type": "integer", "minimum": 1e300}', "9" * 300)


@pytest.mark.parametrize(
    "schema",
    [
        '{"const": 1e999999999}',
        '{"enum": [1, 1e-999999999]}',
        '{"enum": [1], "multipleOf": 1e999999999}',
        '{"minimum": ' + "9" * 100_000 + "}",
        {"maxProperties": 10**9},
        {"type": "object", "maxProperties": 10**400},
        {"contains": {"type": "null"}, "maxItems": 10**9, "prefixItems": [{}]},
    ],
)
def test_huge_numbers_end_in_a_limit(schema: Any) -> None:
    with pytest.raises(errors.LimitError) as caught:
        # (counting up to the default takes seconds)
        build(schema, ExprStore(), Limits(rules=20_000))
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({1: 2}, ""),
        ({"properties": {"a": {None: 2}}}, "/properties/a"),
        ({"properties": {1: {}}}, "/properties"),
        ({"not": {"patternProperties": {1: {"type": "null"}}}}, "/not/patternProperties"),
        ({"dependentRequired": {1: ["a"]}}, "/dependentRequired"),
        ({"enum": [0, {1: 2}]}, "/enum/1"),
        ({"const": float("nan")}, "/const"),
        ({"enum": [0, float("inf")]}, "/enum/1"),
        ({"minLength": -(10**5000)}, "/minLength"),
    ],
)
def test_what_no_json_has_is_refused(schema: Any, pointer: str) -> None:
    with pytest.raises(errors.GrammarError) as caught:
        build(schema, ExprStore())
    assert caught.value.pointer == pointer


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [{"const": f"value number {i}", "title": str(i)} for i in range(3000)]},
        {"type": "array", "items": {"type": "integer"}, "maxItems": 2_147_483_647},
        {"type": "object", "properties": {f"property{i}": {"type": "integer"} for i in range(3000)}},
        {"enum": [f"value number {i * 7919 % 20011}" for i in range(20_000)]},
        {"type": "array", "items": {"type": "integer"}, "maxItems": 1_000_000},
        {"type": "string", "maxLength": 10_000_000},
        {"type": "object", "properties": {f"p{i}": {} for i in range(300)}, "maxProperties": 100},
    ],
    ids=["oneOf", "many items", "properties", "enum", "items", "length", "counted"],
)
def test_grammars_of_large_schemas_are_small(schema: Any) -> None:
    store = ExprStore()
    grammar = build(schema, store)
    assert len(store) < 10_000 and len(grammar.productions) < 60_000


@pytest.mark.parametrize(
    "schema", ['{"const": "\\ud800"}', '{"required": ["\\udc00a"]}', '{"properties": {"\\udfff": {}}}']
)
def test_lone_surrogates_are_refused(schema: str) -> None:
    with pytest.raises(errors.GrammarError, match="lone surrogate"):
        build(schema, ExprStore())
    assert accepts('{"const": "\\ud83d\\ude00"}', '"😀"')


def test_overlapping_patterns_end_in_a_limit() -> None:
    apart = {"type": "object", "patternProperties": {f"^a{k:02}": {"minimum": k} for k in range(90)}}
    assert build(apart, ExprStore()).productions
    schema = {"type": "object", "patternProperties": {f"a{k}": {"minimum": k} for k in range(16)}}
    with pytest.raises(errors.LimitError) as caught:
        build(schema, ExprStore())
    assert caught.value.limit == "alternatives"


def test_containers_and_strings_may_be_of_subclasses() -> None:
    """YAML readers and configuration libraries make such objects."""

    class Dict(dict[str, Any]):
        pass

    class List(list[Any]):
        pass

    class Str(str):
        pass

    plain = {
        "type": "object",
        "properties": {"a": {"enum": ["x", {"y": [1]}]}, "b": {"pattern": "a", "anyOf": [{"minLength": 3}, False]}},
        "patternProperties": {"^c": {"items": [{"$ref": "#/$defs/d"}], "contains": {"const": 2}}},
        "required": ["a"],
        "dependentRequired": {"a": ["b"]},
        "$defs": {"d": {"type": ["integer", "null"], "format": "date", "multipleOf": 3}},
    }

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return Dict({Str(key): changed(inner) for key, inner in value.items()})
        return List(map(changed, value)) if isinstance(value, list) else value

    first = build(plain, ExprStore())
    again = build(changed(plain), ExprStore())
    assert first.productions == again.productions and first.lexemes == again.lexemes


def test_a_copy_of_a_shape_lacks_nothing() -> None:
    """A field that the copy lacks would not be enforced."""
    names = [name for name in dir(Shape()) if not name.startswith("_") and not callable(getattr(Shape(), name))]
    assert {"types", "low", "strings", "items", "required", "pending"} < set(names)
    for name in names:
        shape = Shape()
        usual = getattr(shape, name)
        changed: Any = not usual if isinstance(usual, bool) else (object(),) if usual in ((), None) else 7
        setattr(shape, name, changed)
        assert getattr(shape, name) == changed != usual
        assert getattr(shape.copy(), name) == changed, name
