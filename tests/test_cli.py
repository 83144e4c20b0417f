"""The shell commands, one by one: results, exit codes, what goes to stdout and what to stderr."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cli_package import CLI

PERSON = {
    "type": "object",
    "properties": {"name_of_the_person": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name_of_the_person", "age"],
    "additionalProperties": False,
}
TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["value", "children"],
            "additionalProperties": False,
        }
    },
}
SUM = 'start: term (("+" | "-") term)*\nterm: NUMBER | "(" start ")"\nNUMBER: /[0-9]+/\n'


@dataclass
class Result:
    """What a command left behind."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()

    def json(self) -> Any:
        return json.loads(self.raw)

    def json_lines(self) -> list[Any]:
        return [json.loads(line) for line in self.raw.splitlines()]


Invoke = Callable[..., Result]


@pytest.fixture(scope="session")
def invoke(cli_module: Any) -> Invoke:
    """Run a command in this process."""

    def call(*arguments: str, stdin: bytes | str = b"") -> Result:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
            code = cli_module.run(list(arguments))
        raw, complaints = out.buffer.getvalue(), err.buffer.getvalue().decode()  # type: ignore[attr-defined]
        assert all(line.startswith("ffgrammar: ") for line in complaints.splitlines()), complaints
        return Result(code, raw, complaints)

    return call


@pytest.fixture
def person(tmp_path: Path) -> str:
    path = tmp_path / "person.json"
    path.write_text(json.dumps(PERSON))
    return str(path)


@pytest.fixture
def lark_sum(tmp_path: Path) -> str:
    path = tmp_path / "sum.lark"
    path.write_text(SUM)
    return str(path)


def _bits(encoded: str) -> list[int]:
    data = base64.b64decode(encoded)
    return [8 * i + bit for i, byte in enumerate(data) for bit in range(8) if byte >> bit & 1]


# ---- mask


def test_mask_formats_agree_with_each_other_and_with_the_library(invoke: Invoke, lark_sum: str, cl100k: Any) -> None:
    import ffgrammar as ff

    matcher = ff.compile_lark(SUM, cl100k).matcher()
    matcher.accept_bytes(b"12+(")
    expected = [int(token) for token in matcher.allowed_token_ids()]
    mask = ["mask", lark_sum, "--prefix", "12+("]
    assert [int(line) for line in invoke(*mask, "--format", "ids").out.splitlines()] == expected
    assert _bits(invoke(*mask, "--format", "bitmask").out) == expected
    assert invoke(*mask, "--format", "count").out == f"{len(expected)}\n"
    found = invoke(*mask, "--format", "json").json()
    assert found["count"] == len(expected)
    assert not found["accepting"]
    assert [token["id"] for token in found["tokens"]] == expected
    lines = invoke(*mask).out.splitlines()
    assert [int(line.split("\t")[0]) for line in lines] == expected
    assert [json.loads(line.split("\t")[1]) for line in lines] == [token["text"] for token in found["tokens"]]


def test_mask_names_the_end_of_text(invoke: Invoke, lark_sum: str, cl100k: Any) -> None:
    found = invoke("mask", lark_sum, "--prefix", "12", "--json").json()
    assert found["accepting"]
    assert {"id": cl100k.eos_token_ids[0], "special": "<|endoftext|>"} in found["tokens"]


def test_a_prefix_can_be_text_bytes_or_tokens(invoke: Invoke, lark_sum: str, cl100k: Any) -> None:
    text = "(1+23"
    answers = [
        invoke("mask", lark_sum, "--format", "ids", option, value).out
        for option, value in [
            ("--prefix", text),
            ("--prefix-bytes", text.encode().hex()),
            ("--prefix-tokens", ",".join(map(str, cl100k.encode(text)))),
        ]
    ]
    assert answers[0]
    assert answers.count(answers[0]) == 3
    assert invoke("mask", lark_sum, "--prefix", "1", "--prefix-bytes", "31").code == 2
    assert invoke("mask", lark_sum, "--prefix-bytes", "3").code == 2
    assert invoke("mask", lark_sum, "--prefix-tokens", "one").code == 2


def test_tokens_that_are_not_utf8_are_printed_unambiguously(invoke: Invoke, cl100k: Any) -> None:
    arguments = ["mask", "-", "--type", "regex"]
    found = invoke(*arguments, "--json", stdin="é").json()["tokens"]
    broken = [token for token in found if "bytes" in token]
    assert broken
    for token in broken:
        assert base64.b64decode(token["bytes"]) == cl100k.token_bytes(token["id"]) == b"\xc3"
    lines = invoke(*arguments, stdin="é").out.splitlines()
    assert f'{broken[0]["id"]}\tb"\\xc3"' in lines


def test_a_rejected_prefix_is_a_clean_no(invoke: Invoke, lark_sum: str, cl100k: Any) -> None:
    found = invoke("mask", lark_sum, "--prefix", "1+x")
    assert (found.code, found.raw) == (1, b"")
    assert "at byte 2, line 1, column 3" in found.err
    assert '"("' in found.err
    assert '"0"-"9"' in found.err
    place = invoke("mask", lark_sum, "--prefix", "1+x", "--json")
    assert place.code == 1
    assert place.json()["rejected"]["offset"] == 2
    assert place.json()["rejected"]["allowed"]["next_bytes"] == [[40, 40], [48, 57]]
    tokens = [*cl100k.encode("1+"), *cl100k.encode("x")]
    by_token = invoke("mask", lark_sum, "--prefix-tokens", str(tokens), "--json").json()["rejected"]
    assert (by_token["offset"], by_token["token"]) == (2, len(tokens) - 1)


def test_mask_answers_a_line_a_request(invoke: Invoke, lark_sum: str, cl100k: Any) -> None:
    requests = [
        {"prefix": "1"},
        {"prefix_tokens": cl100k.encode("1+")},
        {"prefix": "x"},
        {"prefix": 1},
        [],
        {"prefix_tokens": [10**9]},
        {},
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests) + "not JSON\n\n"
    found = invoke("mask", lark_sum, "--ndjson", stdin=lines)
    answers = found.json_lines()
    assert found.code == 2
    assert len(answers) == 8
    assert answers[0]["accepting"]
    assert answers[1]["ids"] == [
        int(line) for line in invoke("mask", lark_sum, "--prefix", "1+", "--format", "ids").out.split()
    ]
    assert answers[2]["rejected"]["offset"] == 0
    assert all("error" in answers[i] for i in (3, 4, 5, 7))
    assert answers[6]["count"] == len(answers[6]["ids"])
    assert invoke("mask", lark_sum, "--ndjson", stdin='{"prefix": "x"}\n').code == 1
    assert invoke("mask", lark_sum, "--ndjson", stdin='{"prefix": "1"}\n').code == 0


# ---- ff-tokens


def test_forced_tokens_hold_back_what_a_longer_token_could_take(invoke: Invoke, person: str) -> None:
    found = invoke("ff-tokens", person, "--prefix", '{"', "--json").json()
    assert found["forced_bytes"]["text"].startswith('name_of_the_person"')
    assert [token["text"] for token in found["forced_tokens"]] == ["name", "_of", "_the", "_person"]
    assert found["held_back"]["text"].startswith('"')
    assert found["held_back_candidates"] > 1
    assert all(token["text"].startswith('"') for token in found["held_back_for"])
    lines = invoke("ff-tokens", person, "--prefix", '{"').out.splitlines()
    assert lines[0].startswith('forced bytes\t"name_of_the_person')
    assert [line.split("\t")[2] for line in lines if line.startswith("token\t")] == [
        '"name"',
        '"_of"',
        '"_the"',
        '"_person"',
    ]
    assert any(line.startswith("held back\t") for line in lines)


