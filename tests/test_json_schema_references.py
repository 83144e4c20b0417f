"""References between documents and resources, dynamic references, dialects. A plain evaluator judges random ones."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4, DRAFT7, DRAFT202012

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from oracle.references import Endless, judge, many_resources, values
from oracle.schemas import spelled
from sentences import BYTES, is_sentence

SEEN: Counter[str] = Counter()
ONE = [True, False]
SCHEMA_2020 = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_7 = "http://json-schema.org/draft-07/schema#"


def accepts(schema: Any, *data: Any, **options: Any) -> list[bool]:
    """Which of the values are in the language of the schema."""
    grammar = compile_json_schema(schema, BYTES, property_order="any", whitespace="compact", **options)
    return [is_sentence(grammar, spelled(one, compact=True)) for one in data]


@pytest.mark.parametrize("draft", [2019, 2020])
def test_random_resources(draft: int, covered: Callable[[str], None]) -> None:
    SEEN.clear()

    @given(st.data())
    def check(data: st.DataObject) -> None:
        schema, registry = data.draw(many_resources(draft))
        samples = data.draw(st.lists(values, min_size=4, max_size=8))
        expected: list[bool | None] = []
        for value in samples:
            try:
                expected.append(judge(schema, registry, value))
            except Endless:
                # unknown: the value may be rejected for another reason
                expected.append(None)
        try:
            found = accepts(schema, *samples, registry=registry)
        except GrammarError as error:
            if "in a circle" in error.message:
                SEEN["circular"] += 1
                return
            assert error.message.startswith("no value obeys")
            found = [False] * len(samples)
        assert all(one in (got, None) for got, one in zip(found, expected, strict=True)), (found, expected)
        SEEN.update(["accepted" if one else "rejected" for one in found])

    check()
    covered(", ".join([f"{count} {what}" for what, count in SEEN.most_common()]))
    assert min(SEEN["accepted"], SEEN["rejected"]) >= 20


# What a caller may pass


def test_a_mapping() -> None:
    registry = {
        "http://a.test/int#": {"type": "integer"},
        "http://a.test/text": '{"const": 9007199254740993}',
        "http://a.test/never": False,
        "relative.json": {"type": "null"},
        "http://a.test/outer": {"$defs": {"x": {"$id": "http://b.test/inner", "type": "boolean"}}},
    }
    for ref, right, wrong in [
        ("http://a.test/int", 1, "1"),
        ("http://a.test/int#", 1, "1"),
        ("http://a.test/text", 9007199254740993, 9007199254740992),
        ("relative.json", None, 0),
        ("http://b.test/inner", True, None),
        ("http://a.test/outer#/$defs/x", True, None),
    ]:
        assert accepts({"$ref": ref}, right, wrong, registry=registry) == [True, False], ref
    assert accepts({"not": {"$ref": "http://a.test/never"}}, 1, registry=registry) == [True]
    with pytest.raises(UnsupportedError, match="nothing is fetched") as caught:
        accepts({"items": {"$ref": "http://a.test/nothing"}}, registry=registry)
    assert caught.value.pointer == "/items/$ref"


def test_a_registry() -> None:
    contents = {"dependentRequired": {"a": ["b"]}}
    registry = (
        Registry()
        .with_resource("http://a.test/old", Resource(contents=contents, specification=DRAFT7))
        .with_resource("http://a.test/new", DRAFT202012.create_resource(contents))
        .with_resource("http://a.test/four", DRAFT4.create_resource({"id": "http://b.test/", "maximum": 3}))
    )
    for crawled in (registry, registry.crawl()):
        assert accepts({"$ref": "http://a.test/old"}, {"a": 1}, registry=crawled) == [True]
        assert accepts({"$ref": "http://a.test/new"}, {"a": 1}, registry=crawled) == [False]
        assert accepts({"$ref": "http://b.test/"}, 3, 4, registry=crawled) == [True, False]


def test_the_parts_that_a_registry_lists_keep_their_base() -> None:
    folder = {"$id": "folder/", "$ref": "x.json"}
    outer = {"$defs": {"f": folder, "x": {"$id": "folder/x.json", "type": "null"}}, "$ref": "folder/"}
    registry = Registry().with_resource("http://a.test/outer", DRAFT202012.create_resource(outer)).crawl()
    assert "http://a.test/folder/" in registry
    for ref in ("http://a.test/outer", "http://a.test/folder/"):
        assert accepts({"$ref": ref}, None, 1, registry=registry) == [True, False]


def test_what_is_not_listed_is_retrieved_only_by_the_callers_own_function() -> None:
    retrieved: list[str] = []

    def retrieve(uri: str) -> Resource[Any]:
        retrieved.append(uri)
        if uri == "http://a.test/broken":
            raise OSError("no route")
        return DRAFT202012.create_resource({"type": "integer"})

    registry: Any = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    schema = {"anyOf": [{"$ref": "http://a.test/x"}, {"items": {"$ref": "http://a.test/x"}, "type": "array"}]}
    assert accepts(schema, 1, [1], ["1"], registry=registry) == [True, True, False]
    assert retrieved == ["http://a.test/x"]
    # a draft's own metaschema is known
    assert accepts({"$ref": f"{SCHEMA_7}/definitions/simpleTypes"}, "null", "nil", registry=registry) == [True, False]
    assert retrieved == ["http://a.test/x"]
    with pytest.raises(UnsupportedError, match="no route"):
        accepts({"$ref": "http://a.test/broken"}, registry=registry)


@pytest.mark.parametrize("registry", [[], "http://a.test/", {"http://a.test/": "{"}, {"http://a.test/": [1]}])
def test_a_bad_registry_is_said_to_be_bad(registry: Any) -> None:
    with pytest.raises(GrammarError):
        accepts({"$ref": "http://a.test/"}, registry=registry)


def test_errors_name_the_document() -> None:
    with pytest.raises(GrammarError) as caught:
        accepts({"$ref": "http://a.test/x#/$defs/y"}, registry={"http://a.test/x": {"$defs": {"y": {"type": "int"}}}})
    assert caught.value.pointer == "http://a.test/x#/$defs/y/type"


def test_without_a_registry_its_package_is_not_imported() -> None:
    code = (
        "import sys, ffgrammar as ff; tok = ff.Tokenizer.from_tokens([b'1'])\n"
        f"ff.compile_json_schema({{'$ref': '{SCHEMA_7}/definitions/nonNegativeInteger'}}, tok)\n"
        "ff.compile_json_schema({'$ref': 'x'}, tok, registry={'x': True})\n"
        "assert 'referencing' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Dialects


def test_each_resource_is_of_its_own_draft() -> None:
    schema = {
        "$schema": SCHEMA_2020,
        "properties": {
            "four": {"$schema": "http://json-schema.org/draft-04/schema#", "id": "four", "const": 1, "enum": [2]},
            "seven": {"$schema": SCHEMA_7, "$id": "seven", "items": [{"const": 1}], "prefixItems": [False]},
            "own": {"prefixItems": [{"const": 1}]},
        },
    }
    assert accepts(schema, {"four": 2}, {"four": 1}) == [True, False]
    assert accepts(schema, {"seven": [1]}, {"seven": [2]}) == [True, False]
    assert accepts(schema, {"own": [1]}, {"own": [2]}) == [True, False]


@pytest.mark.parametrize(("year", "formats"), [("2019-09", "format"), ("2020-12", "format-annotation")])
def test_a_metaschema_turns_vocabularies_on(year: str, formats: str) -> None:
    prefix = f"https://json-schema.org/draft/{year}/vocab/"

    def dialect(**more: bool) -> dict[str, Any]:
        listed = {prefix + name.replace("_", "-"): needed for name, needed in {"core": True, **more}.items()}
        return {"m": {"$schema": f"https://json-schema.org/draft/{year}/schema", "$vocabulary": listed}}

    schema = {"$schema": "m", "minimum": 5, "properties": {"a": False}, "format": "ipv4"}
    grammar = compile_json_schema(schema, BYTES, registry=dialect(applicator=True))
    assert [text.partition(":")[0] for text in grammar.warnings] == ["at /minimum", "at /format"]
    assert accepts(schema, 1, "x", {"a": 1}, registry=dialect(applicator=True)) == [True, True, False]
    assert accepts(schema, 1, 5, {"a": 1}, registry=dialect(validation=False)) == [False, True, True]
    listed = dialect(**{formats: False})
    assert accepts(schema, "x", "1.2.3.4", registry=listed) == [False, True]
    assert accepts(schema, "x", "1.2.3.4", registry=listed, formats="annotation") == [True, True]
    asserted = dialect(format=True) if year == "2019-09" else dialect(format_assertion=False)
    assert accepts(schema, "x", "1.2.3.4", registry=asserted, formats="annotation") == [False, True]


def test_a_dialect_that_is_not_known_is_refused() -> None:
    listed = {"https://json-schema.org/draft/2020-12/vocab/core": True, "http://a.test/vocab": True}
    registry: dict[str, Any] = {"m": {"$schema": SCHEMA_2020, "$vocabulary": listed}, "self": {"$schema": "self"}}
    for name, says in [("m", "'http://a.test/vocab'"), ("self", "not known"), ("other", "not known")]:
        with pytest.raises(UnsupportedError, match=says) as caught:
            accepts({"$schema": name, "type": "null"}, registry=registry)
        assert caught.value.pointer == "/$schema"
        inner = {"properties": {"a": {"$id": "a", "$schema": name, "items": {"type": "null"}}}}
        for schema in (inner, {**inner, "$ref": "#/properties/a/items"}):
            with pytest.raises(UnsupportedError, match=says) as caught:
                accepts(schema, registry=registry)
            assert caught.value.pointer == "/properties/a/$schema"
    assert accepts({"$schema": "other", "type": "null"}, None, 1, draft=7) == [True, False]


# Names


@pytest.mark.parametrize(
    ("draft", "schema", "data", "expected"),
    [
        # `$id` counts only where a schema may stand, and not beside a `$ref` of an old draft
        (2020, {"$ref": "b", "$defs": {"c": {"$id": "b", "type": "null"}}, "x": {"$id": "b"}}, [None, 1], ONE),
        (7, {"allOf": [{"$ref": "#b"}], "$defs": {"c": {"$id": "#b", "type": "null"}}}, [None, 1], ONE),
        # up to draft 7, an `$id` may end in a fragment, which is an anchor in its resource
        (7, {"allOf": [{"$ref": "b#c"}], "definitions": {"c": {"$id": "b#c", "type": "null"}}}, [None, 1], ONE),
        (4, {"allOf": [{"$ref": "#c"}], "definitions": {"c": {"id": "#c", "type": "null"}}}, [None, 1], ONE),
        # a pointer leads through resources
        (
            2020,
            {
                "$ref": "#/$defs/c/$defs/d",
                "$defs": {"c": {"$id": "c/", "$defs": {"d": {"$ref": "e"}}}, "e": {"$id": "c/e", "type": "null"}},
            },
            [None, 1],
            ONE,
        ),
        (2020, {"$ref": "", "$id": "http://a.test/", "type": "null"}, None, "in a circle"),
        (2020, {"$ref": "#b", "$defs": {"c": {"$anchor": "b"}, "d": {"$anchor": "b"}}}, None, "two"),
        (2020, {"$ref": "b", "$defs": {"c": {"$id": "b"}, "d": {"$id": "b"}}}, None, "two"),
        (
            2020,
            {"$dynamicRef": "#b", "$defs": {"c": {"$dynamicAnchor": "b"}, "d": {"$anchor": "b"}}},
            None,
            "two subsch",
        ),
        (2020, {"$ref": "#/anyOf/01", "anyOf": [True, True]}, None, "leads nowhere"),
        (2020, {"$dynamicAnchor": "a", "$dynamicRef": "#a"}, None, "in a circle"),
        (2019, {"$recursiveRef": "#/x"}, None, "must be '#'"),
        (2019, {"$recursiveAnchor": True, "$recursiveRef": "#"}, None, "in a circle"),
        (2020, {"$ref": "http://["}, None, "nothing is fetched"),
    ],
)
def test_names(draft: int, schema: Any, data: Any, expected: Any) -> None:
    if data is None:
        with pytest.raises(GrammarError, match=expected):
            accepts(schema, draft=draft)
    else:
        assert accepts(schema, *data, draft=draft) == expected


def test_the_outer_resource_with_two_of_a_dynamic_name_is_refused() -> None:
    inner = {"$id": "inner", "$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a"}}}
    outer = {"b": {"$dynamicAnchor": "a"}, "c": {"$dynamicAnchor": "a", "type": "null"}, "inner": inner}
    with pytest.raises(GrammarError, match="two subschemas have the name '#a'"):
        accepts({"$ref": "inner", "$defs": outer})


def test_paths_through_dynamic_references_are_bounded() -> None:
    size = 24
    defs = {}
    for index in range(size):
        for side in "ab":
            following = [{"$ref": f"{other}{index + 1}"} for other in "ab"]
            if index + 1 == size:
                following = [{"$dynamicRef": f"a{at}#x{at}"} for at in range(size)]
            properties = {str(at): schema for at, schema in enumerate(following)}
            defs[side + str(index)] = {
                "$id": side + str(index),
                "$dynamicAnchor": f"x{index}",
                "properties": properties,
            }
    with pytest.raises(LimitError, match="dynamic references"):
        accepts({"$id": "http://a.test/", "$ref": "a0", "$defs": defs})
