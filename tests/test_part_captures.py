"""Captures of compositions: what they are, and random ones beside the enumeration of all readings."""

from __future__ import annotations

import pickle
import random

import pytest

import ffgrammar as ff
from oracle.compositions import SPECIAL, Composition, Symbols
from oracle.part_captures import Readings, TooMany
from oracle.parts import Parts, vocabulary


class Judge:
    """The two programs on one composition."""

    def __init__(self, rng: random.Random) -> None:
        self.tok = vocabulary(rng)
        parts = Parts(rng, self.tok, captured=45)
        self.part = ff.sequence(parts.part(3))
        self.grammar = ff.compose(self.part, self.tok)
        self.oracle = Composition(self.part, parts.grammars)
        self.special = set(self.tok.special_tokens.values()) - set(self.tok.eos_token_ids)

    def check(self, matcher: ff.Matcher) -> bool:
        """Compare the captures of a text. Returns whether it could be compared."""
        ended = matcher.is_terminated()
        text: Symbols = ()
        offsets = [0]
        for token in matcher.tokens()[: -1 if ended else None]:
            assert token is not None
            text += (token + SPECIAL,) if token in self.special else tuple(self.tok.token_bytes(token))
        for symbol in text:
            offsets.append(offsets[-1] + (symbol < SPECIAL))
        try:
            wanted = Readings(self.oracle, text, sorted(self.special)).best(ended)
        except TooMany:
            return False
        expected = [(name, offsets[begin], None if end is None else offsets[end]) for name, begin, end in wanted]
        found = matcher.captures()
        assert [(one.name, one.start, one.end) for one in found] == expected, (text, bytes(matcher.text_bytes))
        assert all(one.text == matcher.text_bytes[one.start : one.end] for one in found)
        return True


def follow(rng: random.Random, steps: int) -> tuple[int, int]:
    """Walk through a random composition, with steps taken back and forks. Returns how many texts were compared, and how
    many had captures."""
    judge = Judge(rng)
    matchers = [judge.grammar.matcher(), pickle.loads(pickle.dumps(judge.grammar)).matcher()]
    compared = captured = 0
    for _ in range(steps):
        number = rng.randrange(len(matchers))
        matcher = matchers[number]
        if rng.random() < 0.25 and matcher.num_steps:
            matcher.rollback(rng.randint(1, matcher.num_steps))
        elif rng.random() < 0.2:
            matchers[number] = matcher.fork()
        elif not matcher.is_terminated() and len(matcher.text_bytes) < 9:
            allowed = matcher.allowed_token_ids().tolist()
            if allowed:
                assert matcher.accept_token(rng.choice(allowed))
        if rng.random() < 0.8 and judge.check(matchers[number]):
            compared += 1
            captured += bool(matchers[number].captures())
    return compared, captured


@pytest.mark.parametrize("seed", range(60))
def test_captures_are_those_of_the_definition(seed: int) -> None:
    follow(random.Random(seed), 14)


@pytest.fixture(scope="module")
def tok() -> ff.Tokenizer:
    return ff.Tokenizer.from_tiktoken("cl100k_base")


Short = tuple[str, int, int | None]


def short(captures: list[ff.Capture]) -> list[Short]:
    return [(one.name, one.start, one.end) for one in captures]


def read(matcher: ff.Matcher, *pieces: str | int) -> list[Short]:
    """Read bytes and special tokens. Returns the captures."""
    for piece in pieces:
        if isinstance(piece, int):
            assert matcher.accept_token(piece)
        else:
            assert matcher.accept_bytes(piece.encode()) == len(piece.encode())
    return short(matcher.captures())


def test_special_tokens_take_no_bytes(tok: ff.Tokenizer) -> None:
    name = "<|fim_prefix|>"
    special = tok.special_tokens[name]
    value = ff.capture("value", ff.compile_json_schema({"type": "integer"}, tok, whitespace="compact"))
    call = ff.capture("call", ff.sequence(ff.capture("begin", ff.special_token(name)), value))
    matcher = ff.compose(ff.sequence(ff.capture("say", ff.text()), ff.repeat(call)), tok).matcher()
    assert read(matcher, "a", special) == [("say", 0, 1), ("call", 1, None), ("begin", 1, 1)]
    assert read(matcher, "12", special)[1:] == [
        *[("call", 1, 3), ("begin", 1, 1), ("value", 1, 3)],
        *[("call", 3, None), ("begin", 3, 3)],
    ]
    matcher.rollback(1)
    assert read(matcher) == [("say", 0, 1), ("call", 1, None), ("begin", 1, 1), ("value", 1, None)]
    assert matcher.accept_token(tok.eos_token_ids[0])
    assert read(matcher) == [("say", 0, 1), ("call", 1, 3), ("begin", 1, 1), ("value", 1, 3)]