def test_a_common_beginning_of_two_names_forces_no_token(invoke: Invoke) -> None:
    schema = {
        "properties": {"orderId": {"type": "string"}, "orderName": {"type": "string"}},
        "additionalProperties": False,
        "minProperties": 0,
    }
    del schema["minProperties"]
    found = invoke("ff-tokens", "-", "--prefix", '{"', "--json", stdin=json.dumps({"type": "object", **schema})).json()
    assert found["forced_bytes"] == {"text": "order"}
    assert found["forced_tokens"] == []
    assert found["held_back"] == {"text": "order"}


def test_ff_tokens_streams_and_rejects(invoke: Invoke, person: str) -> None:
    found = invoke("ff-tokens", person, "--ndjson", stdin='{"prefix": "{\\""}\n{"prefix": "["}\n')
    first, second = found.json_lines()
    assert found.code == 1
    assert len(first["forced_tokens"]) == 4
    assert second["rejected"]["offset"] == 0
    assert invoke("ff-tokens", person, "--prefix", "[").code == 1


# ---- validate


def test_validate_says_where_and_what_was_allowed(invoke: Invoke, tmp_path: Path, person: str) -> None:
    good, bad, short = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "short.json"
    good.write_text('{"name_of_the_person": "Ada", "age": 36}\n')
    bad.write_text('{"name_of_the_person": "Ada",\n "age": "old"}')
    short.write_text('{"name_of_the_person": "Ada"')
    assert invoke("validate", person, str(good)).out == f"{good}: accepted\n"
    found = invoke("validate", person, str(good), str(bad), str(short))
    assert found.code == 1
    lines = found.out.splitlines()
    assert lines[1].startswith(f"{bad}: rejected at byte 38, line 2, column 9; ")
    assert '"-"' in lines[1]
    assert lines[2].startswith(f"{short}: ends too early at byte 28, ")
    answers = invoke("validate", person, str(good), str(bad), "--json").json_lines()
    assert [answer["accepted"] for answer in answers] == [True, False]
    assert (answers[1]["rejected"]["line"], answers[1]["rejected"]["column"]) == (2, 9)


def test_validate_and_explain_say_when_only_the_order_of_keys_is_wrong(
    invoke: Invoke, person: str, tmp_path: Path
) -> None:
    swapped, wrong = '{"age": 36, "name_of_the_person": "Ada"}', '{"age": "old", "name_of_the_person": "Ada"}'
    advice = "only the order of its keys is wrong: --property-order any allows every order"
    assert invoke("validate", person, stdin=swapped).out.endswith(f"; {advice}\n")
    assert advice not in invoke("validate", person, stdin=wrong).out
    assert advice not in invoke("validate", person, "--property-order", "any", stdin=wrong).out
    answers = invoke("validate", person, "--ndjson", stdin=f"{swapped}\n{wrong}\n").json_lines()
    assert [answer["rejected"].get("only_key_order") for answer in answers] == [True, None]

    # one that is not complete yet
    assert invoke("explain", person, "--prefix", swapped[:20]).out.endswith(f"\n{advice}\n")
    assert advice not in invoke("explain", person, "--prefix", wrong).out
    assert invoke("explain", person, "--prefix", "{", "--next", '"age"', "--json").json()["only_key_order"] is True
    assert "only_key_order" not in invoke("explain", person, "--prefix", '{"name', "--next", '"', "--json").json()
    # the token of {"
    assert advice in invoke("explain", person, "--prefix-tokens", "5018", "--next", "age").out
    # where keys in any order reach a limit, nothing is said
    keys = [f"k{i}" for i in range(100)]
    many = tmp_path / "many.json"
    many.write_text(json.dumps({"type": "object", "properties": dict.fromkeys(keys, True), "required": keys}))
    text = json.dumps(dict.fromkeys(reversed(keys), 0))
    assert advice in invoke("validate", str(many), stdin=text).out
    tight = invoke("validate", str(many), "--limit", "rules=100", stdin=text)
    assert tight.code == 1 and advice not in tight.out


def test_hints_say_what_else_a_file_or_a_text_may_be(invoke: Invoke, lark_sum: str, tmp_path: Path) -> None:
    lines = tmp_path / "lines.NDJSON"
    lines.write_text("1+1\n2\n")
    hint = f"hint: {lines} was judged as one text; --ndjson takes each of its lines as a text"
    found = invoke("validate", lark_sum, str(lines))
    assert found.code == 1 and hint in found.err
    assert "hint" not in invoke("validate", lark_sum, str(lines), "--ndjson").err

    tool = {"type": "function", "function": {"name": "get", "parameters": {"type": "object"}}}
    path = tmp_path / "tools.json"
    for value, what in (
        ([tool], "this is a list of tools: --type tools reads it"),
        (tool, "this is a tool: --type tools"),
    ):
        path.write_text(json.dumps(value))
        assert what in invoke("compile", str(path)).err
    assert "--type tools reads it" in invoke("compile", "-", stdin=json.dumps([tool])).err
    answer = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {}}}
    assert "this is a response format: compile the schema in it" in invoke("compile", "-", stdin=json.dumps(answer)).err
    path.write_text('{"type": "funktion"}')
    assert "--type tools" not in invoke("compile", str(path)).err

    for command in ("mask", "ff-tokens", "explain"):
        found = invoke(command, lark_sum, "--prefix", str(lines))
        assert found.code == 1 and f"hint: {lines} is a file; --prefix takes the text itself" in found.err
    assert f"hint: {lines} is a file; --text takes" in invoke("check", "--text", str(lines)).err

    grammar = tmp_path / "g.lark"
    grammar.write_text('start: <|endofprompt|> "a"')
    for command in ("mask", "ff-tokens", "explain"):
        found = invoke(command, str(grammar), "--prefix", "<|endofprompt|>a")
        assert found.code == 1 and "given by its id, 100276, with --prefix-tokens" in found.err
        assert "hint" not in invoke(command, str(grammar), "--prefix", "a").err
    grammar.write_text('start: "<|endofprompt|>" "a"')
    assert "<|endofprompt|> without quotes is the special token" in invoke("compile", str(grammar)).err


def test_validate_says_that_a_text_has_another_encoding(invoke: Invoke) -> None:
    text = '{"x": "\u00e9"}'
    arguments = ("validate", "@json")
    assert invoke(*arguments, stdin=text.encode()).err == ""
    for encoding, hint in (
        ("utf-8-sig", "begins with a byte order mark, which is part of the text here"),
        ("latin-1", "is not UTF-8 at byte 7"),
        ("utf-16", "is not UTF-8 at byte 0"),
    ):
        found = invoke(*arguments, stdin=text.encode(encoding))
        assert (found.code, found.err) == (1, f"ffgrammar: hint: stdin {hint}\n")
    # what is rejected earlier has another cause
    assert invoke(*arguments, stdin=b'{"x" "\xe9"}').err == ""


