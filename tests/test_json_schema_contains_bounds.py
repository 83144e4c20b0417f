"""Arrays with many `contains` and upper bounds (`maxItems`, `maxContains`): right, without dead ends, and cheap."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.grammar.json_schema.emit import contains_guarded, contains_kinds, contains_ways, many_contains
from oracle.masks import ByteTree, brute_force_mask
from oracle.schemas import is_valid, spelled
from sentences import BYTES, is_sentence

VALUES = [0, 1, 2, "a", "b", {"t": 0}, {"t": 1}, {}, [1]]
APART = [
    {"const": 0},
    {"const": 1},
    {"enum": [2, "a"]},
    {"type": "string", "pattern": "b"},
    {"type": "object", "properties": {"t": {"const": 0}}, "required": ["t"]},
    {"type": "object", "properties": {"t": {"const": 1}}, "required": ["t"]},
    {"type": "array"},
]
OVERLAPPING = [{"type": "string"}, {"type": "number"}, {"not": {"const": 1}}, {"minimum": 1}, {"pattern": "[ab]"}]


def apart_schema(random: Random) -> dict[str, Any]:
    """A schema whose `contains` mostly exclude each other."""
    some = [*APART, *random.sample(OVERLAPPING, random.random() < 0.2)]
    kinds = random.sample(some, random.randrange(1, 6))
    chosen: list[dict[str, Any]] = [{"contains": one} for one in kinds]
    for one in chosen:
        least = random.randrange(3) if random.random() < 0.5 else None
        if least is not None:
            one["minContains"] = least
        if random.random() < 0.4:
            one["maxContains"] = (1 if least is None else least) + random.randrange(3)
    schema: dict[str, Any] = {"type": "array", "allOf": chosen}
    if random.random() < 0.7:
        schema["maxItems"] = random.randrange(3, 10)
    if random.random() < 0.3:
        schema["minItems"] = random.randrange(7)
    if random.random() < 0.3:
        schema["items"] = random.choice([{"not": {"type": "array"}}, {"anyOf": kinds}, {"not": {"const": 0}}])
    return schema


TEXTS = [0, 1, 2, 3, None, "a", "ab", "b", "c", "abc", {"t": 0}, {}, [], [1]]
MEETING = [
    {"type": "string", "pattern": "a"},
    {"type": "string", "pattern": "b"},
    {"type": "string", "pattern": "c"},
    {"pattern": "a"},
    {"pattern": "^b"},
    {"type": "string", "minLength": 2},
    {"type": "number", "minimum": 1},
    {"minimum": 2},
    {"enum": [0, 1, "c"]},
    {"type": "object"},
    {"type": ["null", "number"]},
    {"not": {"type": "number"}},
]


def meeting_schema(random: Random) -> dict[str, Any]:
    """A schema of which one item may obey several `contains`."""
    chosen: list[dict[str, Any]] = [{"contains": one} for one in random.sample(MEETING, random.randrange(1, 5))]
    bounds = random.choice(["items", "contains", "contains", "both"])
    for one in chosen:
        if random.random() < 0.3:
            one["minContains"] = random.randrange(3)
        if bounds != "items" and random.random() < 0.5:
            one["maxContains"] = max(one.get("minContains", 1), 1) + random.randrange(3)
    schema: dict[str, Any] = {"type": "array", "allOf": chosen}
    if bounds != "contains":
        schema["maxItems"] = random.randrange(1, 7)
    if random.random() < 0.3:
        schema["minItems"] = random.randrange(4)
    if random.random() < 0.3:
        schema["items"] = random.choice([{"type": ["number", "string"]}, {"type": "string"}, {"not": {"const": 0}}])
    return schema


ROLES = ["a", "b", "c"]
PEOPLE: list[Any] = [{"r": role, **more} for role in [*ROLES, "d"] for more in ({}, {"m": True}, {"m": 0})]
PEOPLE += [{"m": True}, {"m": 0}, {}, 1, "a", [{"r": "a"}]]
SAID: list[Any] = [{"type": "object", "properties": {"r": {"const": role}}, "required": ["r"]} for role in ROLES]
SAID += [
    {"type": "object", "properties": {"m": {"const": True}}, "required": ["m"]},
    {"type": "object", "required": ["r"]},
    {"type": "object", "required": ["m"], "properties": {"m": {"type": "integer"}}},
    {"type": ["object", "string"]},
    {"enum": [1, "a"]},
]


def mixed_schema(random: Random) -> dict[str, Any]:
    """A schema of objects that obey several `contains`."""
    chosen: list[dict[str, Any]] = [{"contains": one} for one in random.sample(SAID, random.randrange(2, 5))]
    for one in chosen:
        one["minContains"] = random.choice([0, 0, 1, 2])
        if random.random() < 0.6:
            one["maxContains"] = one["minContains"] + random.randrange(3)
    schema: dict[str, Any] = {"type": "array", "allOf": chosen}
    if random.random() < 0.5:
        schema["maxItems"] = random.randrange(2, 8)
    if random.random() < 0.3:
        schema["minItems"] = random.randrange(5)
    if random.random() < 0.3:
        schema["items"] = random.choice([{"type": "object"}, {"required": ["r"]}, {"anyOf": SAID[:3]}])
    return schema


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ways for many `contains` are taken for few. The list gets an item for each array that is written so."""
    written: list[int] = []

    def noting(write: Any) -> Any:
        def noted(*given: Any, **named: Any) -> Any:
            found = write(*given, **named)
            written.extend([1] if found is not None else [])
            return found

        return noted

    monkeypatch.setattr(contains_ways, "FEWEST_CHOICES", 0)
    monkeypatch.setattr(many_contains, "FEWEST_STATES", 1 << 30)
    monkeypatch.setattr(contains_kinds, "array_by_kinds", noting(contains_kinds.array_by_kinds))
    monkeypatch.setattr(contains_guarded, "array_with_guards", noting(contains_guarded.array_with_guards))
    return written


