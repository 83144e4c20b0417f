"""Every sample of grammars/, judged in many ways, which must come to one verdict. grammars/README.md has the layout."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"
COMPILERS: dict[str, Callable[[str, ff.Tokenizer], ff.Grammar]] = {
    ".json": ff.compile_json_schema,
    ".lark": ff.compile_lark,
    ".gbnf": ff.compile_gbnf,
    ".ebnf": ff.compile_ebnf,
    ".regex": ff.compile_regex,
    ".tag.json": ff.compile_structural_tag,
}
TEXTS = GRAMMARS / "texts"


def end_of(path: Path) -> str:
    """How the name of a grammar's file ends, which says what compiles it; "" for other files."""
    return max((end for end in COMPILERS if path.name.endswith(end)), key=len, default="")


SOURCES = {path.name.removesuffix(end_of(path)): path for path in sorted(GRAMMARS.iterdir()) if end_of(path)}

# Where a text came to: the matcher after all of it, or None when some of it was refused.
Outcome = ff.Matcher | None


def samples(name: str) -> list[dict[str, Any]]:
    lines = (GRAMMARS / f"{name}.samples.ndjson").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def compiled(cl100k: ff.Tokenizer) -> Callable[[str], ff.Grammar]:
    """Each grammar compiled once: texts then also meet caches that other texts have filled."""
    known: dict[str, ff.Grammar] = {}

    def get(name: str) -> ff.Grammar:
        if name not in known:
            path = SOURCES[name]
            known[name] = COMPILERS[end_of(path)](path.read_text(encoding="utf-8"), cl100k)
        return known[name]

    return get


def byte_by_byte(grammar: ff.Grammar, text: bytes, tok: ff.Tokenizer) -> Outcome:
    matcher = grammar.matcher()
    return matcher if all(matcher.accept_bytes(text[i : i + 1]) for i in range(len(text))) else None


def token_by_token(grammar: ff.Grammar, text: bytes, tok: ff.Tokenizer) -> Outcome:
    """The mask and accept_token must agree about each token."""
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, tok.vocab_size)
    for token in tok.encode(text):
        matcher.fill_bitmask(bitmask)
        allowed = bool(bitmask[0, token >> 5] >> (token & 31) & 1)
        assert matcher.accept_token(token) == allowed, (text, token)
        if not allowed:
            return None
    return matcher


def after_rollback(grammar: ff.Grammar, text: bytes, tok: ff.Tokenizer) -> Outcome:
    """Every few tokens all the way back and forth again."""
    matcher, tokens = grammar.matcher(), tok.encode(text)
    for at, token in enumerate(tokens):
        if not matcher.accept_token(token):
            return None
        if at % 5 == 0:
            matcher.rollback(at + 1)
            assert matcher.accept_tokens(tokens[: at + 1]) == at + 1, (text, at)
    return matcher


def forked(grammar: ff.Grammar, text: bytes, tok: ff.Tokenizer) -> Outcome:
    """A fork goes on while the matcher it left goes elsewhere."""
    matcher = grammar.matcher()
    for token in tok.encode(text):
        left, matcher = matcher, matcher.fork()
        if not matcher.accept_token(token):
            return None
        left.accept_bytes(b" 1")
    return matcher


PATHS = {
    "byte by byte": byte_by_byte,
    "token by token": token_by_token,
    "after rollback": after_rollback,
    "forked": forked,
}


def check(name: str, grammar: ff.Grammar, path: Callable[..., Outcome], tok: ff.Tokenizer) -> None:
    for sample in samples(name):
        if "text" in sample:
            matcher = path(grammar, sample["text"].encode(), tok)
            accepted = matcher is not None and matcher.is_accepting()
            assert accepted == sample["valid"], sample


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", SOURCES)
def test_samples(name: str, path: str, compiled: Callable[[str], ff.Grammar], cl100k: ff.Tokenizer) -> None:
    check(name, compiled(name), PATHS[path], cl100k)


@pytest.mark.parametrize("name", SOURCES)
def test_samples_after_a_compiled_file(
    name: str, compiled: Callable[[str], ff.Grammar], cl100k: ff.Tokenizer, tmp_path: Path
) -> None:
    compiled(name).save(tmp_path / "grammar.ffg")
    check(name, ff.load(tmp_path / "grammar.ffg", cl100k), token_by_token, cl100k)


@pytest.mark.parametrize("name", SOURCES)
def test_forced_bytes(name: str, compiled: Callable[[str], ff.Grammar]) -> None:
    for sample in samples(name):
        if "prefix" in sample:
            matcher = compiled(name).matcher()
            prefix = sample["prefix"].encode()
            assert matcher.accept_bytes(prefix) == len(prefix), sample
            assert matcher.forced_bytes() == sample["forced"].encode(), sample


@pytest.mark.parametrize("name", SOURCES)
def test_there_are_ten_samples_of_each_kind(name: str) -> None:
    verdicts = [sample["valid"] for sample in samples(name) if "text" in sample]
    assert verdicts.count(True) >= 10
    assert verdicts.count(False) >= 10


@pytest.mark.parametrize("name", [name for name, path in SOURCES.items() if end_of(path) == ".json"])
def test_samples_of_schemas_agree_with_jsonschema(name: str) -> None:
    validator = pytest.importorskip("jsonschema").Draft202012Validator(json.loads(SOURCES[name].read_text()))
    for sample in samples(name):
        if "text" not in sample:
            continue
        try:
            valid = validator.is_valid(json.loads(sample["text"]))
        except json.JSONDecodeError:
            valid = False
        assert valid == sample["valid"], sample


@pytest.mark.parametrize("name", [name for name, path in SOURCES.items() if end_of(path) == ".lark"])
def test_long_texts_are_sentences(name: str, compiled: Callable[[str], ff.Grammar], cl100k: ff.Tokenizer) -> None:
    lines = (TEXTS / f"{name}.ndjson").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert len(lines) >= 6
    for line in lines:
        text = json.loads(line)["text"].encode()
        # Masks along the longest take seconds.
        path = token_by_token if len(text) < 5000 else byte_by_byte
        matcher = path(compiled(name), text, cl100k)
        assert matcher is not None and matcher.is_accepting(), text


def test_every_file_is_a_grammar_or_its_samples() -> None:
    names = {path.name for path in GRAMMARS.iterdir()} - {"README.md", TEXTS.name}
    assert {path.stem for path in TEXTS.iterdir()} == {
        name for name, path in SOURCES.items() if end_of(path) == ".lark"
    }
    expected = {path.name for path in SOURCES.values()} | {f"{name}.samples.ndjson" for name in SOURCES}
    assert names == expected