def test_validate_says_what_to_do_with_a_text(invoke: Invoke, person: str) -> None:
    for more in ([], ["--ndjson"]):
        found = invoke("validate", person, '{"age": 36}', *more)
        assert (found.code, found.out) == (2, "")
        assert found.err == (
            'ffgrammar: {"age": 36}: No such file or directory '
            "(a path is expected here; to give the text itself, write - and pipe it in)\n"
        )
    # stdin that is named twice has nothing more the second time
    answers = invoke("validate", person, "-", "-", "--ndjson", stdin='{"age": 36}\n')
    assert [answer["line"] for answer in answers.json_lines()] == [1]


def test_validate_reads_lines_fields_and_newlines(invoke: Invoke, lark_sum: str, tmp_path: Path) -> None:
    found = invoke("validate", lark_sum, "--ndjson", stdin="1+1\n1+\n(2)\n")
    assert found.code == 1
    assert [answer["accepted"] for answer in found.json_lines()] == [True, False, True]
    assert found.json_lines()[1]["rejected"]["at_end"]
    # a line that reaches a limit is an error, and the next ones are answered
    large = tmp_path / "large.lark"
    rules = [f'r{i}: "z{i}" r{i} | "w"' for i in range(400)]
    one_of = " | ".join([f'r{i} "y"' for i in range(400)])
    large.write_text("\n".join(['start: "a" "x" s | "b"', f"s: {one_of}", *rules]))
    found = invoke("validate", str(large), "--limit", "row_items=300", "--ndjson", stdin="axw\nb\nb\n")
    assert found.code == 2
    assert [answer.get("accepted") for answer in found.json_lines()] == [None, True, True]
    assert "raise it with --limit row_items=N" in found.json_lines()[0]["error"]

    lines = "".join(json.dumps(item) + "\n" for item in [{"text": "1"}, {"text": "x"}, {"other": 1}, {"text": {}}])
    found = invoke("validate", lark_sum, "--ndjson", "--field", "text", stdin=lines + "{\n")
    assert found.code == 2
    answers = found.json_lines()
    assert [answer.get("accepted") for answer in answers] == [True, False, None, None, None]
    assert [answer["error"].split(":")[0] for answer in answers[2:]] == [
        "this line has no 'text'",
        "'text' is not a string",
        "the line is not JSON",
    ]
    found = invoke("validate", lark_sum, stdin="1\n")
    hint = "ffgrammar: hint: stdin is accepted without the line break at its end: --chomp ignores it\n"
    assert (found.code, found.err) == (1, hint)
    assert [invoke("validate", lark_sum, stdin=text).err for text in ("1+\n", "x\n", "1\n\n")] == ["", "", ""]
    assert invoke("validate", lark_sum, "--chomp", stdin="1\n").code == 0
    assert invoke("validate", lark_sum, "--field", "text").code == 2
    assert invoke("validate", "-", "--type", "lark", stdin=SUM).code == 2


# ---- sample


@pytest.mark.parametrize(
    ("kind", "grammar"),
    [
        ("json-schema", json.dumps(PERSON)),
        ("json-schema", json.dumps(TREE)),
        ("json-schema", "{}"),
        ("json-schema", json.dumps({"type": "array", "items": {"const": [1, 2]}, "minItems": 30})),
        ("json-schema", json.dumps({"type": "string", "minLength": 100, "maxLength": 110})),
        ("lark", SUM),
        ("lark", 'start: "(" start start ")" | "x"'),
        ("json-schema", json.dumps({"type": "string", "pattern": "^[A-Z_]+(_DEVICE|_LAYOUT)$"})),
        ("regex", r"(\d{1,3}\.){3}\d{1,3}|[a-f]+é?"),
        ("choice", "yes\nno\nmaybe"),
    ],
)
@pytest.mark.parametrize("length", ["0", "60"])
def test_samples_are_sentences(invoke: Invoke, tmp_path: Path, kind: str, grammar: str, length: str) -> None:
    path = tmp_path / "grammar"
    path.write_text(grammar)
    sampling = ["sample", str(path), "--type", kind, "-n", "10", "--length", length, "--json"]
    found = invoke(*sampling, "--seed", "3")
    assert found.code == 0
    assert len(found.json_lines()) == 10
    judged = invoke("validate", str(path), "--type", kind, "--ndjson", "--field", "text", stdin=found.raw)
    assert judged.code == 0, judged.out
    assert invoke(*sampling, "--seed", "3").raw == found.raw
    if kind != "choice" and length != "0":
        assert len(set(found.raw.splitlines())) > 2


def test_samples_of_a_schema_are_valid_json(invoke: Invoke, person: str) -> None:
    import jsonschema

    for line in invoke("sample", person, "-n", "10", "--json").json_lines():
        jsonschema.validate(json.loads(line["text"]), PERSON)


# ---- explain


def test_explain_a_place(invoke: Invoke, lark_sum: str, person: str) -> None:
    found = invoke("explain", lark_sum, "--prefix", "1+(2")
    assert found.code == 0 and 'at byte 4, line 1, column 5, after "1+(2"; the text may not end here' in found.out
    as_json = invoke("explain", lark_sum, "--prefix", "1+(2", "--next", "x", "--json")
    refusal = as_json.json()["refusal"]
    assert (as_json.code, refusal["offset"], refusal["byte"], refusal["reason"]) == (1, 4, ord("x"), "follow")
    assert invoke("explain", lark_sum, "--prefix", "1+(2", "--next", ")").code == 0
    rejected = invoke("explain", lark_sum, "--prefix", "1+x")
    assert rejected.code == 1 and 'refused: "x" at byte 2' in rejected.out
    assert invoke("explain", lark_sum, "--prefix-tokens", "16 10 16").code == 0
    assert invoke("explain", lark_sum, "--prefix-tokens", "16 87").code == 1
    assert invoke("explain", lark_sum, "--prefix", "1", "--token", "10").code == 0
    assert invoke("explain", lark_sum, "--prefix", "1", "--token", "16", "--canonical").code in (0, 1)
    assert invoke("explain", lark_sum, "--next", "1", "--token", "16").code == 2
    assert invoke("explain", person, "--json").json()["open"] == []


# ---- compile and compiled files


def test_compile_emits_other_notations(invoke: Invoke, lark_sum: str, tmp_path: Path) -> None:
    text = invoke("compile", lark_sum, "--emit", "lark")
    assert text.code == 0 and text.out.startswith("start: ")
    assert invoke("compile", "-", "--type", "lark", "--emit", "lark", stdin=text.out).code == 0
    target = tmp_path / "sum.svg"
    assert invoke("compile", lark_sum, "--emit", "svg", "-o", str(target)).out == ""
    assert target.read_text(encoding="utf-8").startswith("<svg ")
    assert invoke("compile", lark_sum, "--emit", "dot", "--json").json()["notation"] == "dot"
    unique = '{"type": "array", "items": {"type": "string"}, "uniqueItems": true}'
    refused = invoke("compile", "-", "--emit", "gbnf", stdin=unique)
    assert refused.code == 3 and "stdin: GBNF cannot compare values" in refused.err
    assert invoke("compile", lark_sum, "--emit", "ebnf").code == 2