def compiled(schema: dict[str, Any]) -> ff.Grammar | None:
    """The grammar of a schema; None if no value obeys it."""
    try:
        return ff.compile_json_schema(schema, BYTES, whitespace="compact", property_order="any")
    except ff.GrammarError as error:
        assert "no value obeys" in str(error) or "matches nothing" in str(error), schema
        return None


def check(schema: dict[str, Any], grammar: ff.Grammar | None, values: list[Any], texts: int, random: Random) -> None:
    """Random arrays are judged as the oracle judges them, and one that may begin so can be completed."""
    for _ in range(texts):
        value = [random.choice(values) for _ in range(random.randrange(9))]
        valid = grammar is not None and is_sentence(grammar, spelled(value, True))
        assert valid == is_valid(schema, value), (schema, value)
        if grammar is not None and value and random.random() < 0.2:
            begun = spelled(value, True)[:-1] + b","
            accepted = grammar.matcher().accept_bytes(begun) == len(begun)
            assert accepted == completable(schema, value, values, 4000 if accepted else 50, random), (schema, value)


def completable(schema: dict[str, Any], value: list[Any], values: list[Any], tries: int, random: Random) -> bool:
    """Whether some array of the values goes on from an array, by at least one item. Some longer ends are tried."""
    if any(is_valid(schema, [*value, *more]) for size in (1, 2) for more in product(values, repeat=size)):
        return True
    return any(is_valid(schema, [*value, *random.choices(values, k=random.randrange(3, 9))]) for _ in range(tries))


@pytest.mark.parametrize("seed", range(25))
def test_random_arrays_apart(few: list[int], seed: int) -> None:
    random = Random(seed)
    schema = apart_schema(random)
    check(schema, compiled(schema), VALUES, 40, random)


@pytest.mark.parametrize("seed", range(25))
def test_random_arrays_that_meet(few: list[int], seed: int) -> None:
    random = Random(seed)
    schema = meeting_schema(random)
    check(schema, compiled(schema), TEXTS, 40, random)


@pytest.mark.parametrize("seed", range(25))
def test_random_arrays_of_objects(few: list[int], seed: int) -> None:
    random = Random(seed)
    schema = mixed_schema(random)
    check(schema, compiled(schema), PEOPLE, 40, random)


@pytest.mark.parametrize("make", [apart_schema, meeting_schema, mixed_schema])
def test_random_arrays_are_counted(few: list[int], make: Any) -> None:
    for seed in range(100):
        compiled(make(Random(seed)))
    assert len(few) > 30