def test_a_token_over_a_joint(tok: ff.Tokenizer) -> None:
    matcher = ff.compose(ff.sequence(ff.capture("a", '{"'), ff.capture("b", '":')), tok).matcher()
    assert matcher.accept_token(tok.encode('{"":')[0])
    assert read(matcher)[0] == ("a", 0, 2)
    matcher = ff.compose(ff.sequence(ff.capture("a", "x{"), ff.capture("b", '"')), tok).matcher()
    assert matcher.accept_token(tok.encode("x")[0])
    (token,) = tok.encode('{"')
    assert matcher.accept_token(token)
    assert read(matcher) == [("a", 0, 2), ("b", 2, 3)]


def test_the_first_alternative_and_the_longest_part(tok: ff.Tokenizer) -> None:
    letters = ff.compile_regex("[a-z]+", tok)
    for first, second in (("any", "word"), ("word", "any")):
        parts = {"any": ff.capture("any", letters), "word": ff.capture("word", "ab")}
        matcher = ff.compose(ff.sequence(ff.choice_of(parts[first], parts[second]), ";"), tok).matcher()
        # (the word can have no further letter)
        assert read(matcher, "ab") == [("any", 0, None)]
        assert read(matcher, ";") == [(first, 0, 2)]
    pair = ff.sequence(ff.capture("left", letters), ff.capture("right", ff.compile_regex("[a-z]*", tok)), ";")
    assert read(ff.compose(pair, tok).matcher(), "abc;") == [("left", 0, 3)]
    rounds = ff.repeat(ff.capture("round", ff.compile_regex("a{1,2}", tok)), 2, 3)
    assert read(ff.compose(ff.sequence(rounds, ";"), tok).matcher(), "aaa;") == [("round", 0, 2), ("round", 2, 3)]
    assert read(ff.compose(ff.sequence(rounds, ";"), tok).matcher(), "aa;") == [("round", 0, 1), ("round", 1, 2)]


def test_events(tok: ff.Tokenizer) -> None:
    part = ff.sequence(ff.capture("think", ff.text(until=".")), ff.capture("number", ff.compile_regex("[0-9]+", tok)))
    matcher = ff.compose(part, tok).matcher()

    def events() -> list[tuple[str, str, int, int | None]]:
        return [(one.kind, *short([one.capture])[0]) for one in matcher.capture_events()]

    read(matcher, "so")
    assert events() == [("opened", "think", 0, None)]
    read(matcher, ".1")
    assert events() == [("opened", "number", 3, None), ("closed", "think", 0, 3)]
    matcher = matcher.fork()
    assert events() == []
    matcher.rollback(1)
    assert events() == [
        *[("withdrawn", "number", 3, None), ("withdrawn", "think", 0, 3)],
        ("opened", "think", 0, None),
    ]


def test_schemas_that_rules_of_a_grammar_could_not_parse(tok: ff.Tokenizer) -> None:
    """Those with checks on the text, or with keys in any order."""
    unique = ff.compile_json_schema({"type": "array", "uniqueItems": True}, tok)
    keys = {"a": {"type": "integer"}, "b": {"type": "integer"}}
    anyhow = ff.compile_json_schema({"type": "object", "properties": keys}, tok, property_order="any")
    part = ff.sequence("<", ff.capture("list", unique), ">", ff.capture("object", anyhow), ";")
    matcher = ff.compose(part, tok).matcher()
    assert read(matcher, '<[1, [2], "x"]>{"b": 1, "a": 2};') == [("list", 1, 14), ("object", 15, 31)]
    assert read(ff.compose(part, tok).matcher(), "<[1, [2") == [("list", 1, None)]