def test_compile_reports_and_writes_a_file_that_every_command_reads(
    invoke: Invoke, person: str, tmp_path: Path
) -> None:
    target = str(tmp_path / "person.ffg")
    found = invoke("compile", person, "-o", target)
    assert found.code == 0
    report = dict(line.split("\t") for line in found.out.splitlines())
    assert report["kind"] == "json-schema"
    assert float(report["compile_ms"]) >= 0
    assert int(report["productions"]) > 0
    assert int(report["lexemes"]) > 0
    for command in ["mask", "ff-tokens"]:
        arguments = ["--prefix", '{"name_of_the_person": "', "--json"]
        assert invoke(command, target, *arguments).raw == invoke(command, person, *arguments).raw
    assert invoke("compile", person, "--json").json()["warnings"] == []


def test_warnings_go_to_stderr(invoke: Invoke) -> None:
    schema = '{"type": "string", "format": "no-such-format"}'
    found = invoke("compile", "-", stdin=schema)
    assert found.code == 0
    assert "no-such-format" in found.err
    assert "no-such-format" in invoke("mask", "-", "--prefix", '"', "--format", "count", stdin=schema).err


def test_a_compiled_file_is_bound_to_its_vocabulary_and_whole(invoke: Invoke, lark_sum: str, tmp_path: Path) -> None:
    target = tmp_path / "sum.ffg"
    invoke("compile", lark_sum, "-o", str(target))
    other = invoke("mask", str(target), "--tokenizer", "o200k_base")
    assert other.code == 3
    assert str(target) in other.err
    target.write_bytes(target.read_bytes()[:-10])
    assert invoke("mask", str(target)).code == 3
    target.write_bytes(b"")
    assert invoke("mask", str(target)).code == 3


# ---- grammars, options, errors


def test_whitespace_of_a_schema(invoke: Invoke, person: str, lark_sum: str) -> None:
    spaced = '{ "name_of_the_person":  "Ada","age":1}'
    answers = [
        invoke("validate", person, *options, stdin=spaced).code
        for options in [[], ["--whitespace", "compact"], ["--whitespace", "2"], ["--whitespace", "1"]]
    ]
    assert answers == [0, 1, 0, 1]
    assert invoke("validate", person, "--whitespace", "loose", stdin=spaced).code == 2
    assert invoke("validate", lark_sum, "--whitespace", "compact", stdin="1").code == 2


def test_limits_hold_for_a_compiled_grammar_too(invoke: Invoke, person: str, tmp_path: Path) -> None:
    compiled = str(tmp_path / "person.ffg")
    assert invoke("compile", person, "-o", compiled).code == 0
    assert invoke("mask", compiled, "--limit", "source_bytes=100000").code == 0
    assert invoke("mask", compiled, "--limit", "source_bytes=10").code == 3


def test_choice_reads_lines_or_an_array(invoke: Invoke, tmp_path: Path) -> None:
    for text in ["left\nright\n", '["left", "right"]']:
        path = tmp_path / "choice"
        path.write_text(text)
        found = invoke("validate", str(path), "--type", "choice", "--ndjson", stdin="left\nright\nmiddle\n")
        assert [answer["accepted"] for answer in found.json_lines()] == [True, True, False]
    assert invoke("mask", "-", "--type", "choice", stdin="[1]").code == 3


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "message"),
    [
        (["mask", "-"], '{"type": "strin"}', 3, "stdin: at /type"),
        (["mask", "-"], '{"type": ', 3, "stdin:"),
        (["mask", "-"], "start: x", 2, "--type"),
        (["mask", "-", "--type", "lark"], 'start: "a" missing', 3, "missing"),
        (["mask", "-", "--type", "regex"], "a(?=b)", 3, "column"),
        (["mask", "-", "--type", "regex"], b"\xff", 3, "not UTF-8 at byte 0"),
        (["mask", "-", "--type", "yacc"], "a: b;", 2, "'yacc' is not one of 'json-schema'"),
        (["mask", "-", "--type", "abnf"], "", 2, "abnf"),
        (["mask", "/no/such/file.json"], "", 2, "No such file"),
        (["mask", "no_such_grammar"], "", 2, "no_such_grammar: No such file"),
        (
            ["check", "Hello world"],
            "",
            2,
            "no such file with a grammar; write token ids as 1,2,3, and a text as --text",
        ),
        (
            ["mask", "-", "--tokenizer", "owner/model"],
            "{}",
            2,
            "nothing is fetched: give the path of a tokenizer's file",
        ),
        (["mask", '{"type": "string"}'], "", 2, "to give the text itself, write - and pipe it in"),
        (["mask", "[" * 300], "", 2, "[" * 200 + "...: File name too long (a path is expected here"),
        (["mask", "-", "--tokenizer", "no_such_base"], "{}", 2, "for another one give the path of a tokenizer's file"),
        (["mask", "-", "--limit", "nonsense=1"], "{}", 2, "no such limit"),
        (["mask", "-", "--limit", "nesting"], "{}", 2, "NAME=VALUE with a whole number is expected"),
        (
            ["mask", "-", "--limit", "seconds=-1"],
            "{}",
            2,
            "NAME=VALUE with a number of seconds, such as 0.5, is expected",
        ),
        (["mask", "-", "--limit", "source_bytes=1"], "{}", 3, "source_bytes"),
        (["mask", "-", "--limit", "public"], '{"items":' * 101 + "{}" + "}" * 101, 3, "nesting=100"),
        (
            ["mask", "-", "--limit", "nesting=99", "--limit", "public"],
            '{"items":' * 101 + "{}" + "}" * 101,
            3,
            "nesting=99",
        ),
        (
            ["mask", "-", "--limit", "strict"],
            "{}",
            2,
            "NAME=VALUE with a whole number is expected, or public or trusted",
        ),
        (["mask", "-", "--ndjson"], "{}", 2, "stdin cannot be both"),
        (["mask", "x.json", "--ndjson", "--prefix", "x"], "{}", 2, "with --ndjson the prefixes come from stdin"),
        (["ff-tokens", "x.json", "--ndjson", "--prefix-tokens", "1"], "{}", 2, "the prefixes come from stdin"),
        (["mask", "-"], '{"type": "object", "required": [], "type": "array"}', 3, 'the key "type" twice'),
        (["mask", "-", "--whitespace", "some"], "{}", 2, "--whitespace some"),
        (["mask", "-", "--formats", "some"], "{}", 2, "--formats"),
        (["mask", "-", "--draft", "5"], "{}", 2, "--draft 5"),
        (["mask", "-", "--registry", "/no/such/file.json"], "{}", 2, "No such file"),
        (["mask", "-", "--type", "lark", "--registry", "x"], "{}", 2, "--registry is for JSON schemas"),
        (
            ["mask", "-", "--type", "lark", "--property-order", "any"],
            "start: A",
            2,
            "--property-order is for JSON schemas",
        ),
        (["mask", "-", "--lexing", "any"], "{}", 2, "--lexing is for Lark grammars"),
        (["mask", "-", "--max-tokens", "0"], '{"const": 7}', 2, "--max-tokens 0 is too few: the shortest text needs 1"),
        (["mask", "-", "--max-tokens", "3", "--canonical"], "{}", 2, "both max_tokens and canonical tokens"),
        (["mask", "-", "--format", "xml"], "{}", 2, "xml"),
        (["mask"], "", 2, "GRAMMAR"),
        (["nonsense"], "", 2, "No such command 'nonsense'.\n"),
        (["chek"], "", 2, "No such command 'chek'. Did you mean check?"),
    ],
)
def test_errors_say_what_is_wrong(invoke: Invoke, arguments: list[str], stdin: str, code: int, message: str) -> None:
    found = invoke(*arguments, stdin=stdin)
    assert found.code == code
    assert message in found.err
    assert found.raw == b""


