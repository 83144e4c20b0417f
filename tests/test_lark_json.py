"""Schemas inside Lark rules (`%json {...}`), beside their definition on every short text."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

import ffgrammar as ff

LETTERS = b"12t z"
LONGEST = 6
SCHEMA = '%json {"enum": [1, 12, 121]}'
VALUES = (b"121", b"12", b"1")
WORD = re.compile(rb"1?t+z?")


def after_spaces(text: bytes, at: int) -> int:
    return len(text) - len(text[at:].lstrip(b" "))


def value_end(text: bytes, at: int) -> list[int]:
    """Where a value that begins at an offset may end: the longest value, without and with the spaces around it."""
    at = after_spaces(text, at)
    for value in VALUES:
        if text.startswith(value, at):
            end = at + len(value)
            return [end, after_spaces(text, end)]
    return []


def word_end(text: bytes, at: int) -> list[int]:
    found = WORD.match(text, at)
    return [] if found is None else [found.end()]


def ends(text: bytes, items: str, skips: bool) -> bool:
    """Whether a text is a row of items: `w` is a word, `j` is a value, `*` any number of both. If `skips`, any
    number of z may stand before and after each item."""

    def after_skips(places: set[int]) -> set[int]:
        found = set(places)
        for place in places:
            while skips and text.startswith(b"z", place):
                place += 1
                found.add(place)
        return found

    places = after_skips({0})
    for item in items.rstrip("*"):
        step = word_end if item == "w" else value_end
        places = after_skips({end for place in places for end in step(text, place)})
    if items.endswith("*"):
        reached = set(places)
        while places:
            found = {end for at in places for step in (word_end, value_end) for end in step(text, at)}
            places = after_skips(found) - reached
            reached |= places
        places = reached
    return len(text) in places


GRAMMARS = {
    "wj": f"start: W {SCHEMA}",
    "jw": f"start: {SCHEMA} W",
    "jj": f"start: v v\nv: {SCHEMA}",
    "wjw": f"start: W {SCHEMA} W",
    "*": f"start: (W | {SCHEMA})*",
    "j*": f"start: {SCHEMA} rest\nrest: | rest W | rest {SCHEMA}",
}


@pytest.mark.parametrize("skips", [False, True], ids=["plain", "ignore"])
@pytest.mark.parametrize("items", GRAMMARS)
def test_every_short_text(items: str, skips: bool, cl100k: Any) -> None:
    # (a word takes a z that follows it, because it takes as much as it can; a z that is skipped comes after)
    lark = GRAMMARS[items] + "\nW: /1?t+z?/" + ("\n%ignore /z/" if skips else "")
    grammar = ff.compile_lark(lark, cl100k)
    beginnings: set[bytes] = set()
    for length in range(LONGEST + 1):
        for letters in itertools.product(LETTERS, repeat=length):
            text = bytes(letters)
            expected = ends(text, items, skips)
            matcher = grammar.matcher()
            accepted = matcher.accept_bytes(text) == length and matcher.is_accepting()
            assert accepted == expected, text
            if expected:
                beginnings.update(text[:end] for end in range(length + 1))
    assert len(beginnings) > 20
    # what a text can begin with: nothing that leads nowhere is accepted
    for length in range(LONGEST - 2):
        for letters in itertools.product(LETTERS, repeat=length):
            text = bytes(letters)
            taken = grammar.matcher().accept_bytes(text)
            if taken == length and text not in beginnings:
                longer = [text + bytes(more) for n in range(1, 8) for more in itertools.product(b"1t", repeat=n)]
                assert any(ends(one, items, skips) for one in longer), text
            assert taken == length or text not in beginnings, text


def test_what_is_ignored_is_not_ignored_inside_a_value(cl100k: Any) -> None:
    lark = r"""
    start: "call" NAME %json {
        "type": "object",
        "properties": {"a{": {"type": "integer"}, "b": {"type": "string"}},
        "required": ["a{"],
        "additionalProperties": false
    } ";"
    NAME: /[a-z]+/
    %ignore /[ \t\n]+/
    %ignore /#[^\n]*\n/
    """
    grammar = ff.compile_lark(lark, cl100k)

    def accepts(text: str) -> bool:
        whole = grammar.matcher()
        tokens = cl100k.encode(text)
        accepted = whole.accept_tokens(tokens) == len(tokens) and whole.is_accepting()
        again = grammar.matcher()
        data = text.encode()
        assert accepted == (again.accept_bytes(data) == len(data) and again.is_accepting())
        return accepted

    for text in (
        'call f {"a{": 1};',
        ' callf{"a{":1,\n"b": "#"} #}\n;  ',
        'call f #x\n#y\n{"a{":1 } ; #z\n',
    ):
        assert accepts(text), text
    for text in ('call f {"a{" #x\n:1};', 'call f {"a{": 1}', 'call {"a{": 1};', 'call f {"b": ""};'):
        assert not accepts(text), text


def test_masks_are_those_of_a_composition(cl100k: Any) -> None:
    # (where a piece of one part could go on as the next part, a composition has more texts: a piece ends anywhere)
    schema = '{"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}'
    whole = ff.compile_lark(f'start: "say" %json {schema} "end"', cl100k)
    part = ff.compile_json_schema(schema, cl100k)
    parts = ff.compose(ff.sequence("say", part, "end"), cl100k)
    one, other = whole.matcher(), parts.matcher()
    for token in cl100k.encode('say {"n": 12, "s": "a b"} end'):
        assert list(one.allowed_token_ids()) == list(other.allowed_token_ids())
        assert one.accept_token(token) and other.accept_token(token)
    assert one.is_accepting()


def test_round_trip_through_a_file(cl100k: Any, tmp_path: Any) -> None:
    grammar = ff.compile_lark('start: %json {"type": "integer"} "x"\n%ignore "y"', cl100k)
    grammar.save(tmp_path / "g.ffg")
    loaded = ff.load(tmp_path / "g.ffg", cl100k)
    for text in (b"12x", b"y1yx", b"1 xy", b"1y2x"):
        masks = []
        for one in (grammar, loaded):
            matcher = one.matcher()
            taken = matcher.accept_bytes(text)
            masks.append((taken, list(matcher.allowed_token_ids())))
        assert masks[0] == masks[1]


def test_a_limit_names_the_place(cl100k: Any) -> None:
    deep = '{"items": ' * 20 + "{}" + "}" * 20
    with pytest.raises(ff.LimitError, match="line 2, column 10"):
        ff.compile_lark(f"start: v\nv: %json {deep}", cl100k, limits=ff.Limits(nesting=10))


def test_rules_are_no_captures(cl100k: Any) -> None:
    matcher = ff.compile_lark('start: v\nv: %json {"type": "integer"}', cl100k).matcher()
    with pytest.raises(ff.MatcherError, match="only a Lark grammar without schemas"):
        matcher.captures(["v"])


def test_distinct_items_of_an_enum(cl100k: Any) -> None:
    schema = '{"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": true}'
    grammar = ff.compile_lark(f'start: "x"? %json {schema}', cl100k)
    assert grammar.matcher().accept_bytes(b"x[1, 2]") == 7
    assert grammar.matcher().accept_bytes(b"[1, 1]") == 4
    ff.compose(ff.sequence(grammar, "]"), cl100k)
    with pytest.raises(ff.UnsupportedError, match="a Lark grammar with schemas"):
        ff.compose(ff.sequence(grammar, ff.text()), cl100k)


@pytest.mark.parametrize("lexing", ["longest", "any"])
def test_warnings_of_schemas_name_their_place(lexing: str, cl100k: Any) -> None:
    text = 'start: "a" x x\nx: %json {"type": "string", "minLenght": 3}'
    (warning,) = ff.compile_lark(text, cl100k, lexing=lexing).warnings
    assert warning.startswith("line 2, column ") and "at /minLenght: " in warning


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('start: A "y" | %json {"type": "object"}\nA: / +\\{x/\n%ignore /\\s+/', b'  {"a": 1}'),
        ('start: "b" (A | %json {"type": "object"})\nA: / +\\{x/\n%ignore /\\s+/', b'b  {"a": 1}'),
        ('start: "b" %json {"type": "object"}\n%ignore /\\s+/\n%ignore /\\s+\\{\\}#/', b'b  {"a": 1}'),
        ('start: "b" (A | %json {"type": "object"})\nA[lazy]: / +/\n%ignore /\\s+/', b'b  {"a": 1}'),
        ('start: "b" %json {"type": "object"}\n%ignore /\\s+/', b'b \n {"a": 1}'),
    ],
)
def test_white_space_before_a_value_is_not_taken_away(text: str, read: bytes, cl100k: Any) -> None:
    """Terminals and skips may take such white space for themselves, but never from a value."""
    matcher = ff.compile_lark(text, cl100k).matcher()
    assert matcher.accept_bytes(read) == len(read)
    assert matcher.is_accepting()