def test_names(tok: ff.Tokenizer) -> None:
    part = ff.sequence(ff.capture("one", "a"), ff.capture("two", ff.capture("three", "b")))
    grammar = ff.compose(part, tok)
    matcher = grammar.matcher()
    read(matcher, "ab")
    assert short(matcher.captures(["three", "one"])) == [("one", 0, 1), ("three", 1, 2)]
    assert short(matcher.captures(["two"])) == [("two", 1, 2)]
    assert matcher.captures([]) == []
    with pytest.raises(ff.MatcherError, match="no capture 'four'; the captures are one, three, two"):
        matcher.captures(["four"])
    with pytest.raises(ff.MatcherError, match="no part of the composition has a name"):
        ff.compose("a", tok).matcher().captures(["one"])
    with pytest.raises(ff.GrammarError, match="name"):
        ff.capture("", "a")
    with pytest.raises(TypeError, match="capture: name"):
        ff.capture(1, "a")  # type: ignore[arg-type]
    with pytest.raises(ff.UnsupportedError, match="captures"):
        ff.sequence(pickle.loads(pickle.dumps(grammar)))
    # (a composition that was not loaded is its parts)
    assert read(ff.compose(ff.sequence("-", grammar), tok).matcher(), "-ab")[0] == ("one", 1, 2)


def test_names_change_nothing_else(tok: ff.Tokenizer) -> None:
    words = ff.compile_lark('start: W+\nW: /[a-z]+/\n%ignore " "', tok)

    def composed(name: list[str]) -> ff.Grammar:
        def named(number: int, part: ff.Part | ff.Grammar | str) -> ff.Part | ff.Grammar | str:
            return ff.capture(name[number], part) if name else part

        ways = ff.choice_of(ff.sequence("<a>", named(0, words), "</a>"), ff.sequence("<a>", named(1, words), "</b>"))
        return ff.compose(ff.sequence(named(2, ff.text()), named(3, ff.repeat(ways, 1, 3))), tok)

    plain = composed([])
    expressions = plain.stats()["expressions"]
    for names in (["x"] * 4, ["p", "q", "r", "s"]):
        grammar = composed(names)
        assert grammar._ir.productions == plain._ir.productions
        assert grammar.stats()["expressions"] == expressions
        for one in (grammar, pickle.loads(pickle.dumps(grammar))):
            assert [lexeme.name for lexeme in one._ir.lexemes] == [lexeme.name for lexeme in plain._ir.lexemes]
            mine, theirs = one.matcher(), plain.matcher()
            for byte in b"so <a>a b</b>":
                assert mine.allowed_token_ids().tolist() == theirs.allowed_token_ids().tolist()
                assert mine.accept_bytes(bytes([byte])) == theirs.accept_bytes(bytes([byte])) == 1


def test_deep_and_large_compositions(tok: ff.Tokenizer) -> None:
    part = ff.sequence(ff.capture("a", "a"))
    for _ in range(20_000):
        part = ff.optional(ff.sequence(part, "b"))
    assert read(ff.compose(ff.capture("all", part), tok).matcher(), "abb") == [("all", 0, None), ("a", 0, 1)]
    rounds = ff.repeat(ff.capture("round", ff.choice_of("a", "b")), 1, 1_000)
    matcher = ff.compose(ff.sequence(rounds, "."), tok).matcher()
    assert len(read(matcher, "ab" * 500 + ".")) == 1_000


def test_readings_are_bounded(tok: ff.Tokenizer) -> None:
    part = ff.repeat(ff.capture("piece", ff.text(until=["a", "aa", "ab"])))
    limits = ff.Limits(cache_bytes=1 << 20)
    matcher = ff.compose(ff.sequence(ff.capture("all", part), "!"), tok, limits=limits).matcher()
    assert matcher.accept_bytes(b"ca" * 4_000) == 8_000
    with pytest.raises(ff.LimitError, match="cache_bytes"):
        matcher.captures()
    matcher.rollback(1)
    assert matcher.captures() == []
    assert read(matcher, "ca") == [("all", 0, None), ("piece", 0, 2)]


def test_captures_while_caches_are_dropped(tok: ff.Tokenizer) -> None:
    schema = ff.compile_json_schema({"type": "array", "items": {"type": ["integer", "string"]}}, tok)
    part = ff.sequence(ff.capture("say", ff.text(until=":")), ff.repeat(ff.sequence(ff.capture("list", schema), ";")))
    small = ff.Limits(dfa_states=20, row_bytes=100)
    matchers = [ff.compose(part, tok, limits=limits).matcher() for limits in (small, ff.Limits())]
    for byte in b'so: [1, "a\\n2", 33] ;[];["b", 4]':
        for matcher in matchers:
            assert matcher.accept_bytes(bytes([byte])) == 1
        assert matchers[0].captures() == matchers[1].captures()
    assert len(matchers[0].captures()) == 4