def test_extension_that_says_no_kind(invoke: Invoke, tmp_path: Path) -> None:
    path = tmp_path / "rules.bnf"
    path.write_text("a")
    found = invoke("mask", str(path))
    assert found.code == 2
    assert "would; use --type json-schema|lark|" in found.err
    assert "Is a directory" in invoke("mask", str(tmp_path)).err


def test_lexing_and_max_tokens(invoke: Invoke) -> None:
    def count(source: str, *arguments: str) -> int:
        return int(invoke("mask", "-", "--format", "count", *arguments, stdin=source).out)

    lark = 'start: A B?\nA: /a+/\nB: "ab"'
    command = ["--type", "lark", "--prefix", "aa", "--lexing"]
    assert count(lark, *command, "longest") < count(lark, *command, "any")
    numbers = '{"type": "array", "items": {"type": "integer"}}'
    command = ["--whitespace", "compact", "--max-tokens"]
    assert count(numbers, *command, "1") == 1 < count(numbers, *command, "9")


def test_a_lark_grammar_has_a_start_and_imports_files(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "words.lark").write_text('WORD: "w"', encoding="utf-8")
    (tmp_path / "beside.lark").write_text('BESIDE: "b"', encoding="utf-8")
    path = tmp_path / "grammar.lark"
    path.write_text("whole: WORD BESIDE\n%import words.WORD\n%import .beside.BESIDE\n", encoding="utf-8")
    options = ["--start", "whole", "--import-path", str(tmp_path / "folder")]
    assert invoke("validate", str(path), "-", *options, stdin="wb").code == 0
    assert invoke("validate", str(path), "-", *options, stdin="w").code == 1
    found = invoke("compile", str(path), *options[2:])
    assert found.code == 3 and "no rule 'start' to start with; the rules are whole" in found.err
    found = invoke("compile", str(path), *options[:2])
    assert found.code == 3 and "line 2, column 9: there is no file words.lark in the library" in found.err
    found = invoke("compile", "-", "--type", "lark", *options, stdin=path.read_text(encoding="utf-8"))
    assert found.code == 3 and "needs the folder of beside.lark: give it with a grammar in a file" in found.err
    assert "--start is for grammars in Lark, GBNF and EBNF" in invoke("compile", "-", "--start", "a", stdin="{}").err


def test_the_line_of_an_error_is_shown_as_it_is_written(invoke: Invoke) -> None:
    found = invoke("compile", "-", "--type", "lark", stdin="start[max_tokens=3]: /a/")
    told, line, caret = found.err.rstrip("\n").split("\n")
    assert told.endswith("or the whole text with --max-tokens")
    assert line == "ffgrammar:     start[max_tokens=3]: /a/" and caret == "ffgrammar:           ^"


def test_a_registry_is_files_and_folders(invoke: Invoke, tmp_path: Path) -> None:
    schema = json.dumps({"enum": [1], "allOf": [{"$ref": "http://x.test/a"}, {"$ref": "http://x.test/b.json"}]})
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "a.json").write_text('{"$id": "http://x.test/a", "type": "integer"}', encoding="utf-8")
    (folder / "b.json").write_text('{"maximum": 1}', encoding="utf-8")
    a, b = str(folder / "a.json"), str(folder / "b.json")
    for given in ([a, f"http://x.test/b.json={b}"], [str(folder), f"http://x.test/={folder}"]):
        options = [word for one in given for word in ("--registry", one)]
        assert invoke("mask", "-", *options, "--whitespace", "0", "--format", "count", stdin=schema).out == "1\n"
    # a folder's files without $id are passed over, and nothing is looked for elsewhere
    found = invoke("mask", "-", "--registry", str(folder), stdin=schema)
    assert (found.code, found.raw) == (3, b"")
    assert "http://x.test/b.json" in found.err
    found = invoke("mask", "-", "--registry", b, stdin=schema)
    assert (found.code, found.raw) == (2, b"")
    assert "no $id" in found.err
    (folder / "b.json").write_text("{", encoding="utf-8")
    assert "not JSON" in invoke("mask", "-", "--registry", b, stdin=schema).err
    found = invoke("mask", "-", "--registry", f"http://x.test/={folder}", stdin=schema)
    assert (found.code, found.raw) == (3, b"")
    assert "http://x.test/b.json" in found.err


def test_a_line_nested_too_deep_is_answered_and_the_next_one_too(invoke: Invoke) -> None:
    found = invoke("check", "--ndjson", stdin="[" * 200_000 + '\n{"text": "a"}\n')
    assert found.code == 2
    assert ["error" in answer for answer in found.json_lines()] == [True, False]


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["mask", "-", "--limit", "source_bytes=1"], "{}", "raise it with --limit source_bytes=N"),
        (["ff-tokens", "-", "--type", "regex", "--limit", "forced_bytes=5"], "0123456789", "--limit forced_bytes=N"),
        (["mask", "-"], '{"$schema": "http://x.test/dialect"}', "pass --draft, or put its metaschema in --registry"),
        (["mask", "-"], '{"$ref": "http://x.test/other"}', "in --registry"),
    ],
)
def test_errors_name_flags_and_not_keyword_arguments(
    invoke: Invoke, arguments: list[str], stdin: str, message: str
) -> None:
    found = invoke(*arguments, stdin=stdin)
    assert found.code in (2, 3)
    assert message in found.err
    assert not re.search(r"Limits\(|\b(draft|registry)=", found.err)


