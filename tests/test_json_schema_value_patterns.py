"""Many conditions on the patterns of one key's strings: right, without dead ends, and cheap."""

from __future__ import annotations

import json
from itertools import permutations
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.grammar.json_schema.emit import clauses, value_lexemes
from oracle.masks import ByteTree, brute_force_mask
from oracle.schemas import is_valid
from sentences import BYTES, is_sentence

PATTERNS = ["a", "b", "c", "^a", "b$", "^c", "ab", "^.$", "[ab]$", "^b.*c$", "ca", "bb"]
TEXTS = ["", "a", "b", "c", "ab", "ba", "abc", "bc", "cab", "bbc", "x"]
KEYS = ["s", "t", "u", "p", "q", "r", "z"]


def random_schema(random: Random) -> dict[str, Any]:
    """A schema of objects with conditions on the strings of a few keys."""

    def said(key: str) -> dict[str, Any]:
        text: dict[str, Any] = {"pattern": random.choice(PATTERNS)}
        if random.random() < 0.2:
            text = random.choice(
                [{"const": random.choice(TEXTS)}, {"maxLength": 1}, {"type": "string", "minLength": 2}]
            )
        return {"properties": {key: text}, **({"required": [key]} if random.random() < 0.9 else {})}

    def then() -> dict[str, Any]:
        key = random.choice(["u", "p", "q", "r", "z", "s"] if random.random() < 0.9 else ["t"])
        kinds: list[dict[str, Any]] = [{"required": [key]}, {"properties": {key: {"type": "integer"}}}]
        kinds += [{"properties": {key: False}}, {"not": {"required": [key]}}, {"properties": {"v": {"minimum": 2}}}]
        return random.choice(kinds[:1] if random.random() < 0.5 else kinds)

    rules = []
    for _ in range(random.randrange(8, 13)):
        rule = {"if": said("t" if random.random() < 0.8 else "u"), "then": then()}
        if random.random() < 0.15:
            rule["else"] = then()
        rules.append(rule)
    text = random.choice([{"type": "string"}, {"type": "string", "maxLength": 3}, True, {"type": ["string", "null"]}])
    named = dict.fromkeys(random.sample(KEYS, 4), True)
    schema: dict[str, Any] = {"type": "object", "properties": {"t": text, **named}, "allOf": rules}
    if random.random() < 0.3:
        schema["properties"] = {"s": True, **schema["properties"]}
    if random.random() < 0.4:
        schema["required"] = ["t"]
    if random.random() < 0.3:
        schema["additionalProperties"] = False
    return schema


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The list gets an item for each key whose strings are told apart by lexemes."""
    found: list[Any] = []
    write = value_lexemes.string_events

    def noting(*given: Any) -> Any:
        events = write(*given)
        found.append(given[1])
        return events

    monkeypatch.setattr(clauses, "string_events", noting)
    return found


def compiled(schema: dict[str, Any], tokenizer: ff.Tokenizer) -> ff.Grammar | None:
    """The grammar of a schema; None if no value obeys it."""
    try:
        return ff.compile_json_schema(schema, tokenizer, whitespace="compact")
    except ff.GrammarError as error:
        assert "no value obeys" in str(error), schema
        return None


def random_value(random: Random) -> dict[str, Any]:
    """An object of a few keys."""
    keys = random.sample([*KEYS, "v"], random.randrange(4))
    if "t" not in keys and random.random() < 0.7:
        keys.append("t")
    samples: list[Any] = [1, 2, None, *TEXTS]
    return {key: random.choice(TEXTS if key == "t" else samples) for key in keys}


def is_accepted(grammar: ff.Grammar | None, value: dict[str, Any]) -> bool:
    """Whether a grammar accepts an object in some order of its keys."""
    texts = [json.dumps(dict(some), separators=(",", ":")) for some in permutations(value.items())]
    return grammar is not None and any([is_sentence(grammar, text) for text in texts])


@pytest.mark.parametrize("seed", range(60))
def test_random_objects(seed: int) -> None:
    random = Random(seed)
    schema = random_schema(random)
    grammar = compiled(schema, BYTES)
    for _ in range(40):
        value = random_value(random)
        assert is_accepted(grammar, value) == is_valid(schema, value), (schema, value)


def test_strings_are_told_apart(told: list[Any]) -> None:
    for seed in range(1000, 1060):
        compiled(random_schema(Random(seed)), BYTES)
    assert len(told) > 30


def random_option(random: Random) -> dict[str, Any]:
    """What an option of a choice says, mostly of strings."""
    kinds: list[dict[str, Any]] = [{"pattern": random.choice(PATTERNS)}, {"maxLength": random.randrange(4)}]
    kinds += [{"minLength": random.randrange(1, 4)}, {"enum": random.sample([*TEXTS, 1, None], 3)}]
    kinds += [{"type": "string"}, {"minimum": 2}, {"type": ["string", "null"], "pattern": random.choice(PATTERNS)}]
    option = random.choice(kinds[: random.choice([2, 3, 4, 7])])
    return {"not": option} if random.random() < 0.3 else option


@pytest.mark.parametrize("seed", range(150))
def test_random_choices_of_strings(seed: int) -> None:
    """A string that obeys each choice by its length alone may have escapes; one that needs a pattern has none."""
    random = Random(seed)
    choices = [
        [random_option(random) for _ in range(random.choice([1, 2, 2, 2, 3]))] for _ in range(random.randrange(3, 9))
    ]
    schema: dict[str, Any] = {"allOf": [{"anyOf": options} for options in choices]}
    if random.random() < 0.5:
        schema |= random.choice([{"type": "string"}, {"type": "string", "pattern": "[ab]"}, {"maxLength": 3}])
    grammar = compiled(schema, BYTES)

    for text in [*TEXTS, 1, 2, None, "abab", "ccc", [], {"a": 1}]:
        is_right = is_valid(schema, text)
        assert (grammar is not None and is_sentence(grammar, json.dumps(text, separators=(",", ":")))) == is_right, (
            schema,
            text,
        )
        if isinstance(text, str) and text and grammar is not None:
            by_length = [
                [option for option in options if not {"pattern", "enum"} & {*option, *option.get("not", ())}]
                for options in choices
            ]
            is_free = "pattern" not in schema and is_valid(
                {"allOf": [{"anyOf": some or [False]} for some in by_length]}, text
            )
            escaped = f'"\\u{ord(text[0]):04x}{text[1:]}"'
            assert is_sentence(grammar, escaped) == (is_right and is_free), (schema, escaped)


PIECES = ['{"', '":"', '","', "a", "ab", "bc", 'a"', '"b"', 'c","', '"}', '{"t":"', '"p":1', 'ab","p":', '":1']
SPELLING = ff.Tokenizer.from_tokens([*[bytes([byte]) for byte in range(128)], *[piece.encode() for piece in PIECES]])
TREE = ByteTree([(token, SPELLING.token_bytes(token)) for token in range(SPELLING.vocab_size)])


@pytest.mark.parametrize("seed", range(40))
def test_masks(seed: int) -> None:
    random = Random(seed)
    schema = random_schema(random)
    grammar = compiled(schema, SPELLING)
    for _ in range(4 if grammar else 0):
        assert grammar is not None
        matcher = grammar.matcher()
        matcher.accept_bytes(b'{"t":"')
        for _ in range(14):
            allowed = matcher.allowed_token_ids().tolist()
            assert set(allowed) == brute_force_mask(matcher, TREE, []), (schema, matcher.text_bytes)
            assert allowed or matcher.is_accepting(), (schema, matcher.text_bytes)
            liked = [token for token in allowed if token >= 128] or allowed
            if not liked:
                break
            matcher.accept_token(random.choice(liked))


WORDS = "cat dog sun map pen cup hat box jar key lip nut oak pie rug bed fox ice art bus".split()


@pytest.mark.parametrize("number", [8, 12, 20])
@pytest.mark.parametrize("forbids", [False, True])
def test_words_anywhere(cl100k: ff.Tokenizer, number: int, forbids: bool) -> None:
    rules = [
        {
            "if": {"properties": {"t": {"pattern": word}}, "required": ["t"]},
            "then": {"properties": {"v": {"minimum": least}}} if forbids else {"required": [f"p{word}"]},
        }
        for least, word in enumerate(WORDS[:number])
    ]
    schema = {"type": "object", "properties": {"t": {"type": "string"}}, "allOf": rules}
    grammar = ff.compile_json_schema(schema, cl100k)
    cases: list[tuple[dict[str, Any], bool]] = [
        ({"t": "a cat and a map", "v": 3, "pcat": 1, "pmap": 2}, True),
        ({"t": "a cat and a map", "v": 2, "pcat": 1}, False),
        ({"t": "no animal", "v": -1}, True),
    ]
    for value, is_right in cases:
        matcher = grammar.matcher()
        accepted = True
        for token in cl100k.encode(json.dumps(value)):
            allowed = matcher.allowed_token_ids()
            accepted = matcher.accept_token(token)
            assert accepted == (token in allowed)
            if not accepted:
                break
        assert (accepted and matcher.is_accepting()) == is_right == is_valid(schema, value)
    assert grammar.stats()["expressions"] < 10_000
