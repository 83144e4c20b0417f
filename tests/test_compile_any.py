"""`compile`: each kind of source, by value, as text and in a file; and what it refuses to guess."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest

import ffgrammar as ff
from ffgrammar.api.dispatch import compile_any, kinds
from ffgrammar.api.dispatch.kinds import Kind

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
CALL = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'


def add(a: int, b: int = 0) -> int:
    """Add."""
    return a + b


def accepts(grammar: ff.Grammar, text: str) -> bool:
    matcher = grammar.matcher()
    return matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting()


SOURCES: list[tuple[Any, dict[str, Any], str, str]] = [
    ({"type": "integer"}, {}, "12", "x"),
    ({"properties": {"type": {"const": "text"}}, "required": ["type"]}, {}, '{"type": "text"}', "{}"),
    (True, {}, "[1]", "]"),
    ({"type": "integer"}, {"whitespace": "compact"}, "12", " 12"),
    ({"type": "json_schema", "schema": {"type": "integer"}}, {}, "12", "x"),
    ({"type": "json_object"}, {}, "{}", "[]"),
    (TOOL, {"format": "hermes", "choice": "f"}, CALL, "Hi"),
    ([TOOL], {"format": "hermes", "choice": "f"}, CALL, "Hi"),
    ([add], {"format": "llama3", "choice": "add"}, '{"name": "add", "parameters": {"a": 1}}', "Hi"),
    (add, {}, '{"a": 1, "b": 2}', '{"b": 2}'),
    (Literal["a", "b"], {}, '"a"', '"c"'),
    (list[int], {}, "[1]", '["x"]'),
    (["yes", "no"], {}, "no", "maybe"),
    (("yes", b"no"), {}, "no", "maybe"),
    ({"yes", "no"}, {}, "no", "maybe"),
    (re.compile("a+b"), {}, "aab", "b"),
    (re.compile("a.b", re.IGNORECASE | re.DOTALL), {}, "A\nB", "ab"),
    (ff.sequence("a", ff.text(until="b")), {}, "axb", "ax"),
    ('{"type": "integer"}', {}, "12", "x"),
    ("true", {}, "12", "]"),
    (json.dumps(TOOL), {"format": "hermes", "choice": "f"}, CALL, "Hi"),
    ('{"type": "json_object"}', {}, "{}", "[]"),
    (json.dumps([TOOL]), {"format": "hermes", "choice": "f"}, CALL, "Hi"),
    ('# a comment\nroot ::= "a" b\nb ::= "b"+', {}, "abb", "a"),
    ({"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}, {}, "a", "b"),
    ('{"type": "structural_tag", "format": {"type": "const_string", "value": "a"}}', {}, "a", "b"),
    ('start: "a" B\nB: /b+/', {}, "abb", "a"),
    ('  start : "a"', {}, "a", "b"),
    ("// a comment\nB: /b+/\nstart.1: B", {}, "bb", "a"),
    ("B: /b+/\n?start: B", {}, "bb", "a"),
]


def _name(value: Any) -> str:
    """The same in every process."""
    return re.sub(" at 0x[0-9a-f]+", "", str(sorted(value) if isinstance(value, set) else value))[:30]


@pytest.mark.parametrize(("source", "options", "good", "bad"), SOURCES, ids=_name)
def test_sources(source: Any, options: dict[str, Any], good: str, bad: str, cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile(source, cl100k, **options)
    assert accepts(grammar, good) and not accepts(grammar, bad)


@pytest.mark.parametrize(
    ("name", "text", "options", "good"),
    [
        ("a.json", '{"type": "integer"}', {}, "12"),
        ("b.JSON", '\ufeff{"type": "json_object"}', {}, "{}"),
        ("c.json", json.dumps([TOOL]), {"format": "hermes"}, CALL),
        ("d.lark", 'value: "a"', {"start": "value"}, "a"),
        ("e.regex", "a+\r\n", {}, "aa"),
        ("f.choice", "yes\nno\n", {}, "no"),
        ("g.gbnf", 'root ::= "a"', {}, "a"),
        ("h.ebnf", 'root ::= "a"', {}, "a"),
        ("i.tag.json", '{"format": {"type": "const_string", "value": "a"}}', {}, "a"),
    ],
)
def test_files(name: str, text: str, options: dict[str, Any], good: str, tmp_path: Path, cl100k: ff.Tokenizer) -> None:
    (tmp_path / name).write_bytes(text.encode())
    assert accepts(ff.compile(tmp_path / name, cl100k, **options), good)


def test_compiled_files_and_grammars(tmp_path: Path, cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_regex("a+", cl100k)
    grammar.save(tmp_path / "a.ffg")
    assert accepts(ff.compile(tmp_path / "a.ffg", cl100k), "aa")
    assert ff.compile(grammar, cl100k) is grammar
    other = ff.Tokenizer.from_tokens([b"a", b""], 1)
    with pytest.raises(ff.GrammarError, match="another vocabulary"):
        ff.compile(grammar, other)
    with pytest.raises(TypeError, match="takes no options"):
        ff.compile(grammar, cl100k, lexing="any")


def test_a_schema_may_have_words_of_requests(cl100k: ff.Tokenizer) -> None:
    assert ff.compile({"type": "integer", "tools": [], "messages": []}, cl100k).kind == "json-schema"
    assert ff.compile({"tools": "x"}, cl100k).kind == "json-schema"


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        (
            "hello",
            ff.GrammarError,
            r"it is not clear what kind of grammar the text 'hello' is: it is no JSON.*call one of compile_json_schema",
        ),
        ("", ff.GrammarError, "it is not clear what kind"),
        (
            "schema.json",
            ff.GrammarError,
            r"what kind of grammar the text 'schema.json' is: pass pathlib.Path\(...\) if it is the name of a file",
        ),
        (
            'greeting: "hello"',
            ff.GrammarError,
            "'greeting:' is like a rule of Lark, .* must be called start",
        ),
        ('greeting ::= "hello"', ff.GrammarError, "'greeting ::=' is like a rule of GBNF, .* must be called root"),
        ("pythno", ff.GrammarError, "no grammar of the library has this name; did you mean python?"),
        ("[1, 2]", ff.GrammarError, "it is not clear what kind"),
        ('["a", "b"]', ff.GrammarError, "it is not clear what kind"),
        ('{"type": "intege', ff.GrammarError, "not JSON"),
        ('{"a": 1, "a": 2}', ff.GrammarError, "twice"),
        ([], ff.GrammarError, "choices, or one of tools; this one is neither"),
        (["a", TOOL], ff.GrammarError, "neither"),
        ([{"type": "object"}], ff.GrammarError, "neither"),
        ([TOOL], ff.GrammarError, r"pass format="),
        ({"tools": [TOOL]}, ff.GrammarError, "body of a request to an API: call compile_request"),
        ({"model": "a", "messages": []}, ff.GrammarError, "call compile_request"),
        ('{"response_format": {"type": "json_object"}}', ff.GrammarError, "call compile_request"),
        (3, TypeError, "nothing is known that compiles a int"),
        (b"{}", TypeError, "compiles a bytes"),
        (None, TypeError, "compiles a NoneType"),
        (re.compile(b"a"), ff.UnsupportedError, "a pattern of bytes"),
        (re.compile("a", re.MULTILINE), ff.UnsupportedError, "MULTILINE"),
        (re.compile("a # b", re.VERBOSE), ff.UnsupportedError, "VERBOSE"),
        (re.compile("a", re.ASCII), ff.UnsupportedError, "ASCII"),
        (Path("x.txt"), ff.GrammarError, r"x.txt: the ending does not say what this is, as .json"),
        (Path("none.json"), FileNotFoundError, "none.json"),
    ],
)
def test_what_is_not_guessed(source: Any, kind: type[Exception], message: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(kind, match=message):
        ff.compile(source, cl100k)


def test_two_readings_are_refused(cl100k: ff.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    both = 'root ::= "a"\nstart: "a"'
    with pytest.raises(ff.GrammarError, match="a Lark grammar or a GBNF grammar: call compile_lark or compile_gbnf"):
        ff.compile(both, cl100k)
    # a further kind that knows the same texts
    other = Kind("a list of lines", "compile_choice", ff.compile_choice, is_text=lambda text: "start" in text)
    monkeypatch.setattr(compile_any, "KINDS", (*kinds.KINDS, other))
    with pytest.raises(ff.GrammarError, match="a Lark grammar or a list of lines: call compile_lark or compile_choice"):
        ff.compile('start: "a"', cl100k)


def test_unknown_options(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(TypeError, match="lexing"):
        ff.compile({"type": "integer"}, cl100k, lexing="any")


def test_each_row_names_a_public_function() -> None:
    for kind in kinds.KINDS:
        assert callable(getattr(ff, kind.function)), kind


@pytest.mark.parametrize("name", ["@sql", "sql"])
def test_a_name_of_the_library(cl100k: ff.Tokenizer, name: str) -> None:
    assert ff.compile(name, cl100k).matcher().accept_bytes(b"SELECT a FROM b") == 15


def test_a_name_that_the_library_does_not_have(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match="did you mean sql"):
        ff.compile("@sqll", cl100k)


@pytest.mark.parametrize("text", ["[" + "0, " * 2000 + "0]", '{"enum": [' + "0, " * 2000 + "0]}"])
def test_long_texts_are_not_read(text: str, cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.LimitError, match="source_bytes"):
        ff.compile(text, cl100k, limits=ff.Limits(source_bytes=1000))
