"""The backend under the contract of vLLM's base classes, with a real tokenizer and without an engine."""

from __future__ import annotations

import inspect
import json
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from vllm.v1.structured_output.backend_types import (
    StructuredOutputBackend,
    StructuredOutputGrammar,
    StructuredOutputOptions,
)

import ffgrammar as ff
from ffgrammar.integrations.vllm.backend import FFGrammarBackend, FFGrammarGrammar

PADDED = 49_152 + 100
EOS = 2
TAG = {"structures": [{"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}], "triggers": ["<f>"]}

RESUME = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "skills": {"type": "array", "items": {"type": "string", "maxLength": 10}, "minItems": 3},
        "jobs": {
            "type": "array",
            "items": {"properties": {"firm": {"type": "string"}, "years": {"type": "number"}}, "required": ["firm"]},
        },
    },
    "required": ["name", "skills", "jobs"],
}
GRADES = {
    "type": "object",
    "properties": {
        "grade": {"type": "string", "pattern": "^[A-D]$"},
        "mail": {"type": "string", "format": "email", "minLength": 5, "pattern": "com$"},
        "score": {"type": "integer", "multipleOf": 5, "minimum": 0, "maximum": 100},
    },
    "patternProperties": {"^x-": {"type": "boolean"}},
    "required": ["grade", "score"],
    "allOf": [{"minProperties": 2}, {"maxProperties": 4}],
    "additionalProperties": False,
}
SQL_EBNF = """
root ::= "SELECT " column " from " table where?
where ::= " where " column "=" number
column ::= "col_1" | "col_2"
table ::= "table_1" | "table_2"
number ::= [0-9]+
"""
SQL_LARK = """
start: "SELECT " COLUMN " from " TABLE where?
where: " where " COLUMN "=" NUMBER
COLUMN: "col_1" | "col_2"
TABLE: "table_1" | "table_2"
%import common.INT -> NUMBER
"""
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
CALLS = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<call="],
        "tags": [
            {
                "begin": f"<call={name}>",
                "content": {"type": "json_schema", "json_schema": CITY},
                "end": "</call>",
            }
            for name in ("time", "weather")
        ],
    },
}


@pytest.fixture(scope="module")
def backend(hf_tokenizer: Any, model_config: Any) -> FFGrammarBackend:
    config = SimpleNamespace(
        model_config=model_config, structured_outputs_config=SimpleNamespace(disable_any_whitespace=True)
    )
    return FFGrammarBackend(config, tokenizer=hf_tokenizer, vocab_size=PADDED)


def _ids(backend: FFGrammarBackend, text: str) -> list[int]:
    return backend.vocabulary.encode(text)


