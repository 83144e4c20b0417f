"""Random sentences: each is one, equal seeds give equal ones, and they are short, varied and printable."""

from __future__ import annotations

import json
import time
from itertools import count, islice
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_emit import TOY, built
from test_grammars import COMPILERS, SOURCES, end_of

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.json_schema import build
from ffgrammar.grammar.sample.derivation import Derivation
from ffgrammar.regex.expr.store import ExprStore
from oracle.grammars import Description, descriptions
from oracle.schemas import is_valid, schemas
from sentences import is_sentence


def drawn(grammar: ff.Grammar, count: int, seed: int = 0, length: int = 80) -> list[bytes]:
    return list(islice(grammar.samples(seed, length), count))


@given(descriptions(), st.integers(0, 100))
def test_samples_of_random_grammars_are_sentences(description: Description, seed: int) -> None:
    """Also where longest match takes what must follow, and the derivation does not fit."""
    grammar = built(description)
    if grammar is None:
        return
    try:
        texts = drawn(grammar, 4, seed, 10)
    except ff.LimitError:
        return
    assert all(is_sentence(grammar, text) for text in texts), texts


@given(schemas, st.integers(0, 100), st.sampled_from(["schema", "any"]))
@settings(max_examples=60)
def test_samples_of_random_schemas_are_valid(schema: Any, seed: int, order: Any) -> None:
    try:
        grammar = ff.compile_json_schema(schema, TOY, property_order=order)
        texts = drawn(grammar, 3, seed, 20)
    except (ff.GrammarError, ff.LimitError):
        return
    assert all(is_sentence(grammar, text) for text in texts), texts
    # (the package jsonschema follows some references for ever)
    if "$ref" not in json.dumps(schema):
        assert all(is_valid(schema, json.loads(text)) for text in texts), texts


def test_a_derivation_ends_where_a_dear_value_must_come_first() -> None:
    """Some key has an array with an item, which takes more lexemes than the values of other keys."""
    schema = {"type": "object", "not": {"additionalProperties": {"not": {"type": "array", "minItems": 1}}}}
    grammar = build(schema, ExprStore(), Limits(), property_order="any")
    for seed in range(300):
        asked = count()
        lexemes = Derivation(grammar, Random(seed)).lexemes(lambda owed, asked=asked: next(asked) > 20)  # type: ignore[misc]
        assert len(list(islice(lexemes, 1000))) < 1000


@pytest.mark.parametrize("name", SOURCES)
def test_samples_of_real_grammars(name: str, cl100k: ff.Tokenizer) -> None:
    path = SOURCES[name]
    grammar = COMPILERS[end_of(path)](path.read_text(encoding="utf-8"), cl100k)
    texts = drawn(grammar, 40)
    assert texts == drawn(grammar, 40) and texts != drawn(grammar, 40, seed=1)
    assert all(is_sentence(grammar, text) for text in texts)
    assert all(byte in b"\t\r\n" or 32 <= byte < 127 for text in texts for byte in text)
    # (an invoice has many parts, all of which it must have)
    assert sum(map(len, texts)) / 40 < (800 if name == "invoice" else 150)
    assert len(set(texts)) >= 15
    assert max(map(len, drawn(grammar, 10, length=0))) < 800


