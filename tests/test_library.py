"""The library of grammars: found by name, and judged by standard parsers on its own texts and on mutations of them. The
long check `library` does the same with the files of a machine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy
import pytest

import ffgrammar as ff
from long_checks.library import accepts, own_texts, random_sentence
from oracle.mutations import mutations
from oracle.standard_parsers import JUDGES, Judge, Verdict, disagreement, named

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"
# What models are asked for most; the others are there, too.
EXPECTED = {
    *("arithmetic", "c", "csv", "email", "graphql", "ini", "iso_date", "javascript", "json", "json5", "jsonl"),
    *("log", "lua", "markdown", "pgn", "regex", "sql", "toml", "url", "xml", "yaml"),
}

# ---- by name


def test_every_grammar_has_a_name() -> None:
    names = ff.library_names()
    assert names == sorted(path.stem for path in GRAMMARS.iterdir() if path.suffix in (".lark", ".regex"))
    assert set(names) >= EXPECTED


@pytest.mark.parametrize("name", ff.library_names())
def test_a_grammar_says_what_it_is(name: str) -> None:
    found = ff.library_grammar(name)
    path = GRAMMARS / f"{name}.{found.kind}"
    assert (found.name, found.text) == (name, path.read_text(encoding="utf-8"))
    assert 20 < len(found.description) <= 120 and found.description.endswith(".")


@pytest.mark.parametrize("name", ff.library_names())
def test_a_grammar_compiles_by_its_name(name: str, cl100k: ff.Tokenizer) -> None:
    path = next(GRAMMARS.glob(f"{name}.samples.ndjson"))
    samples = [json.loads(line) for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")]
    grammar = ff.compile_library(name, cl100k)
    valid = next(sample["text"] for sample in samples if sample.get("valid"))
    assert accepts(grammar, valid.encode())
    assert ff.compile_library(name, cl100k) is grammar, "a grammar is compiled once"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("jsn", "did you mean json"),
        ("SQL", "did you mean sql"),
        ("../json", "no grammar '../json'"),
        ("json.lark", "did you mean"),
        ("qqqqqq", "there are arithmetic, "),
        ("", "there are arithmetic, "),
    ],
)
def test_an_unknown_name_is_refused(name: str, says: str, cl100k: ff.Tokenizer) -> None:
    for call in (ff.library_grammar, lambda name: ff.compile_library(name, cl100k)):
        with pytest.raises(ff.GrammarError, match=re.escape(says)):
            call(name)


def test_arguments_are_checked(cl100k: ff.Tokenizer) -> None:
    wrong: Any = 5
    with pytest.raises(TypeError, match="name must be a str"):
        ff.library_grammar(wrong)
    with pytest.raises(TypeError, match="tokenizer must be"):
        ff.compile_library("json", wrong)
    with pytest.raises(ff.LimitError, match="source_bytes"):
        ff.compile_library("json", cl100k, limits=ff.Limits(source_bytes=10))


def test_every_grammar_is_documented() -> None:
    page = (GRAMMARS.parent / "docs" / "grammars.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|[^|]+\|[^|]*\| ([^|]+) \|[^|]*\|$", page, re.MULTILINE)
    assert sorted(name for name, _ in rows) == ff.library_names()
    judged = {judge.name for judge in JUDGES}
    assert {name for name, by in rows if by != "samples"} == judged


# ---- judged by standard parsers


def _judges() -> list[Any]:
    """Each judge; those that need something that is not installed skip."""
    return [
        pytest.param(
            judge,
            id=judge.name,
            marks=[pytest.mark.skip(f"{judge.missing()} is not installed")] if judge.missing() else [],
        )
        for judge in JUDGES
    ]


@pytest.mark.parametrize("judge", _judges())
def test_it_agrees_with_a_standard_parser(judge: Judge, cl100k: ff.Tokenizer, covered: Callable[[str], None]) -> None:
    rng = Random(5)
    grammar = ff.compile_library(judge.name, cl100k)
    looked = [0, 0]
    for name, text in own_texts(judge.name):
        if len(text) > 1500:
            continue
        for data in [text, *mutations(text, judge.marks, rng, 12)]:
            accepted = accepts(grammar, data)
            assert not disagreement(judge, data, accepted), (name, data)
            looked[accepted] += 1
    assert looked[0] > 50 and looked[1] > 50
    covered(f"{sum(looked)} texts, {looked[1]} of them accepted")


@pytest.mark.parametrize("judge", _judges())
def test_random_sentences_are_accepted_by_a_standard_parser(judge: Judge, cl100k: ff.Tokenizer) -> None:
    rng = Random(7)
    grammar = ff.compile_library(judge.name, cl100k)
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    for _ in range(8):
        sentence = random_sentence(grammar, rng, bitmask)
        assert not disagreement(judge, sentence, True), sentence


@pytest.mark.parametrize(
    ("name", "text", "verdict"),
    [
        ("json", b"NaN", Verdict.REJECTS),
        ("json", b"[" * 100_000 + b"]" * 100_000, Verdict.BEYOND),
        ("jsonl", b"1\n\n2", Verdict.REJECTS),
        ("toml", b"a = 1\na = 2", Verdict.BEYOND),
        ("toml", b"a = ", Verdict.REJECTS),
        ("xml", b"<a></b>", Verdict.BEYOND),
        ("xml", b"<a b='1' b='2'/>", Verdict.BEYOND),
        ("xml", b"<a>]]></a>", Verdict.REJECTS),
        ("csv", b'"a', Verdict.REJECTS),
        ("csv", b'a"b', Verdict.ACCEPTS),
        ("ini", b"[a]\n[a]\n", Verdict.BEYOND),
        ("sql", b"SELECT a FROM t", Verdict.BEYOND),
        ("sql", b"SELECT FROM t", Verdict.REJECTS),
        ("regex", b"[b-a]", Verdict.BEYOND),
        ("regex", b"(", Verdict.REJECTS),
        ("json", b'"\xff"', Verdict.REJECTS),
    ],
)
def test_the_judges(name: str, text: bytes, verdict: Verdict) -> None:
    if named(name).missing():
        pytest.skip(f"{named(name).missing()} is not installed")
    assert named(name).verdict(text) is verdict


def test_a_wrong_grammar_is_found(cl100k: ff.Tokenizer) -> None:
    """TOML's grammar with a mistake in its integers differs from tomllib on some mutation."""
    if named("toml").missing():
        pytest.skip("tomllib is not installed")
    wrong = ff.library_grammar("toml").text.replace("(0|[1-9](_?[0-9])*)/\n       |", "([0-9](_?[0-9])*)/\n       |")
    grammar = ff.compile_lark(wrong, cl100k)
    rng = Random(1)
    texts = [data for _, text in own_texts("toml") for data in mutations(text, named("toml").marks, rng, 30)]
    assert any(disagreement(named("toml"), data, accepts(grammar, data)) for data in texts if len(data) < 200)


# ---- with a schema inside


def test_markdown_with_a_block_of_a_schema(cl100k: ff.Tokenizer) -> None:
    schema = ff.compile_json_schema({"type": "object", "properties": {"n": {"type": "integer"}}}, cl100k)
    text = ff.compile_library("markdown", cl100k)
    grammar = ff.compose(ff.sequence(text, "```json\n", schema, "\n```\n"), cl100k)
    assert accepts(grammar, b'# Result\n\nHere it is:\n\n```json\n{"n": 1}\n```\n')
    assert not accepts(grammar, b'# Result\n\n```json\n{"n": "x"}\n```\n')
    assert not accepts(grammar, b"# Result\n")


def test_a_mask_of_a_library_grammar(cl100k: ff.Tokenizer) -> None:
    matcher = ff.compile_library("sql", cl100k).matcher()
    matcher.accept_bytes(b"SELECT a FROM t WHERE a BETW")
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    matcher.fill_bitmask(bitmask)
    allowed = numpy.flatnonzero(numpy.unpackbits(bitmask.view(numpy.uint8), bitorder="little"))
    assert {cl100k.token_bytes(int(token)).lower()[:1] for token in allowed} == {b"e"}
