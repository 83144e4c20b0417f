"""Random rules that say the same in many ways: masks along texts, with forks, beside the recogniser.

The rows of such rules have items from which nothing follows that does not follow from others, and these are dropped.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from test_lark_any import vocabulary

import ffgrammar as ff
from ffgrammar.grammar.lark import build
from ffgrammar.regex.expr.store import ExprStore
from oracle.anywhere import AnywhereChart
from oracle.cfg import Recogniser
from oracle.masks import ByteTree, recogniser_mask

TERMINALS = ['"a"', '"b"', '"ab"', '"1"', '"b1"', "/a+/", "/[ab]/", "/b1?/"]
# Grammars in which links differ in little: in what comes after the next symbol, or in what may be skipped there.
CLOSE = [
    'start: r "b" "1" | "a" r "b" "a"\nr: r "a" | "a"',
    'start: r "1"? "b" | "a" r "1"\nr: r "a" | "a"',
    'start: inside "b" | start "b"\ninside: %lark {\nstart: r "b" | "a" r\nr: r "a" | "a"\n%ignore "1"\n}\n%ignore " "',
]
LIMITS = ff.Limits(row_items=500, emptiness_steps=2000)


def ambiguous_lark(rng: random.Random, skips: tuple[str, ...]) -> str:
    """Rules that use themselves, often several times in one body."""
    rules = ["start", *(f"r{number}" for number in range(rng.randint(0, 3)))]
    terminals = rng.sample(TERMINALS, rng.randint(1, 3))

    def body(rule: str) -> str:
        symbols = []
        for _ in range(rng.randint(1, 4)):
            kind = rng.random()
            symbol = rng.choice(terminals) if kind < 0.4 else rule if kind < 0.75 else rng.choice(rules)
            symbols.append(symbol + rng.choice(["", "", "", "", "", "?", "*", "+"]))
        return " ".join(symbols)

    lines = []
    for rule in rules:
        bodies = [body(rule) for _ in range(rng.randint(1, 3))]
        lines.append(f"{rule}: " + " | ".join([*bodies, rng.choice(terminals)]) + rng.choice(["", "", "", " |"]))
    if rng.random() < 0.5:
        lines.append(f"%ignore {rng.choice(skips)}")
    return "\n".join(lines)


def sources(kind: str, count: int) -> Iterator[tuple[str, random.Random]]:
    for seed in range(count):
        rng = random.Random(seed)
        yield (CLOSE[seed % len(CLOSE)] if kind == "close" else random_source(kind, rng)), rng


def random_source(kind: str, rng: random.Random) -> str:
    source = ambiguous_lark(rng, ('" "',))
    if kind != "inside":
        return source
    inside = ambiguous_lark(rng, ('" "', '"b"', "/ +/"))
    return f"{source}\n%extend start: %lark {{\n{inside}\n}} {rng.choice(TERMINALS)}?"


def random_token(tok: ff.Tokenizer, allowed: set[int], rng: random.Random) -> int:
    """A token that is allowed, and often a short one."""
    usable = sorted(allowed, key=lambda token: (len(tok.token_bytes(token)), token))
    return usable[rng.randrange(min(len(usable), rng.choice([4, 4, 4, 99])))]


@pytest.mark.parametrize(("kind", "count"), [("plain", 40), ("inside", 12), ("close", 15)])
def test_masks_are_those_of_the_recogniser(kind: str, count: int) -> None:
    compared = 0
    for source, rng in sources(kind, count):
        tok = vocabulary(rng)
        try:
            grammar = ff.compile_lark(source, tok, limits=LIMITS)
        except ff.FFGrammarError:
            continue
        recogniser = Recogniser(build(source, ExprStore(), ff.Limits()))
        tree = ByteTree((token, tok.token_bytes(token)) for token in range(tok.vocab_size))
        eos = set(tok.eos_token_ids)
        places = [(grammar.matcher(), recogniser.start)]
        for _ in range(15):
            matcher, state = places[-1]
            reached = recogniser_mask(recogniser, state, tree, eos)
            try:
                mask = set(matcher.allowed_token_ids().tolist())
            except ff.LimitError:
                break  # (some of these grammars are ambiguous beyond measure)
            assert mask <= set(reached), (source, matcher.text_bytes)
            for token in set(reached) - mask:
                completable = recogniser.completable(reached[token], alphabet=b"ab1 ", max_states=100)
                assert completable is not True, (source, matcher.text_bytes, token)
            assert matcher.is_accepting() == recogniser.is_sentence(state)
            compared += 1
            if not mask - eos or (rng.random() < 0.15 and len(places) > 1):
                del places[max(1, len(places) // 2) :]
                continue
            fork, token = matcher.fork(), random_token(tok, mask - eos, rng)
            assert fork.accept_token(token)
            places.append((fork, reached[token]))
    assert compared > 10 * count


def test_masks_of_terminals_that_may_end_anywhere() -> None:
    compared = 0
    for source, rng in sources("any", 40):
        tok = vocabulary(rng)
        grammar = ff.compile_lark(source, tok, lexing="any", limits=LIMITS)
        chart = AnywhereChart(build(source, ExprStore(), ff.Limits()))
        eos = set(tok.eos_token_ids)
        texts = {token: tuple(tok.token_bytes(token)) for token in range(tok.vocab_size) if tok.token_bytes(token)}
        matcher = grammar.matcher()
        while len(matcher.text_bytes) < 9:
            here = tuple(matcher.text_bytes)
            try:
                mask = set(matcher.allowed_token_ids().tolist())
            except ff.LimitError:
                break
            expected = {token for token, text in texts.items() if chart.begins(here + text)}
            assert mask - eos == expected, (source, here)
            assert bool(mask & eos) == matcher.is_accepting() == chart.accepts(here), (source, here)
            compared += 1
            if not expected:
                break
            assert matcher.accept_token(random_token(tok, expected, rng))
    assert compared > 160
