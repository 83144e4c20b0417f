"""`ffgrammar bench` on Lark and GBNF grammars with texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest

import ffgrammar as ff
from ffgrammar_cli.bench.engines import FFGrammar, LanguageEngine
from ffgrammar_cli.bench.language_report import language_report, language_table
from ffgrammar_cli.bench.languages import Language, load_languages, run
from ffgrammar_cli.options import VocabularyName

CL100K = VocabularyName("cl100k_base")
LETTERS = "start: /[ab]/ (/-[ab]/)*"


def _folder(path: Path, grammars: dict[str, str], texts: dict[str, list[Any]]) -> Path:
    (path / "texts").mkdir(parents=True)
    for name, grammar in grammars.items():
        (path / f"{name}.lark").write_text(grammar)
    for name, records in texts.items():
        (path / "texts" / f"{name}.ndjson").write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


class Narrower(FFGrammar):
    """An engine that knows no b."""

    name = "narrower"

    def compile_rules(self, kind: str, grammar: str) -> Any:
        return super().compile_rules(kind, grammar.replace("b", ""))


def _report(*languages: Language) -> dict[str, Any]:
    engines: list[LanguageEngine] = [FFGrammar(CL100K), Narrower(CL100K)]
    return language_report(languages, *run(engines, languages, 60), {"ffgrammar": "1", "narrower": "2"})


def test_masks_are_compared() -> None:
    tokens = len(ff.Tokenizer.from_tiktoken("cl100k_base").encode("a-a-a-a"))
    report = _report(Language("letters.lark", LETTERS, ("a-a-a-a",)), Language("alike.lark", 'start: "x"+', ("xx",)))
    ratio = report["grammars"]["letters.lark"]["ratios"]["ffgrammar/narrower"]
    assert (ratio["grammars"], ratio["masks"], ratio["differing"]) == (1, tokens, tokens)
    first = ratio["examples"][0]
    assert first["after"] == ""
    assert first["only"]["ffgrammar"]["tokens"] > 0 == first["only"]["narrower"]["tokens"]
    assert all("b" in text for text in first["only"]["ffgrammar"]["some"])
    alike = report["grammars"]["alike.lark"]["ratios"]["ffgrammar/narrower"]
    assert alike["differing"] == 0 < alike["masks"]
    every = report["all"]
    assert every["ratios"]["ffgrammar/narrower"]["masks"] == ratio["masks"] + alike["masks"]
    for found in every["engines"].values():
        assert found["tokens"] == ratio["masks"] + alike["masks"]
        assert (found["refused"], found["problems"]) == (0, [])
        assert 0 < found["compile_us"]["avg"] < found["ttfm_us"]["avg"]
        assert 0 < found["tbm_us"]["p50"] <= found["tbm_us"]["p99"] <= found["tbm_us"]["max"]


def test_a_refused_text_is_left_and_counted() -> None:
    # The second text lacks an end, for both engines.
    report = _report(Language("letters.lark", LETTERS, ("a-b-a", "a-", "a")))
    row = report["grammars"]["letters.lark"]
    assert [row["engines"][name]["refused"] for name in ("ffgrammar", "narrower")] == [1, 2]
    assert row["engines"]["narrower"]["tokens"] < row["engines"]["ffgrammar"]["tokens"]
    assert row["ratios"]["ffgrammar/narrower"]["grammars"] == 0


def test_a_refused_grammar_is_named() -> None:
    report = _report(Language("broken.lark", "start: nothing", ("a",)))
    row = report["grammars"]["broken.lark"]
    assert row["engines"]["ffgrammar"]["problems"][0].startswith("refused: GrammarError: ")
    assert row["ratios"]["ffgrammar/narrower"]["masks"] == 0
    assert "    refused: GrammarError: " in "\n".join(language_table(report))


def test_gbnf_is_read_too(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "data", {}, {"list": [{"text": "(a(b))"}]})
    (folder / "list.gbnf").write_text('root ::= "(" [a-z] root? ")"')
    languages = load_languages(folder)
    assert [(language.id, language.kind) for language in languages] == [("list.gbnf", "gbnf")]
    report = _report(*languages)
    assert report["grammars"]["list.gbnf"]["engines"]["ffgrammar"]["refused"] == 0
    assert language_table(report, "GBNF")[0].startswith("1 GBNF grammar: ")


def test_a_folder_is_read(tmp_path: Path) -> None:
    grammars = {"letters": LETTERS, "other": 'start: "o"', "without": 'start: "w"'}
    folder = _folder(tmp_path / "data", grammars, {"letters": [{"text": "a"}, {"text": "b"}], "other": [{"text": "o"}]})
    assert load_languages(folder) == [
        Language("letters.lark", LETTERS, ("a", "b")),
        Language("other.lark", 'start: "o"', ("o",)),
    ]
    assert [language.id for language in load_languages(folder, only="oth")] == ["other.lark"]
    assert [language.id for language in load_languages(folder, limit=1)] == ["letters.lark"]
    assert load_languages(tmp_path / "nowhere") == []
    (folder / "texts" / "other.ndjson").write_text('{"text": "o"}\n{"text": 1}\n')
    with pytest.raises(click.ClickException, match=r"other\.ndjson, line 2"):
        load_languages(folder)
