"""Requests of OpenAI's and Anthropic's APIs: which answers they ask for, and what an answer says."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.api.tools.table import FORMATS, NAMES
from oracle.tool_calls import ALL_SPECIAL, SINGLE, WRITERS, write_content
from tool_samples import SCHEMAS, TOOLS, accepts, draw_calls, pieces, with_special

COUNT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
FLAT = [{"type": "function", "name": name, "parameters": one, "strict": True} for name, one in SCHEMAS.items()]
CLAUDE = [{"name": name, "input_schema": one} for name, one in SCHEMAS.items()]
WANTED = {"type": "json_schema", "json_schema": {"name": "x", "schema": COUNT, "strict": True}}
FLAT_WANTED = {"type": "json_schema", "name": "x", "schema": COUNT}
CALL = '<tool_call>\n{"name": "get", "arguments": {}}\n</tool_call>'


@pytest.fixture(scope="module")
def special(cl100k: ff.Tokenizer) -> ff.Tokenizer:
    return with_special(cl100k, ALL_SPECIAL)


@pytest.fixture(scope="module")
def plain(cl100k: ff.Tokenizer) -> ff.Tokenizer:
    tokens = [cl100k.token_bytes(one) for one in range(100_256)]
    return ff.Tokenizer.from_tokens([*tokens, *(one.encode() for one in ALL_SPECIAL), b""], 100_256 + len(ALL_SPECIAL))


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"messages": [], "model": "m", "stream": True},
        {"response_format": {"type": "text"}, "tools": None, "tool_choice": None},
        {"text": {"format": {"type": "text"}, "verbosity": "low"}, "tools": []},
        {"tools": [], "tool_choice": "none"},
        {"tool_choice": {"type": "auto"}},
        {"tool": None, "max_tool_calls": 3, "tool_resources": {}, "context": "x", 5: "x"},
    ],
)
def test_every_text_is_an_answer(request_: Any, cl100k: ff.Tokenizer) -> None:
    for format in (None, "hermes", "gpt-oss"):
        assert ff.compile_request(request_, cl100k, format=format) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "request_",
    [
        {"response_format": WANTED},
        {"text": {"format": FLAT_WANTED}},
        {"output_config": {"format": {"type": "json_schema", "schema": COUNT}}},
        {"output_format": {"type": "json_schema", "schema": COUNT}},
        {"response_format": WANTED, "tools": TOOLS, "tool_choice": "none"},
    ],
)
def test_formats(request_: Any, cl100k: ff.Tokenizer) -> None:
    for format in (None, "hermes") if "tools" not in request_ else ("hermes", "llama3"):
        grammar = ff.compile_request(request_, cl100k, format=format)  # type: ignore[arg-type]
        assert grammar is not None
        assert accepts(grammar, '{"a": 1}') and accepts(grammar, '{ "a":1 }')
        for wrong in ('{"a":  1}', "{}", "Hi", CALL):
            assert not accepts(grammar, wrong)
        again = ff.compile_request(request_, cl100k, format=format)  # type: ignore[arg-type]
        assert again is not None and again.matcher().engine is grammar.matcher().engine


@pytest.mark.parametrize(
    "request_",
    [
        {"tools": TOOLS, "response_format": WANTED},
        {"tools": FLAT, "text": {"format": FLAT_WANTED}},
        {"tools": CLAUDE, "output_format": FLAT_WANTED},
    ],
)
def test_calls_or_json(request_: Any, cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_request(request_, cl100k, format="hermes")
    assert grammar is not None
    assert accepts(grammar, '{"a": 1}') and accepts(grammar, CALL) and accepts(grammar, f"{CALL}\n{CALL}")
    for wrong in ("Hi", '{"a": 1}' + CALL, "{}", f"Hi {CALL}"):
        assert not accepts(grammar, wrong)
    with pytest.raises(ff.UnsupportedError, match="no mark tells a call from JSON content"):
        ff.compile_request(request_, cl100k, format="llama3")
    with_reasoning = ff.compile_request(request_, cl100k, format="hermes", reasoning="qwen")
    assert with_reasoning is not None
    assert accepts(with_reasoning, '<think>so</think>\n\n{"a": 1}') and accepts(
        with_reasoning, f"<think></think>{CALL}"
    )
    assert not accepts(with_reasoning, '{"a": 1}') and not accepts(with_reasoning, "<think></think>Hi")


@pytest.mark.parametrize(
    ("choice", "one", "two", "text"),
    [
        ("auto", True, True, True),
        ("required", True, True, False),
        ("none", False, False, True),
        ({"type": "function", "function": {"name": "get"}}, True, False, False),
        ({"type": "function", "name": "get"}, True, False, False),
        ({"type": "function", "name": "get_time"}, False, False, False),
        ({"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "get"}]}, 1, 1, 0),
        ({"type": "any"}, True, True, False),
        ({"type": "any", "disable_parallel_tool_use": True}, True, False, False),
        ({"type": "tool", "name": "get"}, True, False, False),
    ],
)
def test_choices(choice: Any, one: bool, two: bool, text: bool, cl100k: ff.Tokenizer) -> None:
    for tools in (TOOLS, FLAT, CLAUDE):
        for parallel in (None, True, False):
            asked = {"tools": tools, "tool_choice": choice, "parallel_tool_calls": parallel}
            grammar = ff.compile_request(asked, cl100k, format="hermes")
            assert grammar is not None
            assert accepts(grammar, CALL) == one and accepts(grammar, "Hi") == text
            assert accepts(grammar, f"{CALL}\n{CALL}") == (two and parallel is not False)


@pytest.mark.parametrize("format", NAMES)
def test_answers_are_read(format: str, special: ff.Tokenizer, plain: ff.Tokenizer) -> None:
    """What a template writes is read back, call for call, with and without special tokens."""
    rng = random.Random(format)
    request = {"tools": TOOLS}
    for round in range(30):
        tok = special if round % 2 else plain
        grammar = ff.compile_request(request, tok, format=format)  # type: ignore[arg-type]
        assert grammar is not None
        calls = draw_calls(rng, 1 if format in SINGLE else rng.choice([1, 2, 3]))
        text = WRITERS[format](calls)
        if not accepts(grammar, text):
            continue
        matcher = grammar.matcher()
        for one in pieces(text, tok):
            assert matcher.accept_token(one) if isinstance(one, int) else matcher.accept_bytes(one) == len(one)
            ff.read_answer(matcher, request, format=format)  # type: ignore[arg-type]
        answer = ff.read_answer(matcher, request, format=format)  # type: ignore[arg-type]
        assert answer.content is None and answer.reasoning is None
        assert [(name, json.loads(arguments)) for name, arguments in answer.calls] == calls
    for tok in (special, plain):
        grammar = ff.compile_request(request, tok, format=format)  # type: ignore[arg-type]
        assert grammar is not None
        matcher = grammar.matcher()
        for one in pieces(write_content(format, "Well, ça va"), tok):
            assert matcher.accept_token(one) if isinstance(one, int) else matcher.accept_bytes(one) == len(one)
        assert ff.read_answer(matcher, request, format=format) == ("Well, ça va", None, ())  # type: ignore[arg-type]


@pytest.mark.parametrize("format", [name for name, one in FORMATS.items() if not one.bare])
def test_content_in_a_format_is_read(format: str, special: ff.Tokenizer, plain: ff.Tokenizer) -> None:
    request = {"tools": TOOLS, "response_format": WANTED}
    for tok in (special, plain):
        grammar = ff.compile_request(request, tok, format=format)  # type: ignore[arg-type]
        assert grammar is not None and not grammar.warnings
        matcher = grammar.matcher()
        for one in pieces(write_content(format, '{"a": 12}'), tok):
            assert matcher.accept_token(one) if isinstance(one, int) else matcher.accept_bytes(one) == len(one)
        assert matcher.is_accepting()
        assert ff.read_answer(matcher, request, format=format).content == '{"a": 12}'  # type: ignore[arg-type]


def test_an_answer_that_grows(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_request({"tools": TOOLS}, cl100k, format="hermes", reasoning="qwen")
    assert grammar is not None
    matcher = grammar.matcher()
    text = '<think>so ç</think>Look: <tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    seen = []
    for byte in text.encode():
        assert matcher.accept_bytes(bytes([byte])) == 1
        answer = ff.read_answer(matcher, {"tools": TOOLS}, format="hermes", reasoning="qwen")
        if not seen or answer != seen[-1]:
            seen.append(answer)
    assert (None, "so ", ()) in [(one.content or None, one.reasoning, one.calls) for one in seen]
    assert any(one.calls == (("get_weather", '{"city": "Os'),) for one in seen)
    assert seen[-1] == ("Look: ", "so ç", (("get_weather", '{"city": "Oslo"}'),))


def test_answers_without_tools_are_read(cl100k: ff.Tokenizer) -> None:
    request = {"response_format": WANTED}
    for reasoning, text in ((None, '{"a": 1}'), ("qwen", '<think>x</think>\n{"a": 1}')):
        grammar = ff.compile_request(request, cl100k, reasoning=reasoning)
        assert grammar is not None
        matcher = grammar.matcher()
        assert matcher.accept_bytes(text.encode()) == len(text) and matcher.is_accepting()
        answer = ff.read_answer(matcher, request, reasoning=reasoning)
        assert answer == ('{"a": 1}', reasoning and "x", ())


def test_warnings_say_where(cl100k: ff.Tokenizer) -> None:
    loose = {"type": "object", "properties": {"a": {}}}
    request = {
        "response_format": {"type": "json_schema", "json_schema": {"schema": loose, "strict": True}},
        "tools": [{"type": "function", "function": {"name": "f", "parameters": loose, "strict": True}}],
    }
    grammar = ff.compile_request(request, cl100k, format="hermes")
    assert grammar is not None
    for start in (
        "at /response_format/json_schema/schema: strict asks",
        "at /tools/0/function/parameters: strict asks",
    ):
        assert any(one.startswith(start) for one in grammar.warnings), grammar.warnings


@pytest.mark.parametrize(
    ("request_", "pointer", "message"),
    [
        ({"tools": TOOLS}, None, "pass format="),
        ({"tools": {}}, "/tools", "must be an array"),
        ({"tools": [5]}, "/tools/0", "must be an object"),
        ({"tools": TOOLS, "tool_choice": 5}, "/tool_choice", "a text or an object"),
        ({"tools": TOOLS, "parallel_tool_calls": 1}, "/parallel_tool_calls", "true or false"),
        ({"tool_choice": "required"}, "/tools", "there are no tools"),
        ({"tool_choice": "f"}, "/tool_choice", "no tool has the name"),
        ({"response_format": "json"}, "/response_format", "must be an object"),
        ({"response_format": {"type": "xml"}}, "/response_format/type", "not 'xml'"),
        ({"text": {"format": {**FLAT_WANTED, "schema": {"type": "x"}}}}, "/text/format/schema/type", "'x'"),
        ({"response_format": WANTED, "output_format": WANTED}, "/output_format", "several formats"),
        ({"functions": []}, "/functions", "use 'tools'"),
        ({"structured_outputs": {"regex": "a"}}, "/structured_outputs", "compile the constraint"),
        ({"guided_json": {}}, "/guided_json", "use 'response_format'"),
        ({"tool": TOOLS}, "/tool", "did you mean tools"),
        ({"tools": TOOLS, "toolChoice": "required"}, "/toolChoice", "did you mean tool_choice"),
        ({"response-format": WANTED}, "/response-format", "did you mean response_format"),
    ],
)
def test_errors(request_: Any, pointer: str | None, message: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match=message) as caught:
        ff.compile_request(request_, cl100k)
    assert caught.value.pointer == pointer


def test_other_types(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(TypeError, match="request must be a dict"):
        ff.compile_request([], cl100k)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="matcher must be a Matcher"):
        ff.read_answer("", {})  # type: ignore[arg-type]


def test_values_that_are_deep_or_contain_themselves(cl100k: ff.Tokenizer) -> None:
    endless: dict[str, Any] = {"type": "object", "additionalProperties": False, "required": ["a"]}
    endless["properties"] = {"a": endless}
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    tools = [*TOOLS, {"type": "function", "function": {"name": "x", "strict": True, "parameters": endless}}]
    grammar = ff.compile_request(
        {"tools": tools, "tool_choice": {"type": "tool", "name": "get"}}, cl100k, format="hermes"
    )
    assert grammar is not None and accepts(grammar, CALL)
    for choice in ({"type": deep}, {"type": "tool", "name": deep}):
        with pytest.raises(ff.GrammarError, match="a list"):
            ff.compile_request({"tools": TOOLS, "tool_choice": choice}, cl100k, format="hermes")
    with pytest.raises(ff.GrammarError, match="a list is not a type"):
        ff.compile_request({"text": {"format": {**FLAT_WANTED, "schema": {"type": deep}}}}, cl100k)
    inside = {"type": "object", "properties": {"a": endless}}
    with pytest.raises(ff.FFGrammarError):
        ff.compile_request({"tools": [{"name": "x", "input_schema": inside}]}, cl100k, format="minimax-m2")


def test_few_warnings_of_strict_are_told(cl100k: ff.Tokenizer) -> None:
    """Their pointers are as long as the keys above them, and all of them would be far longer than the request."""
    wide = {"properties": {"k" * 10_000: {"properties": {str(number): {"type": "object"} for number in range(30_000)}}}}
    tools = [*TOOLS, {"type": "function", "function": {"name": "x", "strict": True, "parameters": wide}}]
    grammar = ff.compile_request(
        {"tools": tools, "tool_choice": {"type": "tool", "name": "get"}}, cl100k, format="hermes"
    )
    assert grammar is not None and 0 < len(grammar.warnings) <= 200


def test_an_answer_to_another_request(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_request({"tools": TOOLS}, cl100k, format="hermes")
    assert grammar is not None
    matcher = grammar.matcher()
    assert matcher.accept_bytes(CALL.encode()) == len(CALL)
    with pytest.raises(ff.GrammarError, match="calls 'get', and the request has no such tool"):
        ff.read_answer(matcher, {"tools": []}, format="hermes")
