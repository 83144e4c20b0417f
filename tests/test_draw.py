"""Pictures and pieces of pages: well-formed, without scripts, and safe with any text; in notebooks and in reports."""

from __future__ import annotations

import base64
import html
import json
import pickle
import re
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar import lm
from ffgrammar.draw import Chip, Html, TreeLine, curves, fragment, page, picture, table, token_strip, tree, visible

SCRIPT = "<script>alert(1)</script>\"'&"
ALLOWED = {
    "div", "style", "p", "span", "table", "thead", "tbody", "tr", "th", "td", "img",
    "html", "head", "meta", "title", "body", "main", "h1", "pre",
}  # fmt: skip
EMPTY = {"img", "meta"}


class _Checked(HTMLParser):
    """Fails at tags that are not closed or not known, and at attributes that could run something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert {name for name, _ in attrs} <= {
            "class", "title", "scope", "alt", "src", "charset", "name", "content", "http-equiv", "lang",
        }  # fmt: skip
        assert all(value is not None and (name != "src" or value.startswith("data:image/")) for name, value in attrs)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def checked(text: str) -> str:
    """The text of a document or fragment, which is checked."""
    parser = _Checked()
    parser.feed(text)
    parser.close()
    assert not parser.open
    return parser.text


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_shown_as_text(one: str, other: str) -> None:
    shown = checked(page(one, token_strip([Chip(one, "forced", other)]), table([one], [(other, 1, 2.5)]), other))
    for text in (one, other):
        assert html.unescape(html.escape(text)).replace("\r", "") in shown.replace("\r", "") or "\r" in text


@given(st.binary(max_size=20))
def test_everything_can_be_seen(data: bytes) -> None:
    shown = visible(data)
    assert shown.isprintable() and " " not in shown
    assert (shown == "") == (data == b"")


def test_pictures_are_xml_and_have_no_scripts() -> None:
    drawn = [
        curves({SCRIPT: [(1, 0.0), (10.0, 2.0)], "b": [(3, 1)], "none": []}, SCRIPT, SCRIPT, "y"),
        tree([TreeLine(1, SCRIPT, "1"), TreeLine(2, "b"), TreeLine(3, "c"), TreeLine(1, "d", SCRIPT)]),
        tree([]),
    ]
    for text in drawn:
        root = ET.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert not [one for one in root.iter() if one.tag.endswith(("script", "foreignObject"))]
    for wrong in ({}, {"a": []}, {"a": [(0.0, 1.0)]}):
        with pytest.raises(ValueError, match="curves"):
            curves(wrong, "", "", "")


def test_html_is_not_escaped_twice() -> None:
    assert token_strip([Chip("a")]) in fragment(token_strip([Chip("a")]), Html("<p>b</p>"))
    assert "&lt;p&gt;" in fragment("<p>")
    assert checked(fragment(picture("<svg/>", SCRIPT))).strip().startswith(".ffg")


# ---- notebooks


def _svg(text: str) -> str:
    (data,) = re.findall(r"base64,([^\"]+)\"", text)
    return base64.b64decode(data).decode()


def test_a_grammar_in_a_notebook(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema({"properties": {SCRIPT: True}}, cl100k)
    shown = grammar._repr_html_()
    checked(shown)
    assert _svg(shown) == grammar._repr_svg_() == grammar.emit("svg")


def test_a_matcher_and_an_explanation_in_a_notebook(cl100k: ff.Tokenizer) -> None:
    matcher = ff.compile_lark('start: "a" b\nb: /[0-9]+/ "<b>"', cl100k).matcher()
    matcher.accept_bytes(b"a1")
    shown = checked(matcher._repr_html_())
    assert "byte 2, line 1, column 3; the text may not end here" in shown and "needs" in shown
    assert "refused: " in checked(matcher.explain(b"<script>")._repr_html_())


def test_a_report_in_a_notebook(cl100k: ff.Tokenizer) -> None:
    letters = [cl100k.encode(one)[0] for one in "hello"]
    report = ff.is_canonical(cl100k, letters)
    shown = report._repr_html_()
    assert "canonical: no; they differ from token 0 on" in checked(shown)
    assert shown.count('class="token strange"') == 5 and ">hello<" in shown
    again = pickle.loads(pickle.dumps(report))
    assert again == report and f">{letters[0]}<" in again._repr_html_()
    assert "canonical: yes" in ff.is_canonical(cl100k, cl100k.encode("hello"))._repr_html_()
    tracker = ff.CanonicalityTracker(cl100k)
    tracker.extend(letters)
    assert ">h<" in tracker.report()._repr_html_()


def test_coverings_in_a_notebook(cl100k: ff.Tokenizer) -> None:
    found = cl100k.coverings("hello wor")
    assert isinstance(found, list) and found[0].count
    shown = checked(found._repr_html_())  # type: ignore[attr-defined]
    assert f"{len(found)} coverings" in shown and "\u00b7wor" in shown


def test_a_trace_in_a_notebook(cl100k: ff.Tokenizer) -> None:
    def log_probs(sequences: list[list[int]]) -> Any:
        return np.full((len(sequences), cl100k.vocab_size), -np.log(cl100k.vocab_size))

    trace = lm.Trace()
    state = lm.Model.of(log_probs, cl100k).state("Hi ", seed=1) + lm.gen("text", regex="[a-c]{3}<")
    list(state.stream(trace))
    shown = checked(trace._repr_html_())
    assert "prompt" in shown and "forced" in shown
    assert len(trace) > 1 and trace.tokenizer is cl100k


# ---- reports of the command line


def _run(env: dict[str, str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["ffgrammar", *arguments], env=env, cwd=folder, capture_output=True, text=True, timeout=60)


def test_reports_as_pages(tmp_path: Path, shell_env: dict[str, str]) -> None:
    (tmp_path / "g.regex").write_text("[a-z<>/]+")
    (tmp_path / "right.txt").write_text("abc")
    (tmp_path / "wrong.txt").write_text("<script>1")
    found = _run(shell_env, tmp_path, "check", "71", "68", "75", "75", "78", "--html", "check.html")
    assert found.returncode == 1, found.stderr
    assert "not canonical" in (tmp_path / "check.html").read_text()
    checked((tmp_path / "check.html").read_text())
    found = _run(shell_env, tmp_path, "check", "g.regex", "--text", "ab1", "--html", "check.html")
    shown = (tmp_path / "check.html").read_text()
    assert found.returncode == 1 and 'class="token rejected"' in shown and "\x1b" not in checked(shown)
    found = _run(shell_env, tmp_path, "validate", "g.regex", "right.txt", "wrong.txt", "--html", "validate.html")
    shown = checked((tmp_path / "validate.html").read_text())
    assert found.returncode == 1 and "accepted" in shown and "rejected at byte 8" in shown and "<script>" in shown
    found = _run(shell_env, tmp_path, "explain", "g.regex", "--prefix", "ab", "--next", "<1", "--html", "explain.html")
    assert found.returncode == 1 and "refused: " in checked((tmp_path / "explain.html").read_text())
    for command in (["check", "--ndjson"], ["validate", "g.regex", "--ndjson"]):
        refused = _run(shell_env, tmp_path, *command, "--html", "no.html")
        assert refused.returncode == 2 and not (tmp_path / "no.html").exists()


def test_a_bench_as_a_page(tmp_path: Path, shell_env: dict[str, str]) -> None:
    line = {"id": "x", "schema": {"type": "number"}, "tests": [{"data": 1.5, "valid": True}]}
    (tmp_path / "data.jsonl").write_text(json.dumps(line) + "\n")
    options = ["--engines", "ffgrammar", "--no-memory", "--html", "bench.html"]
    found = _run(shell_env, tmp_path, "bench", "data.jsonl", *options)
    assert found.returncode == 0, found.stderr
    shown = (tmp_path / "bench.html").read_text()
    assert "TBM" in checked(shown) and "share of masks" in _svg(shown)