def _allowed(backend: FFGrammarBackend, grammar: StructuredOutputGrammar, row: int = 1) -> set[int]:
    bitmask = backend.allocate_token_bitmask(3)
    assert bitmask.dtype == torch.int32 and bitmask.shape == (3, (PADDED + 31) // 32) and bool((bitmask == -1).all())
    grammar.fill_bitmask(bitmask, row)
    assert bool((bitmask[[0, 2]] == -1).all())
    bits = (bitmask[row].unsqueeze(1) >> torch.arange(32)) & 1
    return set(torch.nonzero(bits.flatten()).flatten().tolist())


def test_every_method_is_there_with_the_same_parameters() -> None:
    for base, own in ((StructuredOutputBackend, FFGrammarBackend), (StructuredOutputGrammar, FFGrammarGrammar)):
        assert issubclass(own, base) and not inspect.isabstract(own)
        for name in base.__abstractmethods__:
            expected = list(inspect.signature(getattr(base, name)).parameters)
            assert list(inspect.signature(getattr(own, name)).parameters) == expected, name


@pytest.mark.parametrize(
    ("kind", "spec", "text", "wrong"),
    [
        ("JSON", json.dumps({"type": "array", "items": {"type": "integer"}}), "[1,2]", "[1, 2]"),
        ("JSON_OBJECT", "", '{"a":1}', "[]"),
        ("REGEX", r"\d{2}-[a-z]+", "12-ab", "1-ab"),
        ("CHOICE", '["yes", "no"]', "no", "maybe"),
        ("GRAMMAR", 'start: "a" B\nB: /b+/', "abb", "ba"),
        ("GRAMMAR", 'root ::= "a" [^b]', "ac", "ab"),
        ("GRAMMAR", 'root ::= "a" . "b"{,2}', "acbb", "b"),
        ("STRUCTURAL_TAG", json.dumps(TAG), "x<f>12</f>", "<f>x"),
        # The kinds of requests that users of vLLM write, and that its other backends take or refuse.
        (
            "JSON",
            json.dumps(RESUME),
            '{"name":"Al","skills":["a","b","c"],"jobs":[{"firm":"X","years":1.5}]}',
            '{"age":1',
        ),
        ("JSON", json.dumps(GRADES), '{"grade":"B","mail":"a@b.com","score":15,"x-1":true}', '{"grade":"E"'),
        (
            "REGEX",
            r"((25[0-5]|(2[0-4]|1\d|[1-9]|)\d)\.){3}(25[0-5]|(2[0-4]|1\d|[1-9]|)\d)",
            "192.168.0.1",
            "192.168.0.256",
        ),
        ("REGEX", r"\w+@\w+\.com\n", "al@b.com\n", "al@b.org"),
        ("CHOICE", '["C", "C++", "C#", "a \\"quoted\\" one", "two\\nlines"]', 'a "quoted" one', "C--"),
        ("GRAMMAR", SQL_EBNF, "SELECT col_1 from table_2 where col_1=3", "SELECT col_1 where"),
        ("GRAMMAR", SQL_LARK, "SELECT col_1 from table_2 where col_1=3", "SELECT col_1 where"),
        ("STRUCTURAL_TAG", json.dumps(CALLS), 'Well: <call=time>{"city":"Rome"}</call> Done.', "<call=day>"),
    ],
)
def test_all_kinds_of_requests(backend: FFGrammarBackend, kind: str, spec: str, text: str, wrong: str) -> None:
    grammar = backend.compile_grammar(StructuredOutputOptions[kind], spec, {EOS})
    assert isinstance(grammar, StructuredOutputGrammar)
    ids = _ids(backend, text)
    for number, token in enumerate(ids):
        assert token in _allowed(backend, grammar)
        assert grammar.validate_tokens(ids[number:]) == ids[number:]
        assert grammar.accept_tokens("a", [token]) and not grammar.is_terminated()
    assert EOS in _allowed(backend, grammar)
    assert grammar.accept_tokens("a", [EOS]) and grammar.is_terminated()
    assert grammar.accept_tokens("a", ids), "what comes after the end does not count"
    assert grammar.validate_tokens(ids) == []
    grammar.rollback(1)
    assert not grammar.is_terminated()
    grammar.rollback(len(ids))
    assert grammar.validate_tokens([*ids, EOS, 5]) == [*ids, EOS]
    refused = _ids(backend, wrong)
    assert len(grammar.validate_tokens(refused)) < len(refused)
    assert not grammar.accept_tokens("a", refused)
    grammar.reset()
    assert grammar.accept_tokens("a", ids)


def test_masks_have_no_padding_and_no_special_tokens(backend: FFGrammarBackend) -> None:
    grammar = backend.compile_grammar(StructuredOutputOptions.REGEX, "[^x]*", None)
    allowed = _allowed(backend, grammar)
    assert max(allowed) < len(backend.tokenizer)
    assert allowed & set(backend.vocabulary.special_tokens.values()) == {0, EOS}


def test_ends_are_those_of_the_generation_config(backend: FFGrammarBackend) -> None:
    assert backend.vocabulary.eos_token_ids == (0, EOS)


def test_further_stop_tokens_come_where_the_text_is_complete(backend: FFGrammarBackend) -> None:
    (stop,) = _ids(backend, "7")
    grammar = backend.compile_grammar(StructuredOutputOptions.REGEX, "[0-9]{2}7?", {0, EOS, stop})
    assert stop not in _allowed(backend, grammar)
    assert grammar.accept_tokens("a", _ids(backend, "12"))
    assert {stop, EOS} <= _allowed(backend, grammar)
    assert grammar.validate_tokens([stop, stop]) == [stop]
    assert grammar.accept_tokens("a", [stop]) and grammar.is_terminated()
    grammar.rollback(1)
    assert not grammar.is_terminated() and EOS in _allowed(backend, grammar)


def test_an_end_at_which_the_server_does_not_stop(backend: FFGrammarBackend) -> None:
    grammar = backend.compile_grammar(StructuredOutputOptions.CHOICE, '["a"]', {EOS})
    assert grammar.accept_tokens("a", _ids(backend, "a"))
    assert _allowed(backend, grammar) == {EOS}


def test_a_grammar_that_needs_its_stop_token(backend: FFGrammarBackend) -> None:
    (stop,) = _ids(backend, "7")
    grammar = backend.compile_grammar(StructuredOutputOptions.CHOICE, '["7"]', {EOS, stop})
    assert _allowed(backend, grammar) == {stop}


def test_ids_that_are_no_tokens(backend: FFGrammarBackend) -> None:
    grammar = backend.compile_grammar(StructuredOutputOptions.CHOICE, '["a"]', {EOS})
    for token in (-1, PADDED - 1, 1 << 40):
        assert grammar.validate_tokens([token]) == []
        assert not grammar.accept_tokens("a", [token])


@pytest.mark.parametrize(
    ("kind", "spec", "error"),
    [
        ("JSON", '{"type": "objec"}', ff.GrammarError),
        ("JSON", '{"uniqueItems": true, "pattern": "(?=a)(?<b>x)\\\\k<b>"}', ff.FFGrammarError),
        ("REGEX", "(", ff.GrammarError),
        ("REGEX", "a" * (2 << 20), ff.LimitError),
        ("GRAMMAR", "root ::= x", ff.GrammarError),
        ("STRUCTURAL_TAG", "{}", ff.GrammarError),
    ],
)
def test_errors(backend: FFGrammarBackend, kind: str, spec: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        backend.compile_grammar(StructuredOutputOptions[kind], spec, None)


def test_a_bound_in_the_middle_of_a_text_ends_its_request_alone(
    backend: FFGrammarBackend,
) -> None:
    grammar = backend.compile_grammar(StructuredOutputOptions.CHOICE, '["a"]', {EOS})
    grammar.fail(ff.LimitError("row_items", 1))
    assert _ids(backend, "a") and grammar.validate_tokens(_ids(backend, "a")) == []
    assert not grammar.accept_tokens("a", _ids(backend, "a"))
    grammar.reset()
    assert grammar.accept_tokens("a", _ids(backend, "a"))
