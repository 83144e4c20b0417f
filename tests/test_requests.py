"""What servers are asked for: the six kinds of requests, and grammars in three notations."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.integrations.requests import REQUEST_KINDS, GrammarRequests, compile_rules, notation_of

TAG = {
    "structures": [{"begin": "<f>", "schema": {"type": "integer"}, "end": "</f>"}],
    "triggers": ["<f>"],
}
EBNF = 'root ::= "a" [^]'
GBNF = 'root ::= "a" .'
# kind, request, texts that it takes, texts that it does not
CASES: list[tuple[Any, Any, list[str], list[str]]] = [
    ("json", {"type": "integer"}, ["1", "-20"], ["a", "1.5", '"1"']),
    ("json", '{"type": "array", "items": {"type": "null"}}', ["[null, null]", "[ null ]", "[]"], ["[  null]", "{}"]),
    ("json_object", None, ["{}", '{"a": [1]}'], ["[]", "1", '{"a":  1}']),
    ("json_object", "", ["{}"], ["[]"]),
    ("regex", r"\d{3}-[a-z]+", ["123-ab"], ["12-ab", "١٢٣-ab"]),
    ("choice", ["yes", "no"], ["yes", "no"], ["maybe", "y"]),
    ("choice", '["yes", "no"]', ["yes", "no"], ["maybe", "["]),
    ("choice", "one\ntwo", ["one\ntwo"], ["one", "two"]),
    ("grammar", 'start: "a" B+\nB: "b"', ["ab", "abb"], ["a", "b"]),
    ("grammar", EBNF, ["ab", "aé"], ["a", "b"]),
    ("grammar", GBNF, ["ab", "aé"], ["a", "b"]),
    ("structural_tag", TAG, ["x <f>12</f> y", ""], ["<f>a</f>"]),
    ("structural_tag", json.dumps(TAG), ["<f>1</f>"], ["<f></f>"]),
]


@pytest.fixture(scope="module")
def requests() -> Iterator[GrammarRequests]:
    tok = ff.Tokenizer.from_tokens(
        [bytes([byte]) for byte in range(256)] + [b"<end>"], eos_token_id=256, special_tokens={"<end>": 256}
    )
    made = GrammarRequests(tok)
    yield made
    made.close()


def _takes(grammar: ff.Grammar, text: str) -> bool:
    matcher = grammar.matcher()
    data = text.encode()
    return matcher.accept_bytes(data) == len(data) and matcher.is_accepting()


@pytest.mark.parametrize(("kind", "spec", "good", "bad"), CASES)
def test_requests(requests: GrammarRequests, kind: Any, spec: Any, good: list[str], bad: list[str]) -> None:
    grammar = requests.compile(kind, spec)
    assert [text for text in good if not _takes(grammar, text)] == []
    assert [text for text in bad if _takes(grammar, text)] == []
    assert asyncio.run(requests.compile_async(kind, spec)) is grammar or kind in ("json", "structural_tag")


def test_every_kind_has_a_case() -> None:
    assert {case[0] for case in CASES} == set(REQUEST_KINDS)


@pytest.mark.parametrize(
    ("kind", "spec", "error"),
    [
        ("json", "{", ff.GrammarError),
        ("json", '{"type": "thing"}', ff.GrammarError),
        ("json", {"$ref": "#/nowhere"}, ff.GrammarError),
        ("regex", "(", ff.GrammarError),
        ("regex", 5, TypeError),
        ("choice", "[]", ff.GrammarError),
        ("choice", ["a", 5], ff.GrammarError),
        ("choice", 5, TypeError),
        ("grammar", "start: (", ff.GrammarError),
        ("grammar", "no grammar", ff.GrammarError),
        ("grammar", "root ::= missing", ff.GrammarError),
        ("grammar", None, TypeError),
        ("structural_tag", "{}", ff.GrammarError),
        ("structural_tag", None, TypeError),
        ("yaml", "a: 1", ff.GrammarError),
    ],
)
def test_errors(requests: GrammarRequests, kind: Any, spec: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        requests.compile(kind, spec)


def test_an_error_of_rules_is_about_ebnf(requests: GrammarRequests) -> None:
    with pytest.raises(ff.GrammarError, match="any character is written") as caught:
        compile_rules('root ::= "a" . | lettr', requests.tokenizer)
    assert (caught.value.line, caught.value.column) == (1, 14)


def test_notations() -> None:
    assert notation_of('start: "::="') == "lark"
    assert notation_of('# root ::= x\nstart: "a"') == "lark"
    assert notation_of("# a comment\n  root ::= x") == "rules"
    assert notation_of('root[max_tokens=5] ::= "a"') == "rules"


def test_options_and_limits(requests: GrammarRequests) -> None:
    compact = GrammarRequests(requests.tokenizer, whitespace="compact")
    assert not _takes(compact.compile("json", {"type": "array"}), "[ ]")
    assert _takes(compact.compile("json", {"properties": {"a": {}, "b": {}}}, property_order="any"), '{"b":1,"a":2}')
    compact.close()
    tight = GrammarRequests(requests.tokenizer, limits=ff.Limits(source_bytes=4))
    with pytest.raises(ff.LimitError):
        tight.compile("regex", "[0-9]+")
    tight.close()


def test_a_request_is_compiled_once(requests: GrammarRequests) -> None:
    first = requests.compile("grammar", 'start: "once" X\nX: /x+/')
    assert requests.compile("grammar", 'start: "once" X\nX: /x+/') is first


def test_the_plugin_of_vllm_needs_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    from ffgrammar.integrations.vllm.plugin import register

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=re.escape("pip install 'ffgrammar[vllm]'")):
        register()
