"""Captures of rules and of JSON values: what they are, while the text grows, and after steps are taken back."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

import ffgrammar as ff

CALCULATOR = r"""
start: line+
line: name "=" sum ";"
sum: sum "+" term | term
term: NUMBER | name | "(" sum ")"
name: NAME
NAME: /[a-z]+/
NUMBER: /[0-9]+/
%ignore /[ \n]+/
"""
SCHEMA = {
    "type": "object",
    "properties": {"a/b": {"type": "array", "items": {"type": "number"}}, "~": {"type": "string"}},
    "required": ["a/b", "~"],
    "additionalProperties": False,
}
DOCUMENT = '{"a/b": [12, 3], "~": "h\\"i"}'


@pytest.fixture(scope="module")
def tok() -> ff.Tokenizer:
    return ff.Tokenizer.from_tiktoken("cl100k_base")


def short(captures: list[ff.Capture]) -> list[tuple[str, int, int | None]]:
    return [(one.name, one.start, one.end) for one in captures]


def read(matcher: ff.Matcher, text: str) -> None:
    assert matcher.accept_bytes(text.encode()) == len(text.encode())


def test_rules(tok: ff.Tokenizer) -> None:
    matcher = ff.compile_lark(CALCULATOR, tok).matcher()
    assert matcher.captures() == []
    read(matcher, " ")
    assert matcher.captures() == []
    read(matcher, "ab")
    assert short(matcher.captures()) == [("start", 1, None), ("line", 1, None), ("name", 1, None)]
    assert matcher.captures(["name"]) == [ff.Capture("name", 1, None, b"ab")]
    read(matcher, " = 1 + x ")
    sums = [("sum", 6, None), ("sum", 6, 11), ("sum", 6, 7)]
    assert short(matcher.captures(["name", "sum"])) == [("name", 1, 3), *sums, ("name", 10, 11)]
    read(matcher, ";")
    assert short(matcher.captures(["line", "start"])) == [("start", 1, None), ("line", 1, 13)]
    assert matcher.accept_token(tok.eos_token_ids[0])
    assert short(matcher.captures(["line", "start"])) == [("start", 1, 13), ("line", 1, 13)]


def test_values(tok: ff.Tokenizer) -> None:
    matcher = ff.compile_json_schema(SCHEMA, tok).matcher()
    read(matcher, DOCUMENT[:9])
    assert short(matcher.captures()) == [("", 0, None), ("/a~1b", 8, None)]
    read(matcher, DOCUMENT[9:11])
    assert matcher.captures(["/a~1b/*"]) == [ff.Capture("/a~1b/0", 9, None, b"12")]
    read(matcher, DOCUMENT[11:])
    assert [(one.name, json.loads(one.text)) for one in matcher.captures()] == [
        ("", {"a/b": [12, 3], "~": 'h"i'}),
        ("/a~1b", [12, 3]),
        ("/a~1b/0", 12),
        ("/a~1b/1", 3),
        ("/~0", 'h"i'),
    ]
    assert all(one.end is not None for one in matcher.captures())


def test_a_number_is_closed_by_the_end_of_the_text(tok: ff.Tokenizer) -> None:
    matcher = ff.compile_json_schema({"type": "integer"}, tok).matcher()
    read(matcher, "12")
    assert short(matcher.captures()) == [("", 0, None)]
    assert matcher.accept_token(tok.eos_token_ids[0])
    assert short(matcher.captures()) == [("", 0, 2)]


def test_events(tok: ff.Tokenizer) -> None:
    matcher = ff.compile_lark(CALCULATOR, tok).matcher()

    def events() -> list[tuple[str, str, int, int | None]]:
        return [
            (one.kind, one.capture.name, one.capture.start, one.capture.end)
            for one in matcher.capture_events(["name", "line"])
        ]

    read(matcher, "a")
    assert events() == [("opened", "line", 0, None), ("opened", "name", 0, None)]
    read(matcher, "b")
    assert events() == []
    read(matcher, "=")
    assert events() == [("closed", "name", 0, 2)]
    fork = matcher.fork()
    matcher.rollback(1)
    assert events() == [("withdrawn", "name", 0, 2), ("opened", "name", 0, None)]
    matcher.reset()
    assert events() == [("withdrawn", "name", 0, None), ("withdrawn", "line", 0, None)]
    assert fork.capture_events(["name", "line"]) == []
    read(fork, "1;")
    assert short([one.capture for one in fork.capture_events(["line", "name"])]) == [("line", 0, 5)]


def test_other_bytes_at_the_same_place_are_another_capture(tok: ff.Tokenizer) -> None:
    matcher = ff.compile_lark(CALCULATOR, tok).matcher()
    read(matcher, "a=")
    assert [one.capture.text for one in matcher.capture_events(["name"]) if one.kind == "closed"] == [b"a"]
    matcher.rollback(1)
    read(matcher, "b=")
    events = [(one.kind, one.capture.text) for one in matcher.capture_events(["name"])]
    assert events == [("withdrawn", b"a"), ("opened", b"b"), ("closed", b"b")]


@pytest.mark.parametrize("kind", ["lark", "json-schema"])
def test_events_lead_to_the_captures(tok: ff.Tokenizer, kind: str) -> None:
    """Replayed on a list, events give what `captures` gives, also when steps are taken back."""
    random = Random(kind)
    grammar = ff.compile_lark(CALCULATOR, tok) if kind == "lark" else ff.compile_json_schema({}, tok)
    text = "a = 1 + (b + 22);\ncd = x;" if kind == "lark" else '[{"a": [1, 2.5, {}], "b": "c\\u00e9"}, true, null]'
    matcher = grammar.matcher()
    seen: list[tuple[str, int, int | None]] = []
    for _ in range(300):
        at = len(matcher.text_bytes)
        if matcher.num_steps and (at == len(text) or random.random() < 0.3):
            matcher.rollback(random.randint(1, matcher.num_steps))
        else:
            read(matcher, text[at : at + random.randint(1, 6)])
        for event in matcher.capture_events():
            one = (event.capture.name, event.capture.start, event.capture.end)
            if event.kind == "opened":
                seen.append((*one[:2], None))
            else:
                seen.remove(one if event.kind == "withdrawn" else (*one[:2], None))
                seen += [one] if event.kind == "closed" else []
        fresh = grammar.matcher()
        read(fresh, matcher.text_bytes.decode())
        assert fresh.captures() == matcher.captures()
        assert sorted(seen, key=str) == sorted(short(matcher.captures()), key=str)


def test_names(tok: ff.Tokenizer) -> None:
    rules = ff.compile_lark(CALCULATOR, tok).matcher()
    with pytest.raises(ff.MatcherError, match=r"no rule 'foo'; the rules are line, name, start, sum, term$"):
        rules.captures(["line", "foo"])
    with pytest.raises(TypeError):
        rules.captures("line")
    with pytest.raises(ff.MatcherError, match="only a Lark grammar without schemas"):
        ff.compile_regex("a+", tok).matcher().captures(["start"])
    assert ff.compile_regex("a+", tok).matcher().captures() == []
    values = ff.compile_json_schema(SCHEMA, tok).matcher()
    for name in ("a", "/~", "/~2"):
        with pytest.raises(ff.MatcherError, match="not a JSON pointer"):
            values.captures([name])


def test_helpers_are_no_captures(tok: ff.Tokenizer) -> None:
    """Nonterminals that a front-end makes for repeats and groups carry the names of rules, but are none."""
    text = 'start: (word | "(" word ")")~2..3 other?\nword: /[a-z]/\nother: ("!" "?")+'
    matcher = ff.compile_lark(text, tok).matcher()
    read(matcher, "a(b)!?!?")
    assert matcher.accept_token(tok.eos_token_ids[0])
    assert short(matcher.captures()) == [("start", 0, 8), ("word", 0, 1), ("word", 2, 3), ("other", 4, 8)]


def test_compiled_files(tok: ff.Tokenizer, tmp_path: Path) -> None:
    grammar = ff.compile_lark(CALCULATOR, tok)
    grammar.save(tmp_path / "grammar")
    matchers = [one.matcher() for one in (grammar, ff.load(tmp_path / "grammar", tok))]
    for matcher in matchers:
        read(matcher, "a = (1 + b); c")
    assert matchers[0].captures() == matchers[1].captures() != []


def test_prompts_and_canonical_tokens(tok: ff.Tokenizer) -> None:
    """Offsets count from the start of the text, not of the prompt."""
    matcher = ff.compile_json_schema(SCHEMA, tok).matcher(canonical=True, prompt="The document is: ")
    ids = tok.encode("The document is: " + DOCUMENT)
    assert matcher.accept_tokens(ids[len(matcher.prompt_tokens) :]) == len(ids) - len(matcher.prompt_tokens)
    assert matcher.text_bytes == DOCUMENT.encode()
    assert matcher.captures(["/~0"]) == [ff.Capture("/~0", 22, 28, b'"h\\"i"')]


def test_drafts_move_nothing(tok: ff.Tokenizer) -> None:
    matcher = ff.compile_lark(CALCULATOR, tok).matcher()
    read(matcher, "a =")
    before = matcher.captures()
    matcher.fill_draft_bitmasks(tok.encode(" 1;"), ff.allocate_bitmask(4, tok.vocab_size))
    assert matcher.validate_tokens(tok.encode(" 1;")) == len(tok.encode(" 1;"))
    assert matcher.captures() == before and matcher.capture_events(["name"]) != []


def test_long_texts(tok: ff.Tokenizer) -> None:
    """Neither deep nesting nor long lists need recursion."""
    matcher = ff.compile_lark(CALCULATOR, tok).matcher()
    read(matcher, "a = " + "(" * 2000 + "1" + ")" * 2000 + ";" + "b = 1;" * 2000)
    assert matcher.accept_token(tok.eos_token_ids[0])
    assert len(matcher.captures(["line"])) == 2001
    assert len(matcher.captures(["sum"])) == 4001