SCHEMAS: list[Any] = [
    {"type": "array", "items": {"enum": list(range(8))}, "minItems": 8, "uniqueItems": True},
    {"type": "array", "items": {"type": "string", "maxLength": 1}, "minItems": 12, "uniqueItems": True},
    {"type": "integer", "multipleOf": 7919, "minimum": 10000},
    {"type": "number", "multipleOf": 0.25, "exclusiveMinimum": 3, "maximum": 4},
    {"type": "string", "minLength": 100, "maxLength": 101},
    {"type": "string", "pattern": "^[A-Z_]+(_DEVICE|_LAYOUT)$", "minLength": 30},
    {"type": "string", "pattern": "^(?=.*[0-9])(?=.*[a-z])[a-z0-9]{6,8}$"},
    {"type": "string", "format": "idn-email"},
    {"type": "string", "not": {"pattern": "^[a-z ]*$"}},
    {"type": "object", "minProperties": 3, "additionalProperties": {"type": "integer"}},
    {"type": "object", "properties": {f"k{i}": {"type": "null"} for i in range(40)}, "required": ["k39", "k3"]},
    {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}, "v": {}}}}},
    {
        "$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}, "minItems": 0, "maxItems": 9}},
        "$ref": "#/$defs/t",
    },
]


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
def test_samples_of_odd_schemas(schema: Any, order: Any, cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema(schema, cl100k, property_order=order)
    for text in drawn(grammar, 10):
        jsonschema.Draft202012Validator(schema).validate(json.loads(text))


ODD = [
    'start: "(" start start ")" | "x"',
    'start: start start | "x" |',
    'start: a\na: b | "1"\nb: a "x" | c\nc: b "y" | "z" a',
    'start: A "y" | A "x" "y"\nA: /x+/',
    'start: "if" NAME | NAME\nNAME: /[a-z]+/',
    "start: A B C\nA: /[ab]*/\nB: /[bc]*/\nC: /c?d/",
    "start: A+\nA: /[\\u4e00-\\u9fff]/",
    'start: A\nA[lazy]: /[a-z]*;/\n%ignore " "',
    'start: (A ",")~30 "!"\nA: /[a-z]{200}/',
    "start: A\nA: /[0-9]+/ & ~/.*[0-4].*/ & /.{9}/",
]


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("lexing", ["longest", "any"])
def test_samples_of_odd_grammars(text: str, lexing: Any, cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark(text, cl100k, lexing=lexing)
    assert all(is_sentence(grammar, one) for one in drawn(grammar, 15))


def test_a_tree_that_branches_heads_for_its_end(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_lark('start: "(" start start start ")" | "[" start start "]" | "x"', cl100k)
    assert max(map(len, drawn(grammar, 100, length=50))) < 400


def test_compositions_and_compiled_files(cl100k: ff.Tokenizer, tmp_path: Any) -> None:
    name = ff.compile_regex("[a-z]{3,8}", cl100k)
    grammar = ff.compose(ff.sequence("<", name, ">", ff.text(until="</"), "</", name, ">"), cl100k)
    assert all(is_sentence(grammar, text) for text in drawn(grammar, 20))
    grammar.save(tmp_path / "g.ffg")
    assert drawn(ff.load(tmp_path / "g.ffg", cl100k), 20) == drawn(grammar, 20)


def test_bytes_that_are_no_text(cl100k: ff.Tokenizer) -> None:
    store = ExprStore()
    builder = GrammarBuilder(store)
    odd = builder.terminal(store.repeat(store.byte_set(bytes(range(128, 256))), 3, 5))
    grammar = ff.Grammar(builder.finish(odd), cl100k, ff.Limits())
    assert all(is_sentence(grammar, text) for text in drawn(grammar, 5))


def test_special_tokens(cl100k: ff.Tokenizer) -> None:
    """They are no bytes: other alternatives are taken, and where there are none, the error names them."""
    grammar = ff.compile_lark('start: "a" (<|fim_prefix|> | "b")', cl100k)
    assert drawn(grammar, 5) == [b"ab"] * 5
    with pytest.raises(ff.MatcherError, match=r"such as <\|fim_prefix\|>"):
        drawn(ff.compile_lark('start: "a" <|fim_prefix|>', cl100k), 1)


def test_large_grammars_take_little_time(cl100k: ff.Tokenizer) -> None:
    rules = "\n".join(f'r{i}: "a{i}" r{(7 * i + 1) % 3000} | "b" r{(i + 1) % 3000} | "c"' for i in range(3000))
    grammar = ff.compile_lark(f"start: r0\n{rules}", cl100k)
    begin = time.perf_counter()
    assert all(is_sentence(grammar, text) for text in drawn(grammar, 50))
    assert time.perf_counter() - begin < 20


def test_sampling_changes_nothing(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema(SCHEMAS[6], cl100k)
    matcher = grammar.matcher()
    matcher.accept_bytes(b'"a1')
    before = matcher.allowed_token_ids().tolist()
    assert len(drawn(grammar, 20)) == 20
    assert matcher.allowed_token_ids().tolist() == before