@pytest.mark.parametrize("bounds", [{"maxItems": 50, "minItems": 45}, {}])
def test_many_apart(bounds: dict[str, int]) -> None:
    kinds: list[Any] = [{"const": number} for number in range(20)]
    kinds += [{"type": "object", "properties": {"t": {"const": n}}, "required": ["t"]} for n in range(20)]
    schema = {"type": "array", **bounds, "allOf": [{"contains": one, "maxContains": 2} for one in kinds]}
    grammar = ff.compile_json_schema(schema, BYTES)
    items = [one["const"] if "const" in one else {"t": one["properties"]["t"]["const"], "u": 1} for one in kinds]
    Random(1).shuffle(items)
    spare = [*items[:3], None, "x"]
    assert is_sentence(grammar, json.dumps([*items, *spare]).encode())
    assert not is_sentence(grammar, json.dumps([*items[1:], *spare, *spare]).encode())
    assert not is_sentence(grammar, json.dumps([*items, *items[:3], *items[:2], 0]).encode())
    assert is_sentence(grammar, json.dumps([*items, *items[:11]]).encode()) == (not bounds)


def test_compiled_files_of_bounds(tmp_path: Path) -> None:
    schema = {"type": "array", "maxItems": 14, "allOf": [{"contains": {"const": n}} for n in range(13)]}
    ff.compile_json_schema(schema, BYTES).save(tmp_path / "contains.ffg")
    grammar = ff.load(tmp_path / "contains.ffg", BYTES)
    for items in ([*range(13)], [*range(13), 1], [*range(13), 1, 1], [*range(12), 1, 1]):
        assert is_sentence(grammar, json.dumps(items).encode()) == is_valid(schema, items)


def walked(grammar: ff.Grammar, random: Random) -> bytes:
    """A sentence: some bytes by chance, then those that bring the end nearer."""
    matcher = grammar.matcher()
    text = b""
    steps = random.randrange(40)
    while not (matcher.is_accepting() and len(text) >= steps):
        allowed = [bytes([byte]) for byte in matcher.allowed_token_ids().tolist() if byte < 127]
        if not allowed:
            break
        if len(text) < steps:
            byte = random.choice([one for one in allowed if one in b'[],"abc0'] or allowed)
        else:
            byte = min(allowed, key=lambda one: _after(matcher, one))
        assert matcher.accept_bytes(byte) == 1
        text += byte
        assert len(text) < 600, text
    assert matcher.is_accepting(), text
    return text


def _after(matcher: ff.Matcher, byte: bytes) -> int:
    fork = matcher.fork()
    assert fork.accept_bytes(byte) == 1
    return fork.distance()


@pytest.mark.parametrize("make", [apart_schema, meeting_schema, mixed_schema])
@pytest.mark.parametrize("seed", range(12))
def test_walks_end(few: list[int], make: Any, seed: int) -> None:
    random = Random(seed)
    schema = make(random)
    grammar = compiled(schema)
    for _ in range(8 if grammar else 0):
        assert is_valid(schema, json.loads(walked(grammar, random))), schema


def letters(partition_bytes: int) -> ff.Tokenizer:
    """A new tokenizer of bytes."""
    tok = ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(128)])
    tok.partition_bytes = partition_bytes
    return tok


def test_kept_partitions_know_what_is_read_beside(few: list[int]) -> None:
    # (at several places strings have equal expressions, of which others are read beside each other)
    kinds: list[Any] = [{"type": "string", "pattern": each} for each in ["g", "c", "^[ab]"]]
    chosen: list[dict[str, Any]] = [{"contains": one} for one in [*kinds, {"type": ["string", "object"]}]]
    chosen[2]["minContains"] = 3
    schema = {"type": "array", "allOf": chosen, "maxItems": 7, "minItems": 4}
    bare = ff.compile_json_schema(schema, letters(0), whitespace="compact")
    for seed in range(20):
        random = Random(seed)
        kept = ff.compile_json_schema(schema, letters(1 << 20), whitespace="compact")
        for text in (b'[1,1,1,1,"a', b'["a","a","a', b'["a","g","c', b'["ag",1,"c'):
            matchers = [grammar.matcher() for grammar in (kept, bare)]
            for byte in text + bytes(random.choices(b'abcg",', k=30)):
                allowed, right = [matcher.allowed_token_ids().tolist() for matcher in matchers]
                assert allowed == right, (seed, matchers[0].text_bytes)
                for matcher in matchers if byte in right else ():
                    assert matcher.accept_token(byte)
    assert few


