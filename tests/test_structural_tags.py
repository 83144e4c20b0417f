"""Structural tags: the cases of tests/cases/structural_tags.json, and what does not fit there."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.grammar.structural_tag.contained import Contained

ROOT = Path(__file__).resolve().parent.parent
DATA = json.loads((ROOT / "tests/cases/structural_tags.json").read_text(encoding="utf-8"))
# A text is a string, or a list of strings and of special tokens, each in a list of its own.
Text = str | list[str | list[str]]


def accepts(grammar: ff.Grammar, text: Text) -> bool:
    matcher = grammar.matcher()
    for piece in [text] if isinstance(text, str) else text:
        if isinstance(piece, list):
            if not matcher.accept_token(grammar.tokenizer.special_tokens[piece[0]]):
                return False
        elif matcher.accept_bytes(piece.encode()) != len(piece.encode()):
            return False
    return matcher.is_accepting() and not matcher.is_terminated()


def compiled(form: Any, tok: ff.Tokenizer) -> ff.Grammar:
    return ff.compile_structural_tag({"type": "structural_tag", "format": form}, tok)


@pytest.mark.parametrize("case", [one for one in DATA["cases"] if "accepts" in one], ids=lambda case: case["row"])
def test_texts(case: dict[str, Any], cl100k: ff.Tokenizer) -> None:
    grammar = compiled(case["format"], cl100k)
    assert grammar.kind == "structural-tag"
    for text in case["accepts"]:
        assert accepts(grammar, text), text
    for text in case["rejects"]:
        assert not accepts(grammar, text), text


ERRORS = [
    *({**one, "tag": {"format": one["format"]}} for one in DATA["cases"] if "error" in one),
    *DATA["errors"],
]


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case["pointer"])
def test_errors(case: dict[str, Any], cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match=re.escape(case["says"])) as caught:
        ff.compile_structural_tag(case["tag"], cl100k)
    assert (type(caught.value).__name__, caught.value.pointer) == (case["error"], case["pointer"])


def test_the_table_of_the_page_has_a_case_for_each_row() -> None:
    page = (ROOT / "docs/structural-tags.md").read_text(encoding="utf-8")
    table = page.split("| construct |")[1].split("\n\n")[0].splitlines()[2:]
    rows = {line.split("|")[1].strip().replace("`", ""): line.split("|")[2].strip() for line in table}
    works = {"the older form", *(one["row"] for one in DATA["cases"] if "accepts" in one)}
    assert {row for row, verdict in rows.items() if verdict == "works"} == works
    refused = {one["row"] for one in DATA["cases"] if "error" in one} - works
    assert {row for row, verdict in rows.items() if verdict == "refused"} == refused


OLDER = {"structures": [{"begin": "<f=a>", "schema": {"type": "integer"}, "end": "</f>"}], "triggers": ["<f="]}


@pytest.mark.parametrize("tag", [OLDER, {"type": "structural_tag", **OLDER}])
@pytest.mark.parametrize("as_text", [False, True])
def test_the_older_form(tag: dict[str, Any], as_text: bool, cl100k: ff.Tokenizer) -> None:
    if as_text:
        tag = {**tag, "structures": [{**one, "schema": json.dumps(one["schema"])} for one in tag["structures"]]}
    grammar = ff.compile_structural_tag(json.dumps(tag) if as_text else tag, cl100k)
    for text in ("", "free", "a <f=a>12</f> b<f=a> 3 </f>"):
        assert accepts(grammar, text)
    for text in ("<f=", "<f=b>", "<f=a>x</f>", "<f=a>1"):
        assert not accepts(grammar, text)


def test_text_that_is_not_json(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match="line 2, column 1: the structural tag is not JSON"):
        ff.compile_structural_tag('{"format":\n}', cl100k)
    with pytest.raises(ff.GrammarError, match="a structural tag, which is an object, is expected, not an array"):
        ff.compile_structural_tag("[]", cl100k)
    with pytest.raises(TypeError, match="a dict or JSON text"):
        ff.compile_structural_tag([], cl100k)  # type: ignore[arg-type]
    with pytest.raises(ff.LimitError, match="source_bytes"):
        ff.compile_structural_tag("{}", cl100k, limits=ff.Limits(source_bytes=1))


def test_names_of_special_tokens_give_a_warning(cl100k: ff.Tokenizer) -> None:
    tag = {"type": "tag", "begin": "<|fim_prefix|>", "content": {"type": "any_text"}, "end": "!"}
    for _ in range(2):  # the second grammar is the first one
        with pytest.warns(UserWarning, match=r"""\{"type": "token", "token": '<\|fim_prefix\|>'\}""") as caught:
            grammar = compiled(tag, cl100k)
        assert caught[0].filename == __file__
    assert accepts(grammar, "<|fim_prefix|>a!")
    assert not accepts(grammar, [["<|fim_prefix|>"], "a!"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled({**tag, "begin": {"type": "token", "token": "<|fim_prefix|>"}}, cl100k)


def test_warnings_have_places_in_the_tag(cl100k: ff.Tokenizer) -> None:
    unknown = {"type": "array", "items": {"$ref": "#/$defs/x"}}
    schema = {"type": "object", "properties": {"a": unknown}, "$defs": {"x": {"no-keyword": 1}}, "title": "x"}
    for style in ("json", "qwen_xml"):
        form = {"type": "star", "content": {"type": "json_schema", "json_schema": schema, "style": style}}
        (warning,) = compiled(form, cl100k).warnings
        assert warning.startswith("at /format/content/json_schema/$defs/x/no-keyword: 'no-keyword' is not")
    (warning,) = compiled({"type": "json_schema", "json_schema": {"no-keyword": 1}}, cl100k).warnings
    assert warning.startswith("at /format/json_schema/no-keyword: ")


def test_an_end_of_text_token_that_is_asked_for(cl100k: ff.Tokenizer) -> None:
    end = "<|endoftext|>"
    grammar = compiled({"type": "tag", "begin": "a", "content": {"type": "any_tokens"}, "end": {"token": end}}, cl100k)
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b"ab") == 2 and not matcher.is_accepting()
    assert matcher.accept_token(cl100k.special_tokens[end]) and matcher.is_accepting()


def test_grammars_are_kept_saved_and_composed(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    tag = {
        "type": "tag",
        "begin": "<",
        "content": {"type": "json_schema", "json_schema": {"type": "integer"}},
        "end": ">",
    }
    grammar = compiled(tag, cl100k)
    assert compiled(dict(tag), cl100k) is grammar
    grammar.save(tmp_path / "tag.ffg")
    for one in (ff.load(tmp_path / "tag.ffg", cl100k), pickle.loads(pickle.dumps(grammar))):
        assert one.kind == "structural-tag" and accepts(one, "<1>") and not accepts(one, "<>")
    composed = ff.compose(ff.sequence(ff.repeat(grammar, 1, 2), "!"), cl100k)
    assert accepts(composed, "<1><2>!") and not accepts(composed, "!")


def test_deep_tags(cl100k: ff.Tokenizer) -> None:
    form: dict[str, Any] = {"type": "const_string", "value": "a"}
    for _ in range(500):
        form = {"type": "tag", "begin": "(", "content": form, "end": ")"}
    assert accepts(compiled(form, cl100k), "(" * 500 + "a" + ")" * 500)
    with pytest.raises(ff.LimitError, match="nesting=500"):
        compiled({"type": "optional", "content": form}, cl100k)
    with pytest.raises(ff.LimitError, match="nesting"):
        ff.compile_structural_tag('{"format":' * 100_000, cl100k)


def test_many_tags(cl100k: ff.Tokenizer) -> None:
    """The grammar grows with the number of tags."""

    def productions(count: int, triggers: int) -> int:
        tags = [
            {"begin": f"<f{i % triggers}={i}>", "content": {"type": "const_string", "value": f"{i}"}, "end": "</f>"}
            for i in range(count)
        ]
        form = {"type": "triggered_tags", "triggers": [f"<f{i}=" for i in range(triggers)], "tags": tags}
        grammar = compiled(form, cl100k)
        assert accepts(grammar, f"a <f0=0>0</f> <f{(count - 1) % triggers}={count - 1}>{count - 1}</f>")
        return grammar._ir.delimited and int(grammar.stats()["productions"])

    for triggers in (1, 50):
        assert productions(3_000, triggers) < 11 * productions(300, triggers)


def test_a_long_end(cl100k: ff.Tokenizer) -> None:
    end = "<" + "b" * 20_000
    grammar = compiled({"type": "tag", "begin": "<", "content": {"type": "any_text"}, "end": end}, cl100k)
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b"<a<bb<b") == 7 and not matcher.is_accepting()


def test_texts_in_other_texts() -> None:
    found = Contained([b"he", b"she", b"his", b"hers"])
    assert [found.find(one) for one in (b"ushers", b"hi", b"xhis", b"")] == [b"she", None, b"his", None]
    assert [found.find_shorter(one) for one in (b"he", b"she", b"his")] == [None, b"he", None]


def test_deep_values_where_a_name_should_be(cl100k: ff.Tokenizer) -> None:
    deep: Any = {}
    for _ in range(3000):
        deep = {"a": deep}
    for tag in ({"type": deep}, {"type": "structural_tag", "format": {"type": deep}}):
        with pytest.raises(ff.GrammarError, match="a dict"):
            ff.compile_structural_tag(tag, cl100k)
    with pytest.raises(ff.GrammarError, match="a dict"):
        ff.compile_response_format({"type": deep}, cl100k)


def test_values_of_python_that_are_no_json(cl100k: ff.Tokenizer) -> None:
    """They are refused as other wrong values are, although their text is too long, or they contain themselves."""
    tags: dict[str, Any] = {"type": "tags_with_separator", "separator": ",", "tags": [{"type": 10**5000}]}
    endless: dict[str, Any] = {"type": "object", "required": ["a"]}
    endless["properties"] = {"a": endless}
    for format in (
        tags,
        {"type": "qwen_xml_parameter", "json_schema": {"type": "object", "properties": {"a": {1: 2}}}},
        {"type": "qwen_xml_parameter", "json_schema": {"type": "object", "properties": {"a": endless}}},
    ):
        with pytest.raises(ff.FFGrammarError):
            ff.compile_structural_tag({"type": "structural_tag", "format": format}, cl100k)
