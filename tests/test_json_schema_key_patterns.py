"""`patternProperties` where many sets of patterns may match one key: right, without dead ends, and cheap."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.grammar.json_schema.emit import objects, other_keys
from oracle.masks import ByteTree, brute_force_mask
from oracle.schemas import is_valid
from sentences import BYTES, is_sentence

PATTERNS = ["a", "b", "c", "^a", "b$", "^c", "ab", "^.$", "[ab]$", "^b.*c$", ".*", "^zz$"]
VALUES = [
    True,
    False,
    {"type": "integer"},
    {"type": "integer", "title": "the same"},
    {"type": "string"},
    {"minimum": 2},
    {"maximum": 3},
    {"enum": [1, 2, "a"]},
    {"type": ["object", "integer"], "properties": {"a": {"type": "integer"}}},
]
KEYS = ["a", "b", "c", "ab", "ba", "abc", "bc", "cab", "d", "zz", ""]
SAMPLES = [1, 2, 3, 4, "a", "b", {}, {"a": 1}, {"a": "x"}, None]


def random_schema(random: Random) -> dict[str, Any]:
    """A schema of objects with several patterns."""

    def value() -> Any:
        return random.choice(VALUES if random.random() < 0.8 else VALUES[2:6])

    schema: dict[str, Any] = {
        "type": "object",
        "patternProperties": {one: value() for one in random.sample(PATTERNS, random.randrange(2, 6))},
    }
    if random.random() < 0.5:
        schema["additionalProperties"] = value()
    if random.random() < 0.4:
        schema["properties"] = {one: value() for one in random.sample(KEYS, random.randrange(1, 4))}
    if random.random() < 0.3:
        schema["required"] = random.sample(KEYS, random.randrange(1, 3))
    if random.random() < 0.3:
        schema["propertyNames"] = random.choice([{"maxLength": 2}, {"pattern": "b"}, {"enum": KEYS[:5]}])
    if random.random() < 0.3:
        schema["maxProperties"] = random.randrange(1, 4)
    if random.random() < 0.2:
        schema["minProperties"] = random.randrange(1, 3)
    if random.random() < 0.3:
        other = {one: value() for one in random.sample(PATTERNS, random.randrange(1, 3))}
        schema["allOf"] = [{"patternProperties": other, "additionalProperties": value()}]
    return schema


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Few sets of patterns count as many. The list gets an item for each object that is written so."""
    written: list[Any] = []
    write = other_keys.other_property

    def noting(*given: Any) -> Any:
        found = write(*given)
        written.extend([] if found is None else [found])
        return found

    monkeypatch.setattr(other_keys, "FEW_SETS", 1)
    monkeypatch.setattr(objects, "other_property", noting)
    return written


def compiled(schema: dict[str, Any], tokenizer: ff.Tokenizer, **options: Any) -> ff.Grammar | None:
    """The grammar of a schema; None if no value obeys it."""
    try:
        return ff.compile_json_schema(schema, tokenizer, **options)
    except ff.GrammarError as error:
        assert "no value obeys" in str(error), schema
        return None


def in_order(schema: dict[str, Any], value: dict[str, Any]) -> bool:
    """Whether the keys of an object come in the schema's order: declared ones first, and required ones in order."""
    declared = list(schema.get("properties", ()))
    required = [key for key in schema.get("required", ()) if key not in declared]
    keys = list(value)
    here = [key for key in keys if key in declared]
    then = [key for key in keys if key in required]
    return here == sorted(here, key=declared.index) == keys[: len(here)] and then == sorted(then, key=required.index)


@pytest.mark.parametrize("options", [{"whitespace": "compact"}, {"separators": (", ", ": ")}])
@pytest.mark.parametrize("seed", range(40))
def test_random_objects(few: list[Any], seed: int, options: dict[str, Any]) -> None:
    random = Random(seed)
    schema = random_schema(random)
    grammar = compiled(schema, BYTES, **options)
    separators = options.get("separators", (",", ":"))
    for _ in range(60):
        value = {key: random.choice(SAMPLES) for key in random.sample(KEYS, random.randrange(4))}
        if in_order(schema, value):
            text = json.dumps(value, separators=separators)
            valid = grammar is not None and is_sentence(grammar, text)
            assert valid == is_valid(schema, value), (schema, value)


def test_random_objects_remember_patterns(few: list[Any]) -> None:
    for seed in range(100):
        compiled(random_schema(Random(seed)), BYTES, whitespace="compact")
    assert len(few) > 50


PIECES = ['{"', '":', '":1', '","', "a", "ab", "bc", 'a":', '"b":2', 'c":"', "12", '"a"', "}", '{"a":', 'ab":1,"', '"}']
SPELLING = ff.Tokenizer.from_tokens([*[bytes([byte]) for byte in range(128)], *[piece.encode() for piece in PIECES]])
TREE = ByteTree([(token, SPELLING.token_bytes(token)) for token in range(SPELLING.vocab_size)])


