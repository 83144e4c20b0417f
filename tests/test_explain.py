"""Explanations of places in texts, against what the matcher itself allows."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_emit import TOY, built

import ffgrammar as ff
from oracle.grammars import ALPHABET, Description, descriptions
from oracle.schemas import schemas, spelled, values

SUM = 'start: line+\nline: NAME "=" sum "\\n"\nsum: sum "+" NAME | NAME\nNAME: /[a-z]+/\n%ignore " "'


@pytest.fixture(scope="module")
def tok(cl100k: ff.Tokenizer) -> ff.Tokenizer:
    return cl100k


def allowed_bytes(matcher: ff.Matcher) -> bytes:
    found = bytearray()
    for byte in range(256):
        if matcher.accept_bytes(bytes([byte])):
            found.append(byte)
            matcher.rollback(1)
    return bytes(found)


def at(grammar: ff.Grammar, text: bytes) -> ff.Matcher:
    matcher = grammar.matcher()
    assert matcher.accept_bytes(text) == len(text)
    return matcher


def assert_agrees(matcher: ff.Matcher) -> None:
    """An explanation says what the matcher does, and does not move it."""
    before = matcher.text_bytes
    found = matcher.explain()
    assert matcher.text_bytes == found.text == before
    assert found.next_bytes == allowed_bytes(matcher)
    assert found.may_end == matcher.is_accepting()
    assert found.refusal is None
    for byte in ALPHABET:
        data = bytes([byte])
        after = matcher.explain(data)
        assert (after.refusal is None) == (byte in found.next_bytes), (before, data)
        if after.refusal is None:
            assert after.text == before + data
        else:
            assert after.text == before and after.refusal.byte == byte and after.refusal.offset == len(before)
    for one in found.reading:
        assert one.start is None or before[one.start :] == one.text != b""
    if found.reading:
        # (what is read may end, or goes on: its pattern is not for the empty text only)
        assert all(one.may_end or one.needs != '""' for one in found.reading)
    assert str(found) and json.dumps(found.as_json())


@given(descriptions(), st.lists(st.integers(0, 1 << 16), max_size=6))
@settings(max_examples=60)
def test_random_grammars(description: Description, choices: list[int]) -> None:
    grammar = built(description)
    if grammar is None:
        return
    matcher = grammar.matcher()
    try:
        assert_agrees(matcher)
        for choice in choices:
            allowed = allowed_bytes(matcher)
            if not allowed:
                break
            matcher.accept_bytes(allowed[choice % len(allowed)].to_bytes(1, "big"))
            assert_agrees(matcher)
    except ff.LimitError:
        return


@given(schemas, values, st.integers(0, 40))
@settings(max_examples=60)
def test_random_schemas(schema: Any, value: Any, cut: int) -> None:
    try:
        grammar = ff.compile_json_schema(schema, TOY)
    except (ff.GrammarError, ff.LimitError):
        return
    text = spelled(value)
    matcher = grammar.matcher()
    accepted = matcher.accept_bytes(text)
    if accepted < len(text):
        refusal = grammar.matcher().explain(text).refusal
        assert refusal is not None and refusal.offset == accepted and refusal.byte == text[accepted]
    matcher.reset()
    matcher.accept_bytes(text[: min(cut, accepted)])
    found = matcher.explain()
    assert found.next_bytes == allowed_bytes(matcher) and found.may_end == matcher.is_accepting()
    opened = {one.name for one in matcher.captures() if one.end is None}
    assert {one.name for one in found.open} == opened


def test_rules_lexemes_and_what_they_need(tok: ff.Tokenizer) -> None:
    grammar = ff.compile_lark(SUM, tok)
    found = at(grammar, b"a = b\nxy = z +").explain()
    assert [(one.name, one.start) for one in found.open] == [("start", 0), ("line", 6), ("sum", 11)]
    assert [(one.name, one.start, one.needs, one.may_end) for one in found.reading] == [('"+"', 13, '""', True)]
    assert [(one.name, one.rules, one.skip) for one in found.expected] == [
        ("NAME", ("sum",), False),
        ("%ignore", (), True),
    ]
    assert (found.line, found.column, found.may_end) == (2, 9, False)
    found = at(grammar, b"a = b\nxy = z\n").explain()
    assert [(one.name, one.start, one.end) for one in found.ended] == [("line", 6, 13)]
    assert found.may_end
    found = at(grammar, b"a").explain()
    assert [(one.name, one.start, one.text, one.needs) for one in found.reading] == [("NAME", 0, b"a", "/[a-z]*/")]
    assert [one.pattern for one in found.expected] == ['"="', '" "']


def test_pointers_of_values(tok: ff.Tokenizer) -> None:
    schema = {"type": "object", "properties": {"a/b": {"type": "array", "items": {"enum": ["north", "south"]}}}}
    found = at(ff.compile_json_schema(schema, tok), b'{"a/b": ["south", "no').explain()
    assert [(one.name, one.start) for one in found.open] == [("", 0), ("/a~1b", 8), ("/a~1b/1", 18)]
    assert [(one.start, one.needs) for one in found.reading] == [(18, '"rth\\""')]
    assert "the whole value" in str(found) and 'since byte 18: "\\"no", needs "rth\\""' in str(found)


def test_lexemes_without_names_are_named_by_their_texts(tok: ff.Tokenizer) -> None:
    matcher = ff.compile_json_schema({"type": "object", "required": ["a"]}, tok).matcher()
    assert matcher.accept_bytes(b"{")
    found = matcher.explain(b"?")
    assert found.reading[0].name == '"{"'
    assert found.refusal is not None and 'begins nothing that may follow "{"; expected: ' in found.refusal.message
    matcher = ff.compile_gbnf(f'root ::= "{"many words " * 20}" root | "b"', tok).matcher()
    assert matcher.accept_bytes(b"many")
    [one] = matcher.explain().reading
    assert "many words many" in one.name and one.name.endswith("…") and len(one.name) < 60


def test_a_line_in_no_block_is_explained(tok: ff.Tokenizer) -> None:
    source = (
        'start: statement*\nstatement: NAME _NEWLINE | NAME ":" _NEWLINE _INDENT statement+ _DEDENT\n'
        "NAME: /[a-zª-ԯ]+/\n_NEWLINE: /(\\n *)+/\n%declare _INDENT _DEDENT\n"
        '%indenter {"newline": "_NEWLINE", "indent": "_INDENT", "dedent": "_DEDENT"}'
    )
    found = at(ff.compile_lark(source, tok), b"if:\n  a\n ").explain(b"b")
    assert found.refusal is not None
    assert "unfinished: _NEWLINE to column 0; _NEWLINE to column 2" in found.refusal.message


REFUSED = [
    (SUM, b"a = ", b"+", "follow", "begins nothing that may follow .ignore; expected: NAME"),
    (SUM, b"", b"1", "follow", "begins nothing that may come here; expected: NAME"),
    ('start: "for" "all"', b"fo", b"x", "lexeme", 'does not fit what is being read: "for" needs "r"'),
    ('start: "a"', b"a", b"b", "follow", "the text has to end"),
    ('start: A "y" | A "x" "y"\nA: /x+/', b"xy", b"x", "follow", "the text has to end"),
    ('start: A B "!"\nA: /x+/\nB: /[xy]/', b"", b"xx!", "follow", "expected: B"),
]


@pytest.mark.parametrize(("text", "prefix", "more", "reason", "message"), REFUSED)
def test_reasons(tok: ff.Tokenizer, text: str, prefix: bytes, more: bytes, reason: str, message: str) -> None:
    found = at(ff.compile_lark(text, tok), prefix).explain(more)
    assert found.refusal is not None and found.refusal.reason == reason
    assert re.search(message, found.refusal.message), found.refusal.message
    assert str(found).endswith(f"refused: {found.refusal.message}")


def test_a_dead_end_of_the_lexer(tok: ff.Tokenizer) -> None:
    """The rules allow `xbb`, but B takes every b."""
    found = ff.compile_lark('start: "y" | "x" B "b"\nB: /b+/', tok).matcher().explain(b"x")
    assert found.refusal is not None and found.refusal.reason == "dead end"
    assert "leads to no sentence" in found.refusal.message


def test_values_that_are_compared(tok: ff.Tokenizer) -> None:
    grammar = ff.compile_json_schema({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, tok)
    found = at(grammar, b'["a", "a').explain(b'"]')
    assert found.refusal is not None and found.refusal.reason == "value"
    assert at(grammar, b'["a", "b').explain(b'"]').refusal is None


def test_tokens(tok: ff.Tokenizer) -> None:
    grammar = ff.compile_lark('start: "a" <|fim_suffix|> "bc"', tok)
    suffix, prefix, end = (tok.special_tokens[f"<|{name}|>"] for name in ("fim_suffix", "fim_prefix", "endoftext"))
    matcher = at(grammar, b"a")
    assert [one.pattern for one in matcher.explain().expected] == ["<|fim_suffix|>"]
    assert matcher.explain(token=suffix).refusal is None

    def refusal(matcher: ff.Matcher, token: int) -> Any:
        found = matcher.explain(token=token).refusal
        assert found is not None and found.token == token and found.byte is None
        return found.reason

    assert refusal(matcher, prefix) == "special token"
    assert refusal(matcher, end) == "special token"
    matcher.accept_token(suffix)
    assert matcher.explain().next_bytes == b"b" and matcher.explain().text == b"a"
    (ab,) = tok.encode("bc")
    assert matcher.explain(token=ab).refusal is None
    canonical = ff.compile_lark('start: "hello world"', tok).matcher(canonical=True)
    assert refusal(canonical, tok.encode("h")[0]) == "canonical"
    budget = ff.compile_lark("start: /[a-z]{3,9}/", tok).matcher(max_tokens=1)
    assert refusal(budget, tok.encode("q")[0]) == "budget"
    prompted = ff.compile_lark('start: "llo"', tok).matcher(prompt="he")
    assert refusal(prompted, tok.encode("llo")[0]) == "prompt"
    matcher.accept_bytes(b"bc")
    matcher.accept_token(end)
    assert refusal(matcher, ab) == "ended"
    found = matcher.explain(b"x")
    assert found.refusal is not None and found.refusal.reason == "ended"
    with pytest.raises(ff.TokenizerError):
        matcher.explain(token=10**9)
    with pytest.raises(ValueError, match="bytes or a token"):
        matcher.explain(b"x", token=5)
    with pytest.raises(TypeError):
        matcher.explain("x")  # type: ignore[arg-type]


def test_other_kinds_of_grammars(tok: ff.Tokenizer) -> None:
    parts = ff.compose(ff.sequence(ff.capture("word", ff.compile_regex("[a-z]+", tok)), "!", ff.text()), tok)
    anywhere = ff.compile_lark('start: NAME NAME "."\nNAME: /[a-z]+/', tok, lexing="any")
    for grammar in (parts, anywhere, ff.compile_regex("a+é?", tok), ff.compile_choice(["abc", "abd"], tok)):
        matcher = grammar.matcher()
        matcher.accept_bytes(b"a")
        assert matcher.explain().next_bytes == allowed_bytes(matcher)
        assert matcher.explain(b"\xff").refusal is not None
        assert str(matcher.explain())
    assert [one.name for one in at(parts, b"ab").explain().open] == ["word"]
    assert at(ff.compile_regex("a+é?", tok), b"a\xc3").explain().reading[0].needs == "<bytes: \\xa9>"


def test_long_and_odd_texts(tok: ff.Tokenizer) -> None:
    matcher = at(ff.compile_json_schema({}, tok), json.dumps([{"k": "é\n" * 50}] * 300).encode() + b" ")
    assert len(str(matcher.explain())) < 2000
    odd = at(ff.compile_json_schema({}, tok), '["\u2028\x7f'.encode())
    assert "\u2028" not in str(odd.explain()) and "\x7f" not in str(odd.explain())
    rules = [f'x{i}: "y{i}"' for i in range(400)]
    wide = ff.compile_lark("\n".join(["start: " + " | ".join(f"x{i} x{i}" for i in range(400)), *rules]), tok)
    assert "and 88 more" in str(wide.matcher().explain())


def test_nothing_is_kept_where_it_is_not_asked(tok: ff.Tokenizer) -> None:
    """After rollbacks, in forks, and with caches dropped the explanation is that of the text."""
    grammar = ff.compile_lark(SUM, tok, limits=ff.Limits(dfa_states=4, row_bytes=2000))
    matcher = at(grammar, b"a = b + c")
    first = matcher.explain()
    fork = copy.copy(matcher)
    fork.accept_bytes(b"\nd")
    assert fork.explain().line == 2 and matcher.explain() == first
    matcher.accept_bytes(b"c")
    matcher.rollback(1)
    assert matcher.explain() == first
    assert [one.name for one in first.open] == ["start", "line", "sum"]
