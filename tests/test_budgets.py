"""Matchers with max_tokens: beside all sequences of tokens on small vocabularies, and walks under real schemas."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import numpy
import pytest

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from oracle.budgets import fewest, within
from oracle.parts import NAMES, Parts, vocabulary

LARKS = [
    'start: A B?\nA: /a+/\nB: "b" | "ab"',
    'start: "a" start "b" | "1"',
    'start: (A|B)*\nA: "a" | "ab"\nB: /b1?/',
    "start: A\nA[lazy]: /a+b?/",
    'start: start start | "a" | "ab"',
    'start: "a" <|x|> "bb" | <|x|> <|y|> start',
    'start: A "b" | "a" <|x|>? A\nA: /a+/\n%ignore " "',
    'start: "a"~3 | "b" "1"~4',
    'start: W "1" W\nW: /[ab]+/\n%ignore " "',
]
SCHEMAS: list[Any] = [
    {"type": "array", "items": {"enum": [1, 11]}, "minItems": 1, "maxItems": 2},
    {"enum": ["a", "ab", 1]},
    {"type": "array", "items": {"type": "array", "maxItems": 1}, "maxItems": 1},
]


def grammars(rng: random.Random, limits: Limits | None = None) -> list[ff.Grammar]:
    """Some grammars on one random vocabulary."""
    tok = vocabulary(rng)
    found = [
        ff.compile_lark(rng.choice(LARKS), tok, limits=limits),
        ff.compile_json_schema(rng.choice(SCHEMAS), tok, whitespace=rng.choice(["compact", 1]), limits=limits),
    ]
    part = Parts(rng, tok).part(2)
    try:
        found.append(ff.compose(ff.sequence(part), tok, limits=limits))
    except ff.GrammarError:
        pass
    return found


def allowed(matcher: ff.Matcher) -> set[int]:
    return set(matcher.allowed_token_ids().tolist())


def compare(grammar: ff.Grammar, rng: random.Random) -> int:
    """Walk with a budget and without, at the same place. Returns how many masks were compared."""
    tok = grammar.tokenizer
    eos = frozenset(tok.eos_token_ids)
    special = frozenset(tok.special_tokens[name] for name in NAMES)
    plain = grammar.matcher()
    least = fewest(plain, special, 3)
    if least is None:
        return 0
    assert plain.min_tokens() == (least, True)
    if least:
        with pytest.raises(ff.MatcherError, match=f"needs {least} token"):
            grammar.matcher(max_tokens=least - 1)
    budget = least + rng.randint(0, 1)
    matcher = grammar.matcher(max_tokens=budget)
    compared = 0
    for _ in range(8):
        left = budget - plain.num_steps + plain.is_terminated()
        assert matcher.tokens_left == left
        expected = set() if plain.is_terminated() else within(plain, special, left, eos)
        assert allowed(matcher) == expected
        compared += 1
        for token in range(tok.vocab_size):
            assert matcher.fork().accept_token(token) == (token in expected)
        forced = matcher.forced_tokens()
        assert not forced or forced[0] in expected
        if plain.is_terminated() or (plain.num_steps and rng.random() < 0.25):
            steps = rng.randint(1, plain.num_steps) if plain.num_steps else 0
            for moved in (matcher, plain):
                moved.rollback(steps)
            continue
        assert expected
        token = rng.choice(sorted(expected))
        draft = [token, rng.randrange(tok.vocab_size)]
        bitmask = ff.allocate_bitmask(3, tok.vocab_size)
        taken = matcher.fill_draft_bitmasks(draft, bitmask)
        fork = matcher.fork()
        for row in range(taken + 1):
            own = ff.allocate_bitmask(1, tok.vocab_size)
            fork.fill_bitmask(own)
            assert numpy.array_equal(own[0], bitmask[row])
            assert row == taken or fork.accept_token(draft[row])
        both = ff.allocate_bitmask(2, tok.vocab_size)
        ff.fill_bitmask([matcher, plain], both)
        assert numpy.array_equal(both[0], bitmask[0])
        for moved in (matcher, plain):
            assert moved.accept_token(token)
    return compared


@pytest.mark.parametrize("seed", range(12))
def test_masks_allow_what_can_be_completed(seed: int) -> None:
    rng = random.Random(seed)
    assert sum(compare(grammar, rng) for grammar in grammars(rng)) > 0


@pytest.mark.parametrize("seed", range(4))
def test_a_full_cache_is_invisible(seed: int) -> None:
    rng = random.Random(seed)
    for grammar in grammars(rng, Limits(cache_bytes=1 << 12, row_bytes=1 << 10, mask_bytes=0, dfa_states=50)):
        compare(grammar, rng)


def walk(grammar: ff.Grammar, count: int, rng: random.Random) -> int:
    """Take random tokens until one of them ends the text. Returns how many there were before it."""
    matcher = grammar.matcher(max_tokens=count)
    steps = 0
    while True:
        tokens = matcher.allowed_token_ids()
        assert len(tokens), (steps, matcher.text_bytes)
        token = int(tokens[rng.randrange(len(tokens))])
        assert matcher.accept_token(token)
        if matcher.is_terminated():
            break
        steps += 1
        assert matcher.tokens_left == count - steps
    assert steps <= count
    return steps


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("budget_steps", [0, 50, 400])
def test_walks_end_where_costs_are_bounds(seed: int, budget_steps: int) -> None:
    rng = random.Random(seed)
    for grammar in grammars(rng, Limits(budget_steps=budget_steps)):
        try:
            needed = grammar.min_tokens().tokens
        except ff.MatcherError:
            continue
        for more in (0, 1, 3, needed):
            walk(grammar, needed + more, rng)


def test_walks_under_real_schemas_end(shared_dir: Path, cl100k: Any) -> None:
    walks = 0
    with gzip.open(shared_dir / "maskbench" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 90:
                continue
            try:
                grammar = ff.compile_json_schema(json.loads(line)["schema"], cl100k)
                needed = grammar.min_tokens()
            except ff.FFGrammarError:
                continue
            with pytest.raises(ff.MatcherError, match=f"{needed.tokens} token"):
                grammar.matcher(max_tokens=needed.tokens - 1)
            for count in (needed.tokens, needed.tokens + 1, needed.tokens + 3, 2 * needed.tokens):
                walk(grammar, count, random.Random(number))
                walks += 1
    assert walks > 60


def test_an_ample_budget_leaves_the_mask_as_it_is(cl100k: Any) -> None:
    schema = {"properties": {"a": {"type": "string", "maxLength": 9}, "b": {"type": "array"}}, "required": ["a"]}
    grammar = ff.compile_json_schema(schema, cl100k)
    plain, matcher = grammar.matcher(), grammar.matcher(max_tokens=1000)
    for token in cl100k.encode('{"a": "some", "b": [1, {"c": []}]}'):
        assert allowed(matcher) == allowed(plain)
        assert matcher.accept_token(token) and plain.accept_token(token)


COUNTED: list[Any] = [
    {"type": "string", "maxLength": 3},
    {"type": "string", "minLength": 4, "maxLength": 9},
    {"type": "string", "minLength": 5, "maxLength": 5},
    {"type": "string", "maxLength": 400},
    {"type": "string", "pattern": "^[a-z ]{2,6}$"},
    {"type": "string", "pattern": "^a{0,3}[a-z]{0,5}$"},
    {"type": "string", "pattern": "^x?[a-z0-9]{3}-[a-z]{0,4}!?$"},
    {"type": "string", "pattern": "^(ab|c){0,4}$", "maxLength": 5},
    {"type": "object", "properties": {"the": {}, "that": {"type": "integer"}, "a": {}}, "required": ["that"]},
    {"type": "object", "patternProperties": {"^th": {"type": "integer"}}, "additionalProperties": {"type": "null"}},
    {"enum": ["the", "then", "there is"]},
]
TEXTS = ["", '"', '"the', '"a', '"ab', '{"', '{"th', '{"tha', '{"that', '{"that":1,"']


@pytest.mark.parametrize("schema", COUNTED, ids=json.dumps)
def test_tokens_of_one_class_cost_the_same(schema: Any, cl100k: Any) -> None:
    """Masks are made from classes of tokens, which other states and grammars share; accept_token looks at one token."""
    rng = random.Random(json.dumps(schema))
    grammar = ff.compile_json_schema(schema, cl100k, whitespace="compact")
    common = [token for token in range(cl100k.vocab_size) if len(cl100k.token_bytes(token)) < 6]
    compared = 0
    for text in TEXTS:
        matcher = grammar.matcher()
        if not matcher.accept_bytes(text.encode()):
            continue
        plain = sorted(allowed(matcher))
        for more in 0, 1, 2, 50:
            budget = grammar.matcher(max_tokens=max(grammar.min_tokens().tokens, matcher.min_tokens().tokens) + more)
            if not budget.accept_bytes(text.encode()):
                continue
            found = allowed(budget)
            assert found <= set(plain)
            tokens = (
                rng.sample(plain, min(400, len(plain)))
                + rng.sample(common, 300)
                + rng.sample(sorted(found), min(20, len(found)))
            )
            for token in tokens:
                assert budget.fork().accept_token(token) == (token in found), (text, more, token)
            compared += 1
    assert compared > 3


LOOPS = [
    *("q(x|xa|y)a{3,10}z", "qa*a{2,5}z", "q(a|aa){2,6}z", "q(a|ab|b){2,4}z", "q(a|aaa){0,3}z", "q[az]{0,3}z"),
    *("q(ab|c){1,4}z", "q(a|b[ab]{2}){2,5}z", "q(xa?|y)a{3,10}z", "qa{3}z", "q(x|y[ab]){2,7}z"),
]


@pytest.mark.parametrize("pattern", LOOPS)
def test_loops_that_can_be_counted_and_others(pattern: str) -> None:
    longer = [b"xa", b"aa", b"aaa", b"ya", b"ab", b"aab", b"xaa", b"az", b"aaz", b"bb", b"aaaa", b"yaxx"]
    tokens = [*(bytes([byte]) for byte in range(256)), *longer]
    tok = ff.Tokenizer.from_tokens([*tokens, b""], len(tokens))
    grammar = ff.compile_regex(pattern, tok, limits=Limits(budget_steps=0))
    least = grammar.min_tokens().tokens
    for text in "q", "qx", "qa", "qaa", "qb", "qy":
        for budget in range(least, least + 4):
            matcher = grammar.matcher(max_tokens=budget)
            if matcher.accept_bytes(text.encode()) == len(text):
                found = allowed(matcher)
                assert found == {token for token in range(tok.vocab_size) if matcher.fork().accept_token(token)}


def test_bytes_take_no_tokens() -> None:
    tok = ff.Tokenizer.from_tokens([b"a", b"b", b"ab", b"<eos>"], eos_token_id=3)
    grammar = ff.compile_regex("a*b{3}|ab", tok)
    assert grammar.min_tokens() == (1, True)
    matcher = grammar.matcher(max_tokens=2)
    assert matcher.accept_bytes(b"aaa") == 1  # after aa, three more tokens are needed
    assert (matcher.tokens_left, matcher.tokens()) == (2, [None])
    assert matcher.accept_bytes(b"bb") == 2
    assert matcher.accept_token(1)
    assert (matcher.tokens_left, matcher.min_tokens().tokens) == (1, 0)
    assert allowed(matcher) == {3}
    assert matcher.accept_token(3)
    assert matcher.tokens_left == 1
    matcher.rollback(3)
    assert (matcher.tokens_left, matcher.max_tokens) == (2, 2)
    matcher.reset()
    assert matcher.accept_tokens([2, 3]) == 2
    assert (matcher.tokens_left, grammar.matcher().tokens_left) == (1, None)


def test_many_bytes_beyond_a_budget(cl100k: Any) -> None:
    grammar = ff.compile_lark('start: "(" start ")" | "x"', cl100k)
    matcher = grammar.matcher(max_tokens=10)
    taken = matcher.accept_bytes(b"(" * 20_000)
    assert 0 < taken < 100
    assert (matcher.num_steps, matcher.tokens_left) == (1, 10)
    assert matcher.accept_bytes(b"(") == 0
    with pytest.raises(ff.LimitError, match="emptiness_steps"):
        matcher.accept_bytes(b"(" * 200_000)
    assert (matcher.num_steps, len(matcher.text_bytes)) == (1, taken)
    with pytest.raises(TypeError, match="max_tokens"):
        grammar.matcher(max_tokens=2.5)  # type: ignore[arg-type]


def test_what_cannot_be_counted_is_refused(cl100k: Any) -> None:
    grammar = ff.compile_regex("[ab]+", cl100k)
    with pytest.raises(ff.UnsupportedError, match="canonical"):
        grammar.matcher(canonical=True, max_tokens=5)
    with pytest.raises(ff.UnsupportedError, match="prompt"):
        grammar.matcher(prompt="a", max_tokens=5)
    unique = ff.compile_json_schema({"type": "array", "uniqueItems": True}, cl100k)
    with pytest.raises(ff.UnsupportedError, match="uniqueItems"):
        unique.matcher(max_tokens=50)
    for count in (-1, 0):
        with pytest.raises(ff.MatcherError, match=r"too few.*needs 1 token"):
            grammar.matcher(max_tokens=count)
    spelled = ff.compile_regex("a|c", ff.Tokenizer.from_tokens([b"ba", b""], eos_token_id=1))
    with pytest.raises(ff.MatcherError, match="no tokens"):
        spelled.matcher(max_tokens=5)


def test_both_lexing_rules_on_one_vocabulary(cl100k: ff.Tokenizer) -> None:
    """What is kept of a lexer state for all grammars does not hold for lexemes that may end anywhere."""
    longest = ff.compile_lark('start: A "!"\nA: /[a-z]+/', cl100k)
    allowed(longest.matcher(max_tokens=2))
    anywhere = ff.compile_lark("start: A B\nA: /[a-z]+/\nB: /[a-z]+!/", cl100k, lexing="any")
    matcher = anywhere.matcher(max_tokens=2)
    # "a" would need two more tokens, or one that begins with a letter and ends with "!"
    assert cl100k.encode("a")[0] not in allowed(matcher)
    tokens = [cl100k.encode(chr(letter))[0] for letter in range(ord("a"), ord("z") + 1)] + cl100k.encode("xy")
    plain = anywhere.matcher()
    for token in tokens:
        after = plain.fork()
        assert after.accept_token(token)
        assert (token in allowed(matcher)) == (after.min_tokens().tokens <= 1)


def test_plans_through_intersections(cl100k: ff.Tokenizer) -> None:
    """A string of a pattern and of two lengths: estimates of what it needs grow where it begins."""
    address = {
        "type": "string",
        "pattern": r"^[^@^\s]+@[^@^\.^\s]+(\.[^@^\.^\s]*)*.gov.uk",
        "minLength": 5,
        "maxLength": 254,
    }
    schema = {
        "properties": {"a": {"type": "string", "minLength": 1, "maxLength": 160}, "b": address},
        "required": ["b"],
    }
    grammar = ff.compile_json_schema({**schema, "additionalProperties": False}, cl100k, limits=Limits(dfa_states=2_000))
    assert grammar.min_tokens().tokens < 20
    matcher = grammar.matcher(max_tokens=60)
    assert matcher.accept_bytes(b'{"a": "text')
    assert len(matcher.allowed_token_ids()) > 50_000
    assert walk(grammar, grammar.min_tokens().tokens + 2, random.Random(1))