def test_errors_about_a_vocabulary_name_flags_too(invoke: Invoke, tmp_path: Path, lark_sum: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path / "tokenizer.json"
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    vocabulary = {letter: number for number, letter in enumerate(sorted(byte_level.alphabet()))}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer, tokenizer.decoder = byte_level, tokenizers.decoders.ByteLevel()
    tokenizer.save(str(path))
    found = invoke("mask", lark_sum, "--tokenizer", str(path))
    assert (found.code, "give --eos IDS" in found.err) == (2, True)
    ranks = _write_ranks(tmp_path / "small.tiktoken", BYTES)
    found = invoke("check", "--text", "a", "--tokenizer", ranks)
    assert (found.code, "--pattern" in found.err, "encode=" in found.err) == (2, True, False)
    request = '{"text": "a"}\n'
    answer = invoke("check", "--ndjson", "--tokenizer", ranks, stdin=request).json()
    assert "--pattern" in answer["error"]


# ---- the library


def test_grammars_lists_the_library(invoke: Invoke) -> None:
    import ffgrammar as ff

    listed = [line.split("\t") for line in invoke("grammars").out.splitlines()]
    assert [name for name, _ in listed] == ff.library_names()
    assert dict(listed)["json"].startswith("JSON as RFC 8259 has it")
    found = {one["name"]: one for one in invoke("grammars", "--json").json()}
    assert {name: one["description"] for name, one in found.items()} == dict(listed)
    assert found["sql"]["kind"] == "lark" and found["email"]["kind"] == "regex"


def test_grammars_shows_one(invoke: Invoke) -> None:
    import ffgrammar as ff

    for name in ("json", "@json"):
        assert invoke("grammars", name).out == ff.library_grammar("json").text
    assert invoke("grammars", "url", "--json").json()["text"] == ff.library_grammar("url").text
    found = invoke("grammars", "jsno")
    assert (found.code, "did you mean json" in found.err) == (2, True)


def test_every_command_takes_a_grammar_by_name(invoke: Invoke, tmp_path: Path) -> None:
    assert invoke("mask", "@sql", "--prefix", "SELECT a FROM t WHERE a BETW", "--format", "count").code == 0
    assert invoke("ff-tokens", "@json", "--prefix", "fal").out.startswith('forced bytes\t"se"')
    assert invoke("validate", "@json", stdin="[1]").code == 0
    assert invoke("validate", "@email", stdin="a@b").code == 1
    assert invoke("check", "@json", *map(str, [58, 16, 60])).code in (0, 1)
    assert invoke("complete", "@iso_date", "--prefix", "2024-02-2").code == 0
    assert len(invoke("sample", "@email", "-n", "2").out.splitlines()) == 2
    found = invoke("compile", "@json", "-o", str(tmp_path / "json.ffg"), "--json").json()
    assert (found["grammar"], found["kind"]) == ("@json", "lark")
    assert invoke("validate", str(tmp_path / "json.ffg"), stdin="[1]").code == 0


def test_names_that_the_library_does_not_have(invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = invoke("mask", "@sqll")
    assert found.code == 2 and "did you mean sql?" in found.err and "ffgrammar grammars" in found.err
    assert "./@nothing" in invoke("mask", "@nothing").err
    assert invoke("mask", "@json", "--type", "regex").code == 2
    assert invoke("compile", "@json", "--type", "lark").code == 0
    (tmp_path / "@mine").write_text("ab")
    monkeypatch.chdir(tmp_path)
    assert invoke("mask", "./@mine", "--type", "regex", "--format", "count").out == "2\n"


# ---- vocabularies


def test_tokenizers_lists_what_is_embedded(invoke: Invoke, cl100k: Any, o200k: Any) -> None:
    from ffgrammar.tokens.vocabulary.embedded import ENCODINGS

    found = invoke("tokenizers", "--json").json()
    assert [item["name"] for item in found["embedded"]] == list(ENCODINGS)
    assert [item["vocab_size"] for item in found["embedded"]] == [cl100k.vocab_size, o200k.vocab_size]
    assert [item["fingerprint"] for item in found["embedded"]] == [cl100k.fingerprint, o200k.fingerprint]
    files = {item["file"] for item in found["loadable"]}
    models = {"*/tokenizer.model", "*.model", "*.gguf", "*.tiktoken", "rwkv_vocab*.txt"}
    assert files == {"*/tokenizer.json", "*/tekken.json"} | models
    assert "cl100k_base\t100277 ids\tEOS 100257" in invoke("tokenizers").out
    assert "100258\t<|fim_prefix|>\n" in invoke("tokenizers", "cl100k_base").out
    assert invoke("tokenizers", "o200k_base", "--json").json()["special_tokens"] == o200k.special_tokens
    assert "is not embedded" in invoke("tokenizers", "nobody").err


def test_special_tokens_that_a_text_cannot_have(invoke: Invoke, tmp_path: Path) -> None:
    path = tmp_path / "special.lark"
    path.write_text('start: "a" <|fim_prefix|> "b"')
    (tmp_path / "text").write_text("ab")
    place = ("validate", str(path), str(tmp_path / "text"))
    assert (
        "at byte 1, line 1, column 2; allowed there: the special token <|fim_prefix|> (no text spells it)"
        in invoke(*place).out
    )
    assert invoke(*place, "--json").json()["rejected"]["allowed"]["special_tokens"] == ["<|fim_prefix|>"]
    found = invoke("sample", str(path))
    assert found.code != 0 and "asks for special tokens, such as <|fim_prefix|>" in found.err
    after = invoke("validate", str(path), "--json", str(path)).json()["rejected"]["allowed"]
    assert "special_tokens" not in after


def test_trie_draws_as_much_as_is_asked_for(invoke: Invoke, tmp_path: Path) -> None:
    picture = tmp_path / "user.svg"
    deeper = invoke("trie", "--prefix", "use", "--max-depth", "3", "--max-children", "2").out.splitlines()
    assert deeper[1:3] == ['├── "Ral"\t89471', '│   └── "ative"\t89472']
    limited = ["trie", "--prefix", "user", "--max-depth", "3", "--max-children", "2"]
    lines = invoke(*limited, "--svg", str(picture)).out.splitlines()
    assert lines == ['"user"\t882', '├── "Data"\t43626', '├── "ID"\t38606', "└── … 12 more"]
    root = ElementTree.parse(picture).getroot()
    assert root.tag.endswith("svg") and len([one for one in root if one.tag.endswith("text")]) == len(lines)
    tree = invoke(*limited, "--json").json()
    assert len(tree["branches"][0]["branches"]) == 2 and tree["branches"][0]["more"] == 12
    assert invoke(*limited, "--svg", str(tmp_path / "no" / "where.svg")).code == 2


def test_masks_after_a_prompt_and_canonical_ones(invoke: Invoke, cl100k: Any, person: str) -> None:
    answer = invoke("mask", person, "--prompt", '{"user":', "--json")
    tokens = {token["text"] for token in answer.json()["tokens"]}
    assert '":{"' in tokens and '"' not in tokens and 'taken back: "\\":"' in answer.err
    inside = invoke("mask", person, "--prompt", '{"user":', "--prefix", "{", "--json").json()
    assert inside["count"] > 5
    words = [
        invoke("mask", person, *more, "--prefix", '{"', "--format", "ids").out.split() for more in ([], ["--canonical"])
    ]
    assert words[1] == [str(cl100k.encode("name")[0])] and set(words[1]) < set(words[0])
    # no sentence goes on canonically after the tokens of these bytes, so what follows need not fit the last of them
    assert invoke("mask", person, "--canonical", "--prefix", '{"na', "--json").json()["count"] > 0
    forced = invoke("ff-tokens", person, "--prompt", "Answer: ", "--json").json()
    assert forced["forced_bytes"]["text"].startswith(" ")


def test_complete_shows_each_way_to_cover_a_prefix(invoke: Invoke, cl100k: Any, person: str) -> None:
    found = invoke("complete", "--prefix", "userNa", "--json", "--first", "100").json()
    assert [(one["position"], one["count"], one["rest"]["text"]) for one in found] == [
        (5, 2170, "a"),
        (4, 34, "Na"),
        (0, 1, "userNa"),
    ]
    assert len(found[0]["candidates"]) == 100 and len(found[1]["candidates"]) == 34
    for one in found:
        kept = cl100k.decode([token["id"] for token in one["kept"]])
        assert kept + one["rest"]["text"].encode() == b"userNa" and len(kept) == one["position"]
        assert all(token["text"].startswith(one["rest"]["text"]) for token in one["candidates"])
    lines = invoke("complete", "--prefix", "userNa").out.splitlines()
    assert lines[2] == '0\t""\t1\t"userName"' and lines[0].endswith(" …")
    # with a grammar, what it allows
    inside = invoke("complete", person, "--prefix", '{"na', "--json").json()
    assert [token["text"] for one in inside for token in one["candidates"]] == ["name"]
    assert invoke("complete", person, "--prefix", "userNa").code == 1
    # a character that is cut; and what is no beginning of a text
    assert invoke("complete", "--prefix-bytes", "e4b8", "--json").json()[-1]["rest"] == {"bytes": "5Lg="}
    assert invoke("complete", "--prefix-bytes", "ff").code == 2
    assert invoke("complete").code == 2
    assert invoke("complete", "--prefix", "a", "--compact").code == 2


def test_trie_shows_every_token_under_a_prefix_once(invoke: Invoke, cl100k: Any) -> None:
    prefix = b" gram"
    expected = {i for i in range(cl100k.vocab_size) if cl100k.token_bytes(i).startswith(prefix)}

    def walk(branch: dict[str, Any]) -> list[int]:
        below = [token for child in branch["branches"] for token in walk(child)]
        assert all(child["text"].startswith(branch["text"]) for child in branch["branches"])
        return branch["ids"] + below

    tree = invoke("trie", "--prefix", " gram", "--json").json()
    assert len(walk(tree)) == len(expected)
    assert set(walk(tree)) == expected
    lines = invoke("trie", "--prefix", " gram").out.splitlines()
    assert {int(line.split("\t")[1]) for line in lines} == expected
    assert len(invoke("trie", "--prefix", " gram", "--max-depth", "1").out.splitlines()) == len(tree["branches"])
    assert invoke("trie", "--prefix-bytes", "ffffff").code == 1


def test_counts_agree_with_what_is_counted() -> None:
    from ffgrammar_cli.show import counted

    assert [counted(count, "more row") for count in (0, 1, 2, 1200)] == [
        "0 more rows",
        "1 more row",
        "2 more rows",
        "1,200 more rows",
    ]


def test_quoted_bytes_read_back(invoke: Invoke, cl100k: Any) -> None:
    """Every token is printed as a Python literal of its text, or of its bytes where they are not UTF-8."""
    import ast

    for line in invoke("mask", "-", "--type", "regex", stdin="(?s).*").out.splitlines():
        number, literal = line.split("\t")
        data = cl100k.token_bytes(int(number))
        if data:
            value = ast.literal_eval(literal)
            assert (value.encode() if isinstance(value, str) else value) == data
            assert re.search(r"[^ -~]", literal) is None or literal.isprintable()


def _write_ranks(path: Path, tokens: list[bytes]) -> str:
    lines = [base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)]
    path.write_bytes(b"".join(lines))
    return str(path)


BYTES = [bytes([value]) for value in range(256)]


def test_a_rank_file_is_a_vocabulary(invoke: Invoke, tmp_path: Path, lark_sum: str) -> None:
    ranks = _write_ranks(tmp_path / "small.tiktoken", [*BYTES, b"he", b"ll", b"hell", b"hello", b" hello"])
    found = invoke("mask", lark_sum, "--tokenizer", ranks, "--format", "ids").out.split()
    assert found == [str(byte) for byte in b"(0123456789"]
    ends = invoke("mask", lark_sum, "--prefix", "1", "--tokenizer", ranks, "--eos", "260", "--json").json()
    assert ends["tokens"][-1]["id"] == 260
    assert invoke("check", "--text", "hello", "--tokenizer", ranks).code == 2
    splitting = ["--tokenizer", ranks, "--pattern", r" ?\p{L}+|\s+|."]
    assert invoke("check", *splitting, "259").code == 0
    assert invoke("check", *splitting, "258 111").code == 1
    assert invoke("check", "--text", "hello hello", "--json", *splitting).json()["given"] == [259, 260]
    drawn = '"he"\t256\n└── "ll"\t258\n    └── "o"\t259\n'
    assert invoke("trie", "--prefix", "he", "--tokenizer", ranks).out == drawn
    bad = tmp_path / "bad.tiktoken"
    bad.write_text("aGk= 0\nhello\n")
    found = invoke("trie", "--tokenizer", str(bad))
    assert (found.code, "line 2" in found.err) == (2, True)
    bad.write_text("aGk= 99999999999\n")
    assert invoke("trie", "--tokenizer", str(bad)).code == 2
    assert invoke("trie", "--pattern", ".").code == 2


def test_an_embedded_vocabulary_may_come_from_its_rank_file(invoke: Invoke, shared_dir: Path, tmp_path: Path) -> None:
    ranks = str(shared_dir / "tokenizers" / "cl100k_base.tiktoken")
    assert invoke("check", "--tokenizer", ranks, "9906 1917").code == 0
    assert invoke("check", "--tokenizer", ranks, "9906 220 14957").code == 1
    forged = _write_ranks(tmp_path / "cl100k_base.tiktoken", BYTES)
    found = invoke("check", "--tokenizer", forged, "1")
    assert (found.code, "this is not cl100k_base" in found.err) == (2, True)


def test_a_tokenizer_json_is_a_vocabulary(invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    vocabulary = {letter: number for number, letter in enumerate(sorted(byte_level.alphabet()))}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={**vocabulary, "ab": 256}, merges=[("a", "b")]))
    tokenizer.pre_tokenizer = byte_level
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>"])
    path = tmp_path / "model" / "tokenizer.json"
    path.parent.mkdir()
    tokenizer.save(str(path))
    found = invoke("mask", "-", "--type", "regex", "--tokenizer", str(path), "--format", "json", stdin="ab?").json()
    assert [token["text"] for token in found["tokens"]] == ["a", "ab"]
    assert invoke("check", "--text", "ab", "--tokenizer", str(path), "--json").json()["given"] == [256]
    # a folder's name needs no slash
    monkeypatch.chdir(tmp_path)
    assert invoke("check", "--text", "ab", "--tokenizer", "model", "--json").json()["given"] == [256]


