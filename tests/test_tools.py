"""Tool calls in the formats of model families: what templates write, and random changes of it, beside plain readers."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

import ffgrammar as ff
from ffgrammar.api.tools import harmony
from ffgrammar.api.tools.compile import ToolFormat
from ffgrammar.api.tools.table import FORMATS, NAMES
from oracle.tool_calls import ALL_SPECIAL, COMPACT, SINGLE, WRITERS, Parameters, Reader, write_content
from tool_samples import SCHEMAS, TOOLS, VALUES, accepts, draw_calls, pieces, with_special


@pytest.fixture(scope="module")
def special(cl100k: ff.Tokenizer) -> ff.Tokenizer:
    """A real vocabulary in which the marks of all formats are special tokens."""
    return with_special(cl100k, ALL_SPECIAL)


@pytest.fixture(scope="module")
def plain(cl100k: ff.Tokenizer) -> ff.Tokenizer:
    """A real vocabulary in which the marks of all formats are ordinary tokens."""
    tokens = [cl100k.token_bytes(one) for one in range(100_256)]
    return ff.Tokenizer.from_tokens([*tokens, *(one.encode() for one in ALL_SPECIAL), b""], 100_256 + len(ALL_SPECIAL))


@cache
def arguments(tok: ff.Tokenizer, name: str, format: str) -> ff.Grammar:
    separators = (",", ":") if format in COMPACT else (", ", ": ")
    return ff.compile_json_schema(SCHEMAS[name], tok, separators=separators)


def reader(format: str, tok: ff.Tokenizer) -> Reader:
    def are_valid(name: str, given: str | Parameters) -> bool:
        if name not in SCHEMAS:
            return False
        if isinstance(given, str):
            found = accepts_bytes(arguments(tok, name, format), given)
            assert not found or is_valid(json.loads(given), name)
            return found
        return written_plainly(given, name)

    return Reader(format, are_valid, tuple(tok.special_tokens) if ALL_SPECIAL[0] in tok.special_tokens else ())


def accepts_bytes(grammar: ff.Grammar, text: str) -> bool:
    matcher, data = grammar.matcher(), text.encode("utf-8", "surrogateescape")
    return matcher.accept_bytes(data) == len(data) and matcher.is_accepting()


def is_valid(value: Any, name: str) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMAS[name]).is_valid(value))


def written_plainly(given: Parameters, name: str) -> bool:
    """Whether parameters that are written without quotes are valid, and are in the order of the schema."""
    order = list(SCHEMAS[name]["properties"])
    keys = [key for key, _ in given]
    if not set(keys) <= set(order) or keys != sorted(set(keys), key=order.index):
        return False
    found = {}
    for key, text in given:
        if any(ord(char) in range(0xDC80, 0xDD00) for char in text):
            return False  # not UTF-8
        if key in ("city", "unit", "zone", "note"):
            found[key] = None if key == "note" and text == "null" else text
            continue
        try:
            found[key] = json.loads(text)
        except ValueError:
            return False
        if json.dumps(found[key]) != text and not re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text):
            return False
    return is_valid(found, name)


def changed(rng: random.Random, text: str) -> str:
    """A text with a small change."""
    place = rng.randrange(len(text) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        return text[:place] + text[place + 1 :]
    if kind == 1:
        return text[:place] + rng.choice('x {}[]",:<>\n0') + text[place:]
    if kind == 2:
        return text[:place]
    other = rng.randrange(len(text) + 1)
    return text[: max(place, other)] + text[min(place, other) :]


def test_every_format_has_a_writer_and_a_name() -> None:
    assert set(WRITERS) == set(NAMES) == set(get_args(ToolFormat))
    page = (Path(__file__).parent.parent / "docs" / "tools.md").read_text(encoding="utf-8")
    for format in FORMATS.values():
        assert f"| `{format.name}` | {format.models} | {format.source} |" in page
    assert f"| `{harmony.NAME}` | {harmony.MODELS} | {harmony.SOURCE} |" in page


@pytest.mark.parametrize("format", NAMES)
def test_what_templates_write(format: str, special: ff.Tokenizer, plain: ff.Tokenizer) -> None:
    calls: list[tuple[str, Any]] = [
        ("get_weather", {"city": "Oslo", "days": 3}),
        ("get", {}),
        ("get_time", {"zone": "UTC", "at": None}),
    ]
    for tok in (special, plain):
        read = reader(format, tok)
        auto = ff.compile_tools(TOOLS, tok, format=format)  # type: ignore[arg-type]
        required = ff.compile_tools(TOOLS, tok, format=format, choice="required")  # type: ignore[arg-type]
        several = [[call] for call in calls] if format in SINGLE else [calls, *[[call] for call in calls]]
        for some in several:
            text = WRITERS[format](some)
            assert accepts(auto, text) and accepts(required, text) and read.is_answer(text, 0, None), text
            assert not accepts(auto, text[:-1]) or read.is_answer(text[:-1], 0, None)
        answer = write_content(format, "It is cold, ça va.")
        assert accepts(auto, answer) and not accepts(required, answer) and read.is_answer(answer, 0, 0)
        wrong = WRITERS[format]([("get_weather", {"days": 3})])
        unknown = WRITERS[format]([("get_wea", {"city": "Oslo"})])
        assert not accepts(auto, wrong) and not accepts(auto, unknown)
        assert not read.is_answer(wrong, 0, None) and not read.is_answer(unknown, 0, None)


@pytest.mark.parametrize("format", NAMES)
def test_random_answers(format: str, special: ff.Tokenizer, plain: ff.Tokenizer) -> None:
    rng = random.Random(format)
    outcomes: set[tuple[str, bool]] = set()
    for round in range(150):
        tok = special if round % 2 else plain
        choice, parallel = rng.choice(["auto", "auto", "required", "get_weather", "none"]), rng.random() < 0.7
        grammar = ff.compile_tools(TOOLS, tok, format=format, choice=choice, parallel=parallel)  # type: ignore[arg-type]
        count = 1 if format in SINGLE or (choice == "get_weather" and rng.random() < 0.8) else rng.choice([1, 1, 2, 3])
        calls = draw_calls(rng, count)
        if choice == "get_weather" and rng.random() < 0.5:
            calls = [("get_weather", {"city": rng.choice(VALUES["city"])})]
        text = WRITERS[format](calls)
        if rng.random() < 0.3:
            text = rng.choice(["Well. ", "{", "<", "\n"]) + text
        if rng.random() < 0.1:
            text = write_content(format, rng.choice(["Hello", "", "functools", "<tool", "a { b"]))
        if rng.random() < 0.4:
            text = changed(rng, text)
        least = 0 if choice in ("auto", "none") else 1
        most = 0 if choice == "none" else None if parallel and choice != "get_weather" else 1
        read = reader(format, tok)
        if choice == "get_weather":
            inner = read.accepts
            read.accepts = lambda name, given: name == "get_weather" and inner(name, given)  # noqa: B023
        expected = read.is_answer(text, least, most)
        assert accepts(grammar, text) == expected, (choice, parallel, text)
        outcomes.add((choice, expected))
    assert {(one, verdict) for one in ("auto", "required", "get_weather") for verdict in (True, False)} <= outcomes


@pytest.mark.parametrize("format", NAMES)
def test_masks_along_answers(format: str, special: ff.Tokenizer, plain: ff.Tokenizer, cl100k: ff.Tokenizer) -> None:
    rng = random.Random(format)
    calls: list[tuple[str, Any]] = [("get_weather", {"city": "Bergen", "unit": "celsius", "hours": [7, 18]})]
    text = WRITERS[format](calls)
    options: dict[str, Any] = {} if format == "gpt-oss" else {"reasoning": ("<think>", "</think>")}
    for tok in (special, plain):
        matcher = ff.compile_tools(TOOLS, tok, format=format, **options).matcher()  # type: ignore[arg-type]
        for one in pieces(f"<think>Hm.</think>{text}" if options else text, tok):
            for token in [one] if isinstance(one, int) else cl100k.encode(one):
                allowed = set(matcher.allowed_token_ids().tolist())
                assert token in allowed
                for other in rng.sample(range(100_256), 10) + rng.sample(sorted(allowed), min(10, len(allowed))):
                    if not tok.is_special(other):
                        data = tok.token_bytes(other)
                        assert (matcher.fork().accept_bytes(data) == len(data)) == (other in allowed), data
                assert matcher.accept_token(token)
        assert matcher.is_accepting()


def test_captures_say_what_is_called(special: ff.Tokenizer) -> None:
    grammar = ff.compile_tools(TOOLS, special, format="hermes", reasoning="qwen")
    matcher = grammar.matcher()
    text = "<think>Two calls.</think>\n\nI look.\n" + WRITERS["hermes"](
        [("get_weather", {"city": "Oslo"}), ("get", {})]
    )
    for one in pieces(text, special):
        assert matcher.accept_token(one) if isinstance(one, int) else matcher.accept_bytes(one) == len(one)
    found = [(one.name, one.text) for one in matcher.captures()]
    assert found == [
        ("reasoning", b"Two calls."),
        ("content", b"\n\nI look.\n"),
        ("call:get_weather", b'{"city": "Oslo"}'),
        ("call:get", b"{}"),
    ]


def test_captures_of_tags_and_harmony(special: ff.Tokenizer) -> None:
    for format, end in (("qwen3-coder", "</function>\n"), ("gpt-oss", "")):
        matcher = ff.compile_tools(TOOLS, special, format=format).matcher()  # type: ignore[arg-type]
        for one in pieces(WRITERS[format]([("get", {})]), special):
            assert matcher.accept_token(one) if isinstance(one, int) else matcher.accept_bytes(one) == len(one)
        calls = [one.text.decode() for one in matcher.captures() if one.name == "call:get"]
        assert calls == [end or "{}"]


@pytest.mark.parametrize("format", [name for name in NAMES if name != "gpt-oss"])
def test_reasoning(format: str, special: ff.Tokenizer, plain: ff.Tokenizer) -> None:
    call = WRITERS[format]([("get", {})])
    for tok in (special, plain):
        for choice in ("auto", "required"):
            grammar = ff.compile_tools(TOOLS, tok, format=format, choice=choice, reasoning="deepseek")  # type: ignore[arg-type]
            assert accepts(grammar, f"<think>\nHm {{.\n</think>\n\n{call}")
            assert accepts(grammar, f"<think></think>{call}")
            assert not accepts(grammar, call)
            assert not accepts(grammar, f"<think></think>{call}{call[:3]}")
        begun = ff.compile_tools(TOOLS, tok, format=format, reasoning=("", "</think>"))  # type: ignore[arg-type]
        assert accepts(begun, f"Hm.</think>{call}") and not accepts(begun, "Hm.")


def test_harmony_messages(special: ff.Tokenizer) -> None:
    grammar = ff.compile_tools(TOOLS, special, format="gpt-oss")
    thought = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
    call = '<|message|>{"zone":"UTC","at":1}<|call|>'
    for head in (
        "<|channel|>commentary to=functions.get_time <|constrain|>json",
        "<|channel|>commentary to=functions.get_time",
        " to=functions.get_time<|channel|>commentary<|constrain|>json",
        " to=functions.get_time<|channel|>commentary json",
    ):
        assert accepts(grammar, thought + head + call)
        assert accepts(grammar, thought.replace("analysis", "commentary") + thought + head + call)
        assert not accepts(grammar, head + call + thought)
    with pytest.raises(ff.UnsupportedError, match="its own reasoning"):
        ff.compile_tools(TOOLS, special, format="gpt-oss", reasoning="qwen")


def test_marks_that_end_texts_are_not_part_of_the_text(cl100k: ff.Tokenizer) -> None:
    names = [*ALL_SPECIAL]
    tokens: list[bytes | None] = [bytes([one]) for one in range(256)] + [None] * len(names)
    ids = {name: 256 + number for number, name in enumerate(names)}
    tok = ff.Tokenizer.from_tokens(tokens, [ids["<|call|>"], ids["<|return|>"]], ids)
    grammar = ff.compile_tools(TOOLS, tok, format="gpt-oss")
    matcher = grammar.matcher()
    for one in pieces("<|channel|>commentary to=functions.get<|message|>{}", tok):
        assert matcher.accept_token(one) if isinstance(one, int) else matcher.accept_bytes(one) == len(one)
    assert matcher.is_accepting() and ids["<|call|>"] in matcher.allowed_token_ids()


@pytest.mark.parametrize("format", ["mistral", "mistral-v11", "deepseek-v3", "kimi-k2", "command-r7b", "gpt-oss"])
def test_tokens_that_the_tokenizer_lacks_are_named(format: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match=r"writes the token '.+', which the tokenizer cl100k_base does not have"):
        ff.compile_tools(TOOLS, cl100k, format=format)  # type: ignore[arg-type]


def test_white_space_and_order(cl100k: ff.Tokenizer) -> None:
    call = '<tool_call>\n{"name": "get_weather", "arguments": %s}\n</tool_call>'
    compact, other = '{"city":"Oslo","days":1}', '{"days": 1, "city": "Oslo"}'
    plain = ff.compile_tools(TOOLS, cl100k, format="hermes")
    assert not accepts(plain, call % compact) and not accepts(plain, call % other)
    assert accepts(ff.compile_tools(TOOLS, cl100k, format="hermes", whitespace="compact"), call % compact)
    assert accepts(ff.compile_tools(TOOLS, cl100k, format="hermes", whitespace=1), call % '{ "city" :"Oslo" }')
    assert accepts(ff.compile_tools(TOOLS, cl100k, format="hermes", property_order="any"), call % other)


def test_checks_work_between_marks(cl100k: ff.Tokenizer) -> None:
    unique = {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}, "required": ["a"]}
    tools = [{"name": "f", "input_schema": unique}]
    for format in ("hermes", "json-list", "llama3"):
        grammar = ff.compile_tools(tools, cl100k, format=format)  # type: ignore[arg-type]
        for value, verdict in (([1, 2], True), ([1, 1], False)):
            assert accepts(grammar, WRITERS[format]([("f", {"a": value})])) == verdict