PIECES = ["a", "b", "c", "ab", "bc", '"', '",', '","', '"]', "1", "2,", "{}", 'a"', 'b","c', 'c",1', '"a","b"]']
SPELLING = ff.Tokenizer.from_tokens([*[bytes([byte]) for byte in range(128)], *[piece.encode() for piece in PIECES]])
TREE = ByteTree([(token, SPELLING.token_bytes(token)) for token in range(SPELLING.vocab_size)])


@pytest.mark.parametrize("partition_bytes", [0, 1 << 20])
@pytest.mark.parametrize("seed", range(30))
def test_masks(few: list[int], seed: int, partition_bytes: int) -> None:
    random = Random(seed)
    SPELLING.partition_bytes = partition_bytes
    schemas = [meeting_schema(random) for _ in range(2)]
    try:
        grammar = ff.compile_json_schema({"anyOf": schemas}, SPELLING, whitespace="compact")
    except ff.GrammarError:
        return
    for _ in range(4):
        matcher = grammar.matcher()
        for _ in range(12):
            allowed = matcher.allowed_token_ids().tolist()
            assert set(allowed) == brute_force_mask(matcher, TREE, []), (schemas, matcher.text_bytes)
            liked = [token for token in allowed if token >= 128] or allowed
            if not liked:
                break
            matcher.accept_token(random.choice(liked))


@pytest.mark.parametrize("number", [6, 12, 40])
def test_roles_and_a_flag(cl100k: ff.Tokenizer, number: int) -> None:
    roles = [f"role{at}" for at in range(number)]
    said = [{"type": "object", "properties": {"r": {"const": role}}, "required": ["r"]} for role in roles]
    flag = {"type": "object", "properties": {"main": {"const": True}}, "required": ["main"]}
    bounded = [{"contains": one, "minContains": 0, "maxContains": 2} for one in said]
    schema = {"type": "array", "allOf": [*bounded, {"contains": flag, "maxContains": 1}]}
    grammar = ff.compile_json_schema(schema, cl100k)
    main, other = {"r": "role1", "main": True}, {"r": "role1", "main": False}
    for value in ([main, other], [main, other, other], [main, main], [other, other], [other, *[{"r": "x"}] * 9, main]):
        assert is_sentence(grammar, json.dumps(value)) == is_valid(schema, value), value


@pytest.mark.parametrize("made", ["letters, 26", "words, two choices", "letters, two choices"])
def test_masks_where_many_are_read_beside(cl100k: ff.Tokenizer, made: str) -> None:
    words = ["cat", "dog", "sun", "map", "pen", "cup", "hat", "box", "jar", "key", "lip", "nut"]
    letters = "abcdefghijklmnopqrstuvwxyz"
    choices = {
        "letters, 26": [list(letters)],
        "words, two choices": [words, [word[::-1] for word in words]],
        "letters, two choices": [list(letters[:13]), list(letters[13:])],
    }
    branches = [
        {"allOf": [{"contains": {"pattern": one}, "minContains": 0, "maxContains": 1} for one in some]}
        for some in choices[made]
    ]
    schema = {"type": "array", "items": {"type": "string"}, "anyOf": branches}
    matcher = ff.compile_json_schema(schema, cl100k).matcher()
    for token in cl100k.encode('["ab", "cd", "ez", "x'):
        assert token in matcher.allowed_token_ids()
        matcher.accept_token(token)


def test_the_limit_says_what_to_change(cl100k: ff.Tokenizer) -> None:
    many = [{"contains": {"type": "object", "required": [f"k{at}"]}, "maxContains": 3} for at in range(12)]
    with pytest.raises(ff.LimitError, match=r"at /allOf/0/contains.*let no item obey two of these contains"):
        ff.compile_json_schema({"type": "array", "allOf": many}, cl100k)
