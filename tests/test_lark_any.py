"""Lark grammars whose terminals may end wherever they match (`lexing="any"`), beside their definition."""

from __future__ import annotations

import random

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
IGNORED = ["/ +/", '" "', "/1[ab]*/", "/ /", "/b+/", '"ab"']


def vocabulary(rng: random.Random) -> ff.Tokenizer:
    tokens = [bytes([byte]) for byte in ALPHABET]
    for _ in range(25):
        tokens.append(bytes(rng.choice(b"aabb1 ") for _ in range(rng.randint(2, 5))))
    tokens = list(dict.fromkeys([*tokens, "é".encode(), "aéa".encode(), "bà".encode()]))
    count = len(tokens)
    names = {name: count + number for number, name in enumerate(("<|end|>", *NAMES))}
    return ff.Tokenizer.from_tokens(tokens + [b""] * 3, eos_token_id=count, special_tokens=names)


def random_lark(rng: random.Random) -> str:
    """A grammar of overlapping terminals, with recursion of every kind."""
    chosen = rng.sample(TERMINALS, rng.randint(1, 4))
    lines = [f"T{number}{flag}: {body}" for number, (flag, body) in enumerate(chosen)]
    rules = ["start", *(f"r{number}" for number in range(rng.randint(0, 3)))]
    extra = list(NAMES) if rng.random() < 0.15 else []

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
    """Walk through one random grammar, and compare each mask. Returns how many masks were compared."""
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
