"""Arrays with many `contains`: right, without dead ends, and their cost grows with their number."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.grammar.json_schema.emit import many_contains
from oracle.masks import ByteTree, brute_force_mask
from oracle.schemas import is_valid, spelled
from sentences import BYTES, is_sentence

VALUES = [0, 1, 2, "a", "ab", {"t": 0}, {"t": 1}, {}, [1]]
SOME = [
    {"const": 0},
    {"const": 1},
    {"enum": [0, "a"]},
    {"type": "string"},
    {"type": "string", "pattern": "^a$"},
    {"type": "string", "pattern": "b"},
    {"properties": {"t": {"const": 0}}, "required": ["t"]},
    {"properties": {"t": {"const": 1}}},
    {"not": {"const": 1}},
    {"contains": {"const": 1}},
    {"type": "number"},
    True,
]


def _schema(random: Random) -> dict[str, Any]:
    chosen: list[dict[str, Any]] = [{"contains": random.choice(SOME)} for _ in range(random.randrange(1, 6))]
    for one in chosen:
        if random.random() < 0.3:
            one["minContains"] = random.randrange(1, 4)
    schema: dict[str, Any] = {"allOf": chosen}
    if random.random() < 0.7:
        schema["type"] = "array"
    if random.random() < 0.3:
        schema["items"] = random.choice([{"type": ["number", "string"]}, {"type": "object"}, {"not": {"const": 0}}])
    if random.random() < 0.3:
        schema["prefixItems"] = [random.choice(SOME) for _ in range(random.randrange(1, 4))]
    if random.random() < 0.2:
        schema["minItems"] = random.randrange(5)
    if random.random() < 0.1:
        schema["unevaluatedItems"] = {"type": "string"}
    return schema


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One `contains` is remembered already. The list gets an item for each array that is written so."""
    written: list[int] = []
    write = many_contains.array_that_contains

    def noted(*given: Any) -> Any:
        found = write(*given)
        if found is not None:
            written.append(1)
        return found

    monkeypatch.setattr(many_contains, "FEWEST_STATES", 2)
    monkeypatch.setattr(many_contains, "array_that_contains", noted)
    return written


@pytest.mark.parametrize("seed", range(40))
def test_random_arrays(few: list[int], seed: int) -> None:
    random = Random(seed)
    schema = _schema(random)
    try:
        grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact")
    except ff.GrammarError as error:
        assert "no value obeys" in str(error), schema
        grammar = None
    for _ in range(150):
        value = [random.choice(VALUES) for _ in range(random.randrange(8))]
        valid = grammar is not None and is_sentence(grammar, spelled(value, True))
        assert valid == is_valid(schema, value), (schema, value)
        if grammar is None:
            continue
        # an array that may begin so can be completed: by one item more for each `contains`
        begun = spelled(value, True)[:-1]
        if value and grammar.matcher().accept_bytes(begun + b",") == len(begun) + 1:
            assert any(is_valid(schema, [*value, *_end(random)]) for _ in range(2000)), (schema, value)


def _end(random: Random) -> list[Any]:
    return random.choices(random.sample(VALUES, random.randrange(1, 6)), k=random.randrange(1, 13))


def test_random_arrays_are_remembered(few: list[int]) -> None:
    for seed in range(40):
        try:
            ff.compile_json_schema(_schema(Random(seed)), BYTES)
        except ff.GrammarError:
            continue
    assert len(few) > 20