# ---- check


def test_check_says_where_tokens_leave_the_canonical_ones(invoke: Invoke) -> None:
    found = invoke("check", "9906", "220", "14957")
    assert found.code == 1
    assert found.out.splitlines() == [
        "canonical\tno",
        "diverges\tat token 1, byte 5",
        'expected\t1917 " world"',
        'given\t220 " ", 14957 "world"',
    ]
    yes = invoke("check", "9906,1917", "--json").json()
    assert (yes["canonical"], yes["first_divergence"], yes["given"]) == ("yes", None, [9906, 1917])
    assert "accepted" not in yes


def test_check_reads_text_stdin_and_lines(invoke: Invoke) -> None:
    assert invoke("check", stdin="[9906, 1917]\n").code == 0
    assert invoke("check", "--text", "Hello world", "--json").json()["given"] == [9906, 1917]
    assert invoke("check", "--text", "Hello world", "9906 1917").code == 0
    assert invoke("check", "--text", "Hello you", "9906 1917").code == 1
    requests = [{"tokens": [9906, 1917]}, {"tokens": [9906, 220, 14957]}, {"text": "Hi"}, {}, {"tokens": "x"}]
    found = invoke("check", "--ndjson", stdin="".join(json.dumps(request) + "\n" for request in requests))
    assert [answer.get("canonical") for answer in found.json_lines()] == ["yes", "no", "yes", None, None]
    assert found.code == 2
    assert invoke("check", "--ndjson", "9906").code == 2
    found = invoke("check", stdin="\n")
    assert (found.code, found.err) == (0, "ffgrammar: hint: no token ids came from stdin\n")
    assert invoke("check", "99999999").code == 2


