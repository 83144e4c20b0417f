"""The table of keywords: every keyword is applied, negated, and known in its drafts. These tests fail until a new
keyword is complete."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from ffgrammar.api.compile import compile_json_schema
from ffgrammar.grammar.json_schema import build
from ffgrammar.grammar.json_schema.normalize.context import APPLICATIONS
from ffgrammar.grammar.json_schema.normalize.negation import NEGATIONS
from ffgrammar.grammar.json_schema.spec.internal_keywords import INTERNAL_KEYWORDS
from ffgrammar.grammar.json_schema.spec.keywords import KEYWORDS, Keyword, Role
from ffgrammar.grammar.json_schema.spec.options import DRAFTS
from ffgrammar.regex.expr.store import ExprStore
from sentences import BYTES, is_sentence


class Example(NamedTuple):
    """A schema with a keyword, and texts that it accepts and rejects because of that keyword."""

    schema: dict[str, Any]
    accepted: str
    rejected: str
    draft: int | None = None


EXAMPLES = {
    "type": Example({"type": "null"}, "null", "1"),
    "enum": Example({"enum": ["a", 1, [2]]}, "[2]", "[3]"),
    "const": Example({"const": {"a": 1}}, '{"a": 1}', '{"a": 2}'),
    "minimum": Example({"minimum": 3}, "3", "2"),
    "maximum": Example({"maximum": 3}, "3", "4"),
    "exclusiveMinimum": Example({"exclusiveMinimum": 3}, "4", "3"),
    "exclusiveMaximum": Example({"exclusiveMaximum": 3}, "2", "3"),
    "multipleOf": Example({"multipleOf": 3}, "6", "7"),
    "minLength": Example({"minLength": 2}, '"ab"', '"a"'),
    "maxLength": Example({"maxLength": 1}, '"a"', '"ab"'),
    "pattern": Example({"pattern": "^a"}, '"ab"', '"b"'),
    "format": Example({"format": "date"}, '"2024-02-29"', '"2023-02-29"'),
    "items": Example({"items": {"type": "null"}}, "[null]", "[1]"),
    "prefixItems": Example({"prefixItems": [{"type": "null"}]}, "[null, 1]", "[1]"),
    "additionalItems": Example({"items": [{}], "additionalItems": False}, "[1]", "[1, 2]", 2019),
    "contains": Example({"contains": {"type": "null"}}, "[1, null]", "[1]"),
    "minContains": Example({"contains": {"type": "null"}, "minContains": 2}, "[null, null]", "[null]"),
    "maxContains": Example({"contains": {"type": "null"}, "maxContains": 1}, "[null, 1]", "[null, null]"),
    "minItems": Example({"minItems": 1}, "[1]", "[]"),
    "maxItems": Example({"maxItems": 1}, "[1]", "[1, 2]"),
    "uniqueItems": Example({"uniqueItems": True}, "[1, 2]", "[1, 1]"),
    "unevaluatedItems": Example({"unevaluatedItems": False, "prefixItems": [{}]}, "[1]", "[1, 2]"),
    "properties": Example({"properties": {"a": {"type": "null"}}}, '{"a": null}', '{"a": 1}'),
    "patternProperties": Example({"patternProperties": {"^a": {"type": "null"}}}, '{"ab": null}', '{"ab": 1}'),
    "additionalProperties": Example({"additionalProperties": {"type": "null"}}, '{"a": null}', '{"a": 1}'),
    "required": Example({"required": ["a"]}, '{"a": 1}', "{}"),
    "propertyNames": Example({"propertyNames": {"maxLength": 1}}, '{"a": 1}', '{"ab": 1}'),
    "minProperties": Example({"minProperties": 1}, '{"a": 1}', "{}"),
    "maxProperties": Example({"maxProperties": 1}, '{"a": 1}', '{"a": 1, "b": 1}'),
    "dependentRequired": Example({"dependentRequired": {"a": ["b"]}}, '{"a": 1, "b": 1}', '{"a": 1}'),
    "dependentSchemas": Example({"dependentSchemas": {"a": {"minProperties": 2}}}, '{"a": 1, "b": 1}', '{"a": 1}'),
    "dependencies": Example({"dependencies": {"a": ["b"]}}, '{"a": 1, "b": 1}', '{"a": 1}'),
    "unevaluatedProperties": Example(
        {"unevaluatedProperties": False, "properties": {"a": {}}}, '{"a": 1}', '{"a": 1, "b": 1}'
    ),
    "allOf": Example({"allOf": [{"minimum": 1}, {"maximum": 1}]}, "1", "2"),
    "anyOf": Example({"anyOf": [{"minimum": 3}, {"type": "null"}]}, "3", "2"),
    "oneOf": Example({"oneOf": [{"minimum": 3}, {"maximum": 4}]}, "5", "3"),
    "not": Example({"not": {"type": "null"}}, "1", "null"),
    "if": Example({"if": {"minimum": 3}, "then": {"maximum": 4}}, "4", "5"),
    "then": Example({"then": {"maximum": 4}, "if": {"minimum": 3}}, "2", "5"),
    "else": Example({"else": {"minimum": 1}, "if": {"minimum": 3}}, "1", "0"),
    "$ref": Example({"$ref": "#/$defs/null"}, "null", "1"),
    "$dynamicRef": Example({"$dynamicRef": "#/$defs/null"}, "null", "1"),
    "$recursiveRef": Example(
        {"$id": "http://a/b", "type": ["array", "null"], "items": {"$recursiveRef": "#"}}, "[[null]]", "[[1]]", 2019
    ),
}
DEFINITIONS = {"$defs": {"null": {"type": "null"}}}

ASSERTIONS = {row.word for row in KEYWORDS if row.role is Role.ASSERTION}
ANNOTATIONS = {row.word for row in KEYWORDS if row.role is Role.ANNOTATION}


def accepts(schema: Any, text: str, draft: int | None) -> bool:
    """Whether the text is in the language of the schema, with its properties in any order."""
    return is_sentence(compile_json_schema(schema, BYTES, draft=draft, property_order="any"), text)


def test_no_word_has_two_rows() -> None:
    assert len({row.word for row in KEYWORDS}) == len(KEYWORDS)


def test_every_assertion_is_applied() -> None:
    assert {word for word in APPLICATIONS if isinstance(word, str)} == ASSERTIONS, "write a function with @applies"


def test_every_assertion_is_negated() -> None:
    assert {word for word in NEGATIONS if isinstance(word, str)} == ASSERTIONS, "write a function with @negates"


def test_every_internal_keyword_is_applied() -> None:
    assert {word for word in APPLICATIONS if not isinstance(word, str)} == {*INTERNAL_KEYWORDS}
    assert {word for word in NEGATIONS if not isinstance(word, str)} <= {*INTERNAL_KEYWORDS}


def test_every_keyword_has_an_example() -> None:
    assert {row.word for row in KEYWORDS} - ANNOTATIONS == {*EXAMPLES}, "add an example to EXAMPLES"


@pytest.mark.parametrize("word", EXAMPLES)
def test_a_keyword_and_its_opposite(word: str) -> None:
    schema, accepted, rejected, draft = EXAMPLES[word]
    assert word in str(schema)
    same = {**DEFINITIONS, "allOf": [schema]}
    assert accepts(same, accepted, draft) and not accepts(same, rejected, draft)
    opposite = {**DEFINITIONS, "not": schema}
    assert accepts(opposite, rejected, draft) and not accepts(opposite, accepted, draft)
    # the keyword decides: without it, both are accepted
    if word in schema:
        without = {**DEFINITIONS, "allOf": [{key: value for key, value in schema.items() if key != word}]}
        assert accepts(without, accepted, draft) or word == "not", word
        assert accepts(without, rejected, draft), word


def _drafts_without(row: Keyword) -> list[int]:
    return [draft for draft in DRAFTS.values() if draft < row.since or (row.until is not None and draft > row.until)]


@pytest.mark.parametrize("row", [row for row in KEYWORDS if row.word in EXAMPLES], ids=lambda row: row.word)
def test_a_keyword_is_ignored_in_drafts_without_it(row: Keyword) -> None:
    value = EXAMPLES[row.word].schema.get(row.word, "#")
    schema = {**DEFINITIONS, "properties": {"a": {row.word: value}}}
    says = f"{row.word} is not a keyword of this schema's draft: ignored"
    for draft in DRAFTS.values():
        warnings = build(schema, ExprStore(), draft=draft).warnings
        assert any(says in line for line in warnings) == (draft in _drafts_without(row)), (draft, warnings)


@pytest.mark.parametrize("word", sorted(ANNOTATIONS - {"$schema"}))
def test_annotations_allow_every_value(word: str) -> None:
    schema = {word: "x", "minimum": 3}
    assert build(schema, ExprStore()).warnings == ()
    assert accepts(schema, "3", None) and not accepts(schema, "2", None)
    assert accepts({"not": schema}, "2", None) and not accepts({"not": schema}, "3", None)
