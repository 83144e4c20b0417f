"""Compiling an equal source again gives the same grammar; another source, or one changed since, gives another."""

from __future__ import annotations

import json
import random
import threading
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar.api.source_key import source_key

SCHEMA = {"type": "object", "properties": {"a": {"enum": [1, "x"]}, "b": {"type": "string"}}, "required": ["a"]}


@pytest.fixture
def tok() -> ff.Tokenizer:
    return ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)], eos_token_id=256, vocab_size=257)


def _accepts(grammar: ff.Grammar, text: str) -> bool:
    matcher = grammar.matcher()
    return bool(matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting())


def test_the_same_source_gives_the_same_grammar(tok: ff.Tokenizer) -> None:
    first = ff.compile_json_schema(SCHEMA, tok)
    assert ff.compile_json_schema(json.loads(json.dumps(SCHEMA)), tok) is first
    assert ff.compile_json_schema(SCHEMA, tok, limits=ff.Limits()) is first
    text = json.dumps(SCHEMA)
    assert ff.compile_json_schema(text, tok) is ff.compile_json_schema(text, tok)
    assert ff.compile_regex("a+", tok) is ff.compile_regex("a+", tok)
    assert ff.compile_lark('start: "a"', tok) is ff.compile_lark('start: "a"', tok)
    assert ff.compile_choice(["a", b"b"], tok) is ff.compile_choice(["a", b"b"], tok)


@pytest.mark.parametrize(
    "options",
    [
        {"whitespace": "compact"},
        {"whitespace": 1},
        {"property_order": "any"},
        {"formats": "annotation"},
        {"draft": 7},
        {"registry": {}},
        {"separators": (", ", ": ")},
        {"indent": 2},
        {"integer_spelling": "any"},
        {"limits": ff.Limits(rules=1000)},
    ],
    ids=str,
)
def test_other_options_give_another_grammar(tok: ff.Tokenizer, options: Any) -> None:
    first = ff.compile_json_schema(SCHEMA, tok)
    assert ff.compile_json_schema(SCHEMA, tok, **options) is not first
    assert ff.compile_json_schema(SCHEMA, tok) is first


@pytest.mark.parametrize(
    ("some", "others"),
    [
        ({"enum": [1]}, {"enum": [True]}),
        ({"const": 1}, {"const": 1.5}),
        ({"const": 0}, {"const": False}),
        ({"properties": {"a": True, "b": False}}, {"properties": {"b": False, "a": True}}),
        ({"enum": ["a"]}, {"enum": [["a"]]}),
        ({"enum": ["\u00e9"]}, {"enum": ["e\u0301"]}),
    ],
    ids=str,
)
def test_sources_that_differ_a_little(tok: ff.Tokenizer, some: Any, others: Any) -> None:
    assert source_key(some, 1000) != source_key(others, 1000)
    assert ff.compile_json_schema(some, tok) is not ff.compile_json_schema(others, tok)


def test_a_number_for_whitespace_is_no_bool(tok: ff.Tokenizer) -> None:
    ff.compile_json_schema(SCHEMA, tok, whitespace=1)
    with pytest.raises(ff.GrammarError, match="whitespace"):
        ff.compile_json_schema(SCHEMA, tok, whitespace=True)


def test_what_has_no_key() -> None:
    class Dict(dict):  # type: ignore[type-arg]
        pass

    for source in (Dict(), [Dict()], {"a": bytearray(b"b")}, {"a": {1}}, iter("ab"), {"a": object()}, {"a": 10**9999}):
        assert source_key(source, 1000) is None
    deep: Any = {}
    for _ in range(100_000):
        deep = {"not": deep}
    assert source_key(deep, 1 << 30) is None
    while deep:
        deep = deep.pop("not")
    wide: Any = {}
    for _ in range(100):
        wide = {"anyOf": [wide, wide]}
    assert source_key(wide, 1 << 20) is None
    wide["anyOf"][0] = wide
    assert source_key(wide, 1 << 20) is None
    assert source_key({"a": "b" * 1000}, 1000) is None