def test_check_is_undecided_where_more_text_matters(invoke: Invoke) -> None:
    found = invoke("check", "--partial", "9906", "--json")
    assert (found.code, found.json()["canonical"]) == (0, "undecided")


def test_check_with_a_grammar_says_whether_it_accepts(invoke: Invoke, lark_sum: str, cl100k: Any) -> None:
    ids = [str(token) for token in cl100k.encode("1+(2")]
    found = invoke("check", lark_sum, *ids, "--json")
    assert (found.code, found.json()["accepted"], found.json()["accepting"]) == (0, True, False)
    assert "not yet a sentence" in invoke("check", lark_sum, *ids).out
    rejected = invoke("check", lark_sum, "--text", "1+x")
    assert rejected.code == 1
    assert "grammar\trejected at byte 2" in rejected.out
    ended = [*map(str, cl100k.encode("1+2")), str(cl100k.eos_token_ids[0])]
    assert invoke("check", lark_sum, *ended, "--json").json()["accepting"]
    assert invoke("check", "-", "--type", "lark", stdin=SUM).code == 2
    assert invoke("check", "--type", "lark", "1").code == 2


EXTENSIONS: dict[str, str] = import_module(CLI + ".options").EXTENSIONS
KIND_SOURCES = {
    "json-schema": '{"const": "a"}',
    "lark": 'start: "a"',
    "gbnf": 'root ::= "a"',
    "ebnf": 'root ::= "a"',
    "regex": "a",
    "choice": "a",
    "structural-tag": '{"format": {"type": "const_string", "value": "a"}}',
}


@pytest.mark.parametrize("extension", [one for one, kind in EXTENSIONS.items() if kind != "compiled"])
def test_every_kind_is_compiled_as_itself(invoke: Invoke, tmp_path: Path, extension: str) -> None:
    kind = EXTENSIONS[extension]
    path = tmp_path / f"grammar{extension}"
    path.write_text(KIND_SOURCES[kind], encoding="utf-8")
    for arguments in ([str(path)], [str(path), "--type", kind]):
        found = invoke("compile", *arguments, "--json")
        assert found.code == 0 and json.loads(found.out)["kind"] == kind


def test_structural_tags(invoke: Invoke, tmp_path: Path) -> None:
    tag = {
        "type": "structural_tag",
        "format": {"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": ">"},
    }
    found = invoke("validate", "-", "--type", "structural-tag", stdin=json.dumps(tag))
    assert found.code == 2  # the texts come from stdin, too
    path = tmp_path / "call.tag.json"
    path.write_text(json.dumps(tag), encoding="utf-8")
    assert invoke("validate", str(path), stdin="<a>b>").code == 0
    assert invoke("validate", str(path), stdin="<a>b").code == 1
    # what would be a schema
    schema = invoke("compile", "-", stdin=json.dumps(tag))
    assert schema.code == 3 and "--type structural-tag" in schema.err
    tag["format"]["end"] = "<|endoftext|>"  # type: ignore[index]
    path.write_text(json.dumps(tag), encoding="utf-8")
    assert "warning: a string of the structural tag has '<|endoftext|>'" in invoke("compile", str(path)).err
    path.write_text("{}", encoding="utf-8")
    found = invoke("compile", str(path))
    assert found.code == 3 and "needs the key 'format'" in found.err


def test_requests(invoke: Invoke, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    request: dict[str, Any] = {"tools": [{"name": "get", "input_schema": {}}], "tool_choice": {"type": "any"}}
    path.write_text(json.dumps(request), encoding="utf-8")
    options = ["--type", "request", "--tool-format", "llama3"]
    assert invoke("validate", str(path), *options, stdin='{"name": "get", "parameters": {}}').code == 0
    assert invoke("validate", str(path), *options, stdin="Hi").code == 1
    found = invoke("compile", str(path), "--type", "request")
    assert found.code == 2 and "use --tool-format" in found.err
    path.write_text("{}", encoding="utf-8")  # every text is an answer
    assert invoke("validate", str(path), "--type", "request", stdin="Hi").code == 0
    for text, message in (("[]", "a JSON object is expected"), ("{", "the request is not JSON")):
        path.write_text(text, encoding="utf-8")
        found = invoke("compile", str(path), "--type", "request")
        assert found.code == 3 and message in found.err


def test_tools(invoke: Invoke, tmp_path: Path) -> None:
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in ("get", "set")]
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(tools), encoding="utf-8")
    options = [str(path), "--type", "tools", "--tool-format", "llama3"]
    assert invoke("validate", *options, stdin='{"name": "get", "parameters": {}}').code == 0
    assert invoke("validate", *options, stdin="Hello").code == 0
    assert invoke("validate", *options, "--tool-choice", "set", stdin='{"name": "get", "parameters": {}}').code == 1
    assert invoke("validate", *options, "--reasoning", "qwen", stdin="<think></think>Hello").code == 0
    assert invoke("validate", *options, "--whitespace", "2", stdin='{"name": "get", "parameters": { }}').code == 0
    found = invoke("compile", str(path), "--type", "tools")
    assert found.code == 2 and "use --tool-format NAME; there are hermes, llama3, " in found.err
    found = invoke("compile", str(path), "--type", "tools", "--tool-format", "other")
    assert found.code == 3 and "there is no tool format 'other'; there are hermes" in found.err
    found = invoke("compile", str(path), "--tool-format", "hermes")
    assert found.code == 2 and "--tool-format is for tools" in found.err
    for text, message in (
        ("[", "not JSON"),
        ("{}", "a JSON array of tools"),
        ("[3]", "a tool must be a dict"),
        ("[{}]", "at /tools/0"),
    ):
        path.write_text(text, encoding="utf-8")
        found = invoke("compile", *options)
        assert found.code == 3 and message in found.err


def test_special_tokens_in_a_prompt(invoke: Invoke, lark_sum: str) -> None:
    prompt = ["mask", lark_sum, "--format", "count", "--prompt", "<|endoftext|>Sum: "]
    spelled = invoke(*prompt)
    assert "warning: the prompt has '<|endoftext|>'" in spelled.err and "--special allow" in spelled.err
    assert "warning" not in invoke(*prompt, "--special", "text").err
    allowed = invoke(*prompt, "--special", "allow")
    assert "prompt: 100257 " in allowed.err and "warning" not in allowed.err
    assert invoke("mask", lark_sum, "--special", "allow").code == 2


def test_a_grammar_is_not_overwritten(invoke: Invoke, tmp_path: Path) -> None:
    source = tmp_path / "one.json"
    source.write_text("{}")
    (tmp_path / "link.json").symlink_to(source)
    for output in (source, tmp_path / "link.json"):
        found = invoke("compile", str(source), "-o", str(output))
        assert found.code == 2 and "would overwrite the grammar" in found.err
    assert source.read_text() == "{}"


def test_a_start_rule_of_gbnf(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "g.gbnf").write_text('root ::= "a"\nother ::= "indent=2" missing', encoding="utf-8")
    shown = invoke("mask", str(tmp_path / "g.gbnf"))
    assert shown.code == 3 and '"indent=2" missing' in shown.err
    (tmp_path / "g.gbnf").write_text('root ::= "a"\nother ::= "b"', encoding="utf-8")
    assert invoke("validate", str(tmp_path / "g.gbnf"), "--start", "other", stdin="b").code == 0
