"""Lark grammars whose terminals may end wherever they match (`lexing="any"`), beside their definition."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import ffgrammar as ff
from ffgrammar.grammar.lark import build
from ffgrammar.regex.expr.store import ExprStore
from oracle.anywhere import SPECIAL, AnywhereChart, Symbols

ALPHABET = b"ab1 \xc3\xa9\xa0"
NAMES = ("<|x|>", "<|y|>")
# (after its name, its body)
TERMINALS = [
    ("", "/a+/"),
    ("", "/[ab]+/"),
    ("", "/a*b/"),
    ("", "/[ab1]{2,3}/"),
    ("", "/(ab)*/"),
    ("", "/b1?|ab/"),
    ("", "/a[^a]/"),
    ("", "/1+( 1+)*/"),
    ("", "/é+|1/"),
    ("", '/[ab]+/ & ~(/(.|\\n)*/ "bb" /(.|\\n)*/)'),
    ("[lazy]", "/[ab]*b/"),
    ("[lazy]", "/a(ba)?|1a/"),
    ("", '"a"'),
    ("", '"ab" | "b1"'),
]
STRINGS = ['"a"', '"b"', '"ab"', '"1"', '"aa"', '"b1"', '" "', '"à"', "/a?/", "/b+/"]
SCHEMAS = ['%json {"enum": [1, 11, "a"]}', '%json {"type": "integer"}']
IGNORED = ["/ +/", '" "', "/1[ab]*/", "/ /", "/b+/", '"ab"']


def vocabulary(rng: random.Random) -> ff.Tokenizer:
    tokens = [bytes([byte]) for byte in ALPHABET]
    for _ in range(25):
        tokens.append(bytes(rng.choice(b"aabb1 ") for _ in range(rng.randint(2, 5))))
    tokens += ["é".encode(), "aéa".encode(), "bà".encode(), *(bytes([byte]) for byte in range(256))]
    tokens = list(dict.fromkeys(tokens))
    count = len(tokens)
    names = {name: count + number for number, name in enumerate(("<|end|>", *NAMES))}
    return ff.Tokenizer.from_tokens(tokens + [b""] * 3, eos_token_id=count, special_tokens=names)


def random_lark(rng: random.Random) -> str:
    """A grammar of overlapping terminals, with recursion of every kind."""
    chosen = rng.sample(TERMINALS, rng.randint(1, 4))
    lines = [f"T{number}{flag}: {body}" for number, (flag, body) in enumerate(chosen)]
    rules = ["start", *(f"r{number}" for number in range(rng.randint(0, 3)))]
    extra = list(NAMES) if rng.random() < 0.15 else []
    if rng.random() < 0.15:
        extra += SCHEMAS

    def atom(depth: int) -> str:
        kind = rng.random()
        if kind < 0.45:
            found = f"T{rng.randrange(len(chosen))}"
        elif kind < 0.6:
            found = rng.choice(STRINGS + extra)
        elif kind < 0.9 or depth == 0:
            found = rng.choice(rules)
        else:
            found = f"({body(depth - 1)})"
        return found + rng.choice(["", "", "", "", "?", "*", "+", "~2"])

    def body(depth: int) -> str:
        ways = [" ".join(atom(depth) for _ in range(rng.randint(0, 3))) for _ in range(rng.randint(1, 3))]
        return " | ".join(ways)

    lines += [f"{name}: {body(1)}" for name in rules]
    if rng.random() < 0.5:
        lines += [f"%ignore {one}" for one in rng.sample(IGNORED, rng.randint(1, 2))]
    return "\n".join(lines)


def compare(rng: random.Random, steps: int, text: str | None = None) -> int:
    """Walk through one grammar, a random one or the given one, comparing masks. Returns how many were compared."""
    tok = vocabulary(rng)
    source = random_lark(rng) if text is None else text
    try:
        grammar = ff.compile_lark(source, tok, lexing="any")
    except ff.GrammarError as error:
        assert "no text at all" in str(error), source
        return 0
    special = set(tok.special_tokens.values())
    chart = AnywhereChart(build(source, ExprStore(), ff.Limits(), special_tokens=tok.special_tokens))
    matcher = grammar.matcher()
    texts: list[Symbols] = [()]

    def more(token: int) -> Symbols:
        return (token + SPECIAL,) if token in special else tuple(tok.token_bytes(token))

    for step in range(steps):
        here = texts[-1]
        expected = {
            token
            for token in range(tok.vocab_size)
            if token not in tok.eos_token_ids and chart.begins(here + more(token))
        }
        if chart.accepts(here):
            expected |= set(tok.eos_token_ids)
        allowed = set(matcher.allowed_token_ids().tolist())
        assert allowed == expected, (source, here, allowed ^ expected)
        assert matcher.is_accepting() == chart.accepts(here), (source, here)
        choices = sorted(allowed - set(tok.eos_token_ids))
        kind = rng.random()
        if kind < 0.2 and len(texts) > 1:
            count = rng.randint(1, len(texts) - 1)
            matcher.rollback(count)
            del texts[len(texts) - count :]
        elif not choices:
            return step + 1
        elif kind < 0.35:
            # a draft: some of it is accepted, and then taken back
            draft = [rng.randrange(tok.vocab_size) for _ in range(3)]
            draft[0] = rng.choice(choices)
            count = matcher.validate_tokens(draft)
            assert matcher.accept_tokens(draft[:count]) == count
            at = here
            for token in draft[:count]:
                if token not in tok.eos_token_ids:
                    at += more(token)
            assert chart.begins(at), (source, here, draft)
            matcher.rollback(count)
        else:
            token = rng.choice(choices)
            if rng.random() < 0.2:
                matcher = matcher.fork()
            assert matcher.accept_token(token)
            texts.append(here + more(token))
        if len(texts[-1]) > 14:
            matcher.reset()
            texts = [()]
    return steps


@pytest.mark.parametrize("seed", range(150))
def test_masks_are_those_of_the_definition(seed: int) -> None:
    compare(random.Random(seed), 6)


@pytest.mark.parametrize(
    ("text", "longest", "some"),
    [
        ('start: A "b"\nA: /a+/', True, False),  # nothing that follows A begins with an a
        ("start: A B\nA: /a+b?/\nB: /b+/", False, True),
        ('start: (A | B) "1"\nA: "a"\nB: "ab"', True, False),  # no b follows A
        ('start: (A | B) "b"?\nA: "a"\nB: "ab"', False, True),  # A and B clash, though neither does so alone
        ('start: A+\nA: "a"\n%ignore / +/', True, False),  # runs of skips are one lexeme
        ('start: A+\nA: "a"\n%ignore / +/\n%ignore /1[a ]*/', False, True),  # what is skipped may take an a
        ('start: T | "aa"\nT[lazy]: /a+/', False, True),
    ],
)
def test_longest_match_is_used_where_nothing_clashes(text: str, longest: bool, some: bool) -> None:
    tok = vocabulary(random.Random(0))
    grammar = ff.compile_lark(text, tok, lexing="any")
    assert all(not lexeme.group for lexeme in grammar._ir.lexemes) == longest
    assert any(lexeme.group for lexeme in grammar._ir.lexemes) == some
    for seed in range(5):
        compare(random.Random(seed), 8, text)


def test_a_text_that_longest_match_loses(cl100k: ff.Tokenizer) -> None:
    text = 'start: NAME "in" NAME\nNAME: /[a-z]+/\n%ignore " "'
    longest = ff.compile_lark(text, cl100k).matcher()
    anywhere = ff.compile_lark(text, cl100k, lexing="any").matcher()
    assert (longest.accept_bytes(b"xiny"), longest.is_accepting()) == (4, False)
    assert (anywhere.accept_bytes(b"xiny"), anywhere.is_accepting()) == (4, True)
    assert ff.compile_lark('start: A "x"\nA: /x+/', cl100k, lexing="any").matcher().accept_bytes(b"xx") == 2


def test_compiled_files(cl100k: ff.Tokenizer, tmp_path: Path) -> None:
    for text in ('start: A "x"\nA: /x+/\n%ignore " "', 'start: A "y"\nA: /x+/\n%ignore " "'):
        grammar = ff.compile_lark(text, cl100k, lexing="any")
        grammar.save(tmp_path / "g.ffg")
        again = ff.load(tmp_path / "g.ffg", cl100k)
        for prefix in (b"", b"x", b"xx", b" x "):
            matchers = [one.matcher() for one in (grammar, again)]
            assert [one.accept_bytes(prefix) for one in matchers] == [len(prefix)] * 2
            assert matchers[0].allowed_token_ids().tolist() == matchers[1].allowed_token_ids().tolist()


def test_there_are_two_lexing_rules(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.GrammarError, match="lexing"):
        ff.compile_lark('start: "a"', cl100k, lexing="shortest")
    with pytest.raises(TypeError, match="lexing"):
        ff.compile_lark('start: "a"', cl100k, lexing=1)  # type: ignore[arg-type]