@pytest.mark.parametrize("count", [7, 12, 40])
def test_many(count: int) -> None:
    kinds: list[Any] = [{"const": number} for number in range(count // 2)]
    kinds += [
        {"type": "object", "properties": {"t": {"const": number}}, "required": ["t"]}
        for number in range(count - count // 2)
    ]
    limits = ff.Limits(rules=100 * count * count)
    grammar = ff.compile_json_schema(
        {"type": "array", "allOf": [{"contains": one} for one in kinds]}, BYTES, limits=limits
    )
    items = [one["const"] if "const" in one else {"t": one["properties"]["t"]["const"], "u": 1} for one in kinds]
    Random(count).shuffle(items)
    assert is_sentence(grammar, json.dumps([*items, None, *items[:3]]).encode())
    for missing in (0, count // 2, count - 1):
        assert not is_sentence(grammar, json.dumps(items[:missing] + items[missing + 1 :]).encode())


@pytest.mark.parametrize("style", [{}, {"whitespace": "compact"}, {"indent": 2}, {"separators": (", ", ": ")}])
def test_spellings_and_files(style: dict[str, Any], tmp_path: Path) -> None:
    kinds = [{"type": "object", "properties": {"t": {"const": number}}, "required": ["t"]} for number in range(13)]
    grammar = ff.compile_json_schema({"type": "array", "allOf": [{"contains": one} for one in kinds]}, BYTES, **style)
    spelled = {"separators": (",", ":")} if "whitespace" in style else style
    grammar.save(tmp_path / "contains.ffg")
    for one in (grammar, ff.load(tmp_path / "contains.ffg", BYTES)):
        for count in (12, 13):
            text = json.dumps([{"t": number} for number in range(count)], **spelled)
            assert is_sentence(one, text.encode()) == (count == 13)


def test_an_item_can_meet_several() -> None:
    schema = {"type": "array", "allOf": [{"contains": {"minimum": number}} for number in range(20)]}
    grammar = ff.compile_json_schema(schema, BYTES)
    assert is_sentence(grammar, b"[1, 19]") and not is_sentence(grammar, b"[18, 18]")


def test_items_that_repeat_are_refused_at_the_comma() -> None:
    schema = {"type": "array", "uniqueItems": True, "allOf": [{"contains": {"const": number}} for number in range(6)]}
    for style, comma in (({}, b","), ({"indent": 2}, b",\n  "), ({"separators": (" , ", ":")}, b" , ")):
        matcher = ff.compile_json_schema(schema, BYTES, **style).matcher()
        begun = (b"[\n  " if "indent" in style else b"[") + b"1" + comma + b"1"
        assert matcher.accept_bytes(begun) == len(begun)
        assert matcher.accept_bytes(comma) == 0


def test_an_item_can_meet_all() -> None:
    letters = "abcdefghijkl"
    schema = {"type": "array", "allOf": [{"contains": {"type": "string", "pattern": one}} for one in letters]}
    grammar = ff.compile_json_schema(schema, BYTES)
    assert is_sentence(grammar, b'["abcdefghijkl"]') and is_sentence(grammar, b'["abcdefg", 1, "kl", "hij"]')
    assert not is_sentence(grammar, b'["abcdefg", 1, "kl", "hi"]')


def test_a_first_item_may_be_the_only_one_that_obeys(few: list[int]) -> None:
    schema = {"prefixItems": [{"const": 1}, True], "items": {"type": "string"}, "contains": {"const": 1}}
    schema["allOf"] = [{"contains": {"type": "number"}}, {"contains": {"type": "number", "minimum": 2}}]
    grammar = ff.compile_json_schema(schema, BYTES)
    assert is_sentence(grammar, b'[1, 2, "a"]') and not is_sentence(grammar, b'[1, "a", "a"]')
    assert grammar.matcher().accept_bytes(b'[1, "a", ') < 9
    assert not few


def test_objects_of_many_keys() -> None:
    objects = [{f"k{number}_{at}": {"const": at} for at in range(5)} for number in range(8)]
    kinds = [{"type": "object", "properties": keys, "required": list(keys)} for keys in objects]
    arrays = {"type": "array", "allOf": [{"contains": one} for one in kinds]}
    grammar = ff.compile_json_schema({"properties": {f"p{number}": arrays for number in range(6)}}, BYTES)
    items = [{key: value["const"] for key, value in keys.items()} for keys in objects]
    assert is_sentence(grammar, json.dumps({"p0": items}).encode())
    assert not is_sentence(grammar, json.dumps({"p0": items[1:]}).encode())


@pytest.mark.parametrize("least", [0, 12])
def test_the_distance_leads_to_the_end(least: int) -> None:
    kinds = [{"contains": {"type": "number", "minimum": number}, "minContains": 2} for number in range(6)]
    matcher = ff.compile_json_schema({"type": "array", "minItems": least, "allOf": kinds}, BYTES).matcher()
    text = b""
    while not matcher.is_accepting() and len(text) < 100:
        distances = {}
        for byte in matcher.allowed_token_ids().tolist():
            matcher.accept_token(byte)
            distances[byte] = matcher.distance()
            matcher.rollback(1)
        byte = min(distances, key=lambda byte: distances[byte])
        assert matcher.accept_token(byte)
        text += bytes([byte])
    assert matcher.is_accepting(), text
    assert len(json.loads(text)) >= least


def test_a_refusal_to_write_it_names_the_array() -> None:
    tags = {"type": "array", "allOf": [{"contains": {"type": "string", "pattern": letter}} for letter in "abcdef"]}
    grammar = ff.compile_json_schema({"properties": {"tags": tags}}, BYTES)
    with pytest.raises(ff.UnsupportedError, match="array at /properties/tags/allOf/0"):
        grammar.emit("gbnf")


@pytest.mark.parametrize("style", [{}, {"whitespace": "compact"}])
def test_distance_falls_along_the_way_it_recommends(style: dict[str, Any]) -> None:
    counted = [{"contains": {"type": "number", "minimum": number}, "minContains": 3} for number in range(6)]
    schema = {"type": "array", "prefixItems": [{"type": "string"}] * 9, "allOf": counted}
    matcher = ff.compile_json_schema(schema, BYTES, **style).matcher()
    distance = matcher.distance()
    for _ in range(distance):
        if matcher.is_accepting():
            break
        ways = [
            (after.distance(), byte) for byte in range(32, 127) if (after := matcher.fork()).accept_bytes(bytes([byte]))
        ]
        assert min(ways)[0] < matcher.distance()
        matcher.accept_bytes(bytes([min(ways)[1]]))
    assert matcher.is_accepting()


def test_many_are_searched() -> None:
    schema = {"type": "array", "allOf": [{"contains": {"const": number}} for number in range(300)]}
    grammar = ff.compile_json_schema(schema, BYTES, whitespace="compact")
    assert grammar.min_tokens().tokens == 1 + 10 * 2 + 90 * 3 + 200 * 4
    once = ff.compile_json_schema({"type": "array", "contains": {"const": 1}, "minContains": 5000}, BYTES)
    assert is_sentence(once, b"[" + b"1," * 4999 + b"1]") and not is_sentence(once, b"[" + b"1," * 4998 + b"1]")


@pytest.mark.parametrize("items", [{}, {"items": {"type": "string"}}])
def test_masks_of_many_letters(cl100k: ff.Tokenizer, items: dict[str, Any]) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    schema = {"type": "array", **items, "allOf": [{"contains": {"type": "string", "pattern": one}} for one in letters]}
    matcher = ff.compile_json_schema(schema, cl100k).matcher()
    for token in cl100k.encode('["abc", "d", "efghijklmnopqrstuvwxyz"]'):
        assert token in matcher.allowed_token_ids()
        assert matcher.accept_token(token)
    assert matcher.is_accepting()


PIECES = ["a", "b", "ab", '"', '",', '","', '"]', "1", "0,", "{}", 'a"', 'b","a', 'a",1', '"a","b"]', '{"t":', "[1]"]
SPELLING = ff.Tokenizer.from_tokens([*[bytes([byte]) for byte in range(128)], *[piece.encode() for piece in PIECES]])
TREE = ByteTree([(token, SPELLING.token_bytes(token)) for token in range(SPELLING.vocab_size)])


@pytest.mark.parametrize("seed", range(40))
def test_masks(few: list[int], seed: int) -> None:
    random = Random(seed)
    schema = _schema(random)
    try:
        grammar = ff.compile_json_schema(schema, SPELLING, whitespace="compact")
    except ff.GrammarError:
        return
    for _ in range(3):
        matcher = grammar.matcher()
        matcher.accept_bytes(b"[")
        for _ in range(12):
            allowed = matcher.allowed_token_ids().tolist()
            assert set(allowed) == brute_force_mask(matcher, TREE, []), (schema, matcher.text_bytes)
            liked = [token for token in allowed if token >= 128] or allowed
            if not liked:
                break
            matcher.accept_token(random.choice(liked))


def test_what_no_item_may_obey_is_said_of_all_items(cl100k: ff.Tokenizer) -> None:
    # (two choices of 12 words each exclude each other by a `contains` that nothing may obey)
    words = "cat dog sun map pen cup hat box jar key lip nut".split()
    branches = [
        {"type": "array", "allOf": [{"contains": {"type": "string", "pattern": one}, "maxContains": 2} for one in some]}
        for some in (words, [word[::-1] for word in words])
    ]
    grammar = ff.compile_json_schema({"oneOf": branches}, cl100k)
    cases = [
        words,
        [word[::-1] for word in words],
        [*words, *[word[::-1] for word in words]],
        words[1:],
        [*words, "cat"],
    ]
    for case in [*cases, [*words, "cat", "cat"]]:
        assert is_sentence(grammar, json.dumps(case)) == is_valid({"oneOf": branches}, case), case