def test_a_schema_that_is_changed_later(tok: ff.Tokenizer) -> None:
    schema: Any = {"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}
    first = ff.compile_json_schema(schema, tok)
    schema["properties"]["a"]["const"] = 2
    second = ff.compile_json_schema(schema, tok)
    assert _accepts(first, '{"a": 1}') and not _accepts(first, '{"a": 2}')
    assert _accepts(second, '{"a": 2}') and not _accepts(second, '{"a": 1}')
    schema["properties"]["a"]["const"] = 1
    assert ff.compile_json_schema(schema, tok) is first


def test_errors_and_warnings_come_each_time(tok: ff.Tokenizer) -> None:
    for _ in range(2):
        with pytest.raises(ff.GrammarError, match="no value obeys"):
            ff.compile_json_schema({"type": "string", "enum": [1]}, tok)
        with pytest.raises(ff.LimitError):
            ff.compile_json_schema(SCHEMA, tok, limits=ff.Limits(rules=1))
        assert ff.compile_json_schema({"format": "no such"}, tok).warnings == (
            "at /format: the format 'no such' is unknown: not enforced",
        )


def test_a_budget_is_kept_and_can_be_switched_off(tok: ff.Tokenizer) -> None:
    tok.grammar_bytes = 1 << 20
    first = ff.compile_json_schema(SCHEMA, tok)
    for number in range(200):
        grammar = ff.compile_json_schema({"const": number}, tok)
        # used, so that it has grown when it is counted again
        assert _accepts(grammar, str(number))
        assert 0 < tok.grammars.stats()["grammar_bytes"] <= 1 << 20
    stats = tok.grammars.stats()
    assert 2 < stats["grammars"] < 100 and stats["grammar_misses"] == 201
    assert ff.compile_json_schema({"const": 199}, tok) is grammar
    assert ff.compile_json_schema(SCHEMA, tok) is not first
    tok.grammar_bytes = 0
    assert tok.grammars.stats()["grammars"] == tok.grammars.stats()["grammar_bytes"] == 0
    assert ff.compile_json_schema(SCHEMA, tok) is not ff.compile_json_schema(SCHEMA, tok)
    for bad in (-1, "1", None):
        with pytest.raises(ff.TokenizerError, match="grammar_bytes"):
            tok.grammar_bytes = bad  # type: ignore[assignment]


def test_one_that_grows_too_large_goes_and_leaves_the_others(tok: ff.Tokenizer) -> None:
    tok.grammar_bytes = 1 << 20
    others = [ff.compile_json_schema({"const": number}, tok) for number in range(3)]
    large = ff.compile_json_schema({"pattern": "a.{150}$"}, tok)
    matcher = large.matcher()
    matcher.accept_bytes(b'"' + bytes(random.Random(0).choices(b"ab", k=3000)))
    assert large.held_bytes() > 1 << 20
    for number in range(10):
        ff.compile_json_schema({"const": str(number)}, tok)
    assert [ff.compile_json_schema({"const": number}, tok) for number in range(3)] == others
    assert ff.compile_json_schema({"pattern": "a.{150}$"}, tok) is not large


def test_bytes_are_counted_again_when_something_was_learnt(tok: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema({"type": "string"}, tok)
    fresh = grammar.held_bytes()
    assert grammar.held_bytes() == fresh
    matcher = grammar.matcher()
    for byte in b'"a b"':
        matcher.fill_bitmask(ff.allocate_bitmask(1, tok.vocab_size))
        before = grammar.held_bytes()
        assert matcher.accept_bytes(bytes([byte])) == 1
        assert grammar.held_bytes() >= before
    grown = grammar.held_bytes()
    assert grown > fresh
    learnt = grammar._engine.held_bytes()
    assert learnt == grammar._engine.stats()["bytes"]


def test_those_asked_for_lately_stay(tok: ff.Tokenizer) -> None:
    tok.grammar_bytes = 1 << 20
    first = ff.compile_json_schema(SCHEMA, tok)
    for number in range(100):
        ff.compile_json_schema({"const": number}, tok)
        assert ff.compile_json_schema(SCHEMA, tok) is first


def test_a_grammar_that_is_kept_answers_as_a_new_one() -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    mask = ff.allocate_bitmask(1, tok.vocab_size)
    texts = ['{"a": 1, "b": "long', '{"a": "x"}', '{ "a":', "{"]
    found: list[list[Any]] = []
    for budget in (16 << 20, 16 << 20, 0):
        tok.grammar_bytes = budget
        for _ in range(2):
            masks = []
            for text in texts:
                matcher = ff.compile_json_schema(SCHEMA, tok).matcher()
                for token in tok.encode(text):
                    assert matcher.accept_token(token)
                matcher.fill_bitmask(mask)
                masks.append(mask.copy())
            found.append(masks)
    for masks in found[1:]:
        assert all(np.array_equal(one, other) for one, other in zip(found[0], masks, strict=True))


def test_threads_share_what_they_compile(tok: ff.Tokenizer) -> None:
    tok.grammar_bytes = 1 << 20
    problems: list[Any] = []
    start = threading.Barrier(8)

    def work(seed: int) -> None:
        start.wait()
        for step in range(150):
            number = (step * 7 + seed) % 40
            grammar = ff.compile_json_schema({"enum": [number, str(number)]}, tok)
            if not _accepts(grammar, f'"{number}"') or _accepts(grammar, f'"{number + 1}"'):
                problems.append(number)
            if step % 50 == seed:
                tok.grammar_bytes = (1 << 20) + seed

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    stats = tok.grammars.stats()
    assert stats["grammar_hits"] + stats["grammar_misses"] == 8 * 150
    assert 0 < stats["grammar_bytes"] <= stats["grammar_bytes_limit"]


def test_any_budget(tok: ff.Tokenizer) -> None:
    for value in (0, 1, 1 << 40, 1 << 70):
        tok.grammar_bytes = value
        assert _accepts(ff.compile_json_schema(SCHEMA, tok), '{"a": "x"}')
    for bad in (-1, 1.5, None):
        with pytest.raises(ff.TokenizerError):
            tok.grammar_bytes = bad  # type: ignore[assignment]