@pytest.mark.parametrize("options", [{"whitespace": "compact"}, {"separators": (", ", ": ")}])
@pytest.mark.parametrize("seed", range(30))
def test_masks(few: list[Any], seed: int, options: dict[str, Any]) -> None:
    random = Random(seed)
    schema = random_schema(random)
    grammar = compiled(schema, SPELLING, **options)
    for _ in range(4 if grammar else 0):
        assert grammar is not None
        matcher = grammar.matcher()
        for _ in range(14):
            allowed = matcher.allowed_token_ids().tolist()
            assert set(allowed) == brute_force_mask(matcher, TREE, []), (schema, matcher.text_bytes)
            assert allowed or matcher.is_accepting(), (schema, matcher.text_bytes)
            liked = [token for token in allowed if token >= 128] or allowed
            if not liked:
                break
            matcher.accept_token(random.choice(liked))


def test_values_without_end(cl100k: ff.Tokenizer) -> None:
    endless = {"type": "object", "properties": {"a": {"$ref": "#/$defs/endless"}}, "required": ["a"]}
    patterns = {"a": {"$ref": "#/$defs/endless"}, "b": {"minimum": 2}, "c": {"maximum": 3}, "d": {"type": "integer"}}
    schema = {"type": "object", "patternProperties": patterns, "$defs": {"endless": endless}}
    grammar = ff.compile_json_schema(schema, cl100k)
    for text, is_right in (('{"b": 2}', True), ('{"bc": 3}', True), ('{"bc": 1}', False), ('{"x": 1, "d": 2}', True)):
        assert is_sentence(grammar, text) == is_right, text
    assert grammar.matcher().accept_bytes(b'{"ba') == 3


@pytest.mark.parametrize(
    ("checked", "right", "wrong"),
    [
        ({"type": "object", "minProperties": 2}, {"a": 1, "b": 2}, {"a": 1}),
        ({"type": "array", "uniqueItems": True}, [1, 2], [1, 1]),
    ],
)
def test_values_that_are_checked(checked: dict[str, Any], right: Any, wrong: Any) -> None:
    """Both a value that is checked and keys whose symbols may derive nothing."""
    schema = {"type": "object", "patternProperties": {"a": checked, "b": {"maximum": 3}, "c": {"type": "integer"}}}
    schema["additionalProperties"] = {"not": {}}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact")
    for value in ({"a": right}, {"a": wrong}, {"bc": 3}, {"bc": 4}, {"x": 1}):
        assert is_sentence(grammar, json.dumps(value, separators=(",", ":"))) == is_valid(schema, value), value


WORDS = "cat dog sun map pen cup hat box jar key lip nut oak pie rug bed fox ice art bus".split()


@pytest.mark.parametrize("number", [4, 5, 9])
def test_words_anywhere(cl100k: ff.Tokenizer, number: int) -> None:
    patterns = {word: {"minimum": least} for least, word in enumerate(WORDS[:number])}
    schema = {"type": "object", "propertyNames": {"maxLength": 40}, "patternProperties": patterns}
    grammar = ff.compile_json_schema(schema, cl100k)
    for text, is_right in (
        ('{"a cat and a dog": 1, "": 0}', True),
        ('{"a cat and a dog": 0}', False),
        ('{"cat": 0, "suns": 1}', False),
        ('{"' + 41 * "x" + '": 0}', False),
    ):
        matcher = grammar.matcher()
        for token in cl100k.encode(text):
            allowed = matcher.allowed_token_ids()
            if not matcher.accept_token(token):
                assert not is_right and token not in allowed
                break
            assert token in allowed
        else:
            assert is_right and matcher.is_accepting()
    assert grammar.stats()["expressions"] < 20_000


def test_many_endings_compile_soon(cl100k: ff.Tokenizer) -> None:
    patterns = {f"_{word}$": {"minimum": least} for least, word in enumerate(WORDS)}
    schema = {"propertyNames": {"pattern": "^[a-z][a-z0-9_]{0,63}$"}, "patternProperties": patterns}
    grammar = ff.compile_json_schema({"type": "object", **schema}, cl100k, limits=ff.Limits(emptiness_steps=1000))
    assert is_sentence(grammar, '{"a_cat": 0, "a_cat_dog": 1}') and not is_sentence(grammar, '{"a_dog": 0}')
    assert not is_sentence(grammar, '{"A": 0}') and grammar.stats()["expressions"] < 20_000


def test_patterns_that_demand_the_same_are_one(cl100k: ff.Tokenizer) -> None:
    patterns = {word: {"type": "integer", "title": word} for word in WORDS}
    schema = {"type": "object", "patternProperties": patterns, "additionalProperties": False}
    grammar = ff.compile_json_schema(schema, cl100k, limits=ff.Limits(alternatives=400))
    assert is_sentence(grammar, '{"a cat and a dog": 1}') and not is_sentence(grammar, '{"a": 1}')
    assert not is_sentence(grammar, '{"a dog": "x"}')


def test_too_many_patterns_say_what_to_do(cl100k: ff.Tokenizer) -> None:
    patterns = {word: {"minimum": least} for least, word in enumerate(WORDS)}
    with pytest.raises(ff.LimitError, match="let patterns exclude each other"):
        ff.compile_json_schema({"type": "object", "patternProperties": patterns}, cl100k)
