"""What front-ends promise of groups of lexemes saves searches, and changes no mask.

The same grammar is made twice. In one of the two nothing is promised, and each group has a lazy lexeme that no rule
uses. So there is no separator, and a search decides in each configuration whether the text can be completed.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable

import pytest

import ffgrammar as ff
from ffgrammar.api.compiled_file import dump, read_file
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import Lexeme, LexemeGroup

BYTES = b'ab1 \n#"-.;e{}:,[]t'
TERMINALS = [
    *("/a+/", "/[ab]+/", '"a "', "/a +b?/", '"ab"', "/#[^\\n]*/", '"a" / +/', '"a"', '/"[^"]*"/', '"-"', '"--"', '" "'),
    *("/[0-9]+(\\.[0-9]+)?(e[0-9]+)?/", '";"', "/\\s+/", "/a( +b)?( +1)? /", '(/[ab]+/ & ~"a")', '"e"', "/[^\\n]+/"),
    *('"a" | "ab " | "b\\n"', "/1?/"),
]
SKIPS = [
    *('" "', "/\\s+/", "/ +/", "/#[^\\n]*\\n?/", "/#[^\\n]*/", "/\\n/", "/--[^\\n]*/", "/;+ ?/", "/a /", "/#[^#]*#/"),
]
SCHEMAS = [
    {},
    {"type": "integer"},
    {"enum": [1, 11, "a", "ab"]},
    {"type": "array", "items": {"enum": [1, 11]}},
    {"type": "object"},
    {"type": "string", "maxLength": 3},
]


def vocabulary(rng: random.Random) -> ff.Tokenizer:
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [bytes(rng.choice(BYTES) for _ in range(rng.randint(2, 5))) for _ in range(150)]
    tokens = list(dict.fromkeys(tokens))
    special = {"<|end|>": len(tokens), "<|x|>": len(tokens) + 1}
    return ff.Tokenizer.from_tokens([*tokens, b"", b""], eos_token_id=len(tokens), special_tokens=special)


def lark(rng: random.Random, schemas: bool) -> str:
    """A random Lark text."""
    names = "ABCD"[: rng.randint(1, 4)]
    atoms = [*names, "x", "y", *rng.sample(TERMINALS, 2)]
    if schemas:
        atoms.append("%json " + json.dumps(rng.choice(SCHEMAS)))

    def body(depth: int) -> str:
        kind = rng.random() if depth < 4 else 0.0
        if kind < 0.6:
            return rng.choice(atoms)
        if kind < 0.75:
            return f"({body(depth + 1)} {body(depth + 1)})"
        if kind < 0.9:
            return f"({body(depth + 1)} | {body(depth + 1)})"
        return f"({body(depth + 1)}){rng.choice('?*+')}"

    rules = f"start: {' '.join(body(0) for _ in range(rng.randint(1, 4)))}\nx: {body(0)} | {body(0)}\ny: {body(0)}\n"
    terminals = "".join(f"{name}: {rng.choice(TERMINALS)}\n" for name in names)
    skips = rng.sample(SKIPS, rng.choice([0, 1, 1, 2]))
    return rules + terminals + "".join(f"%ignore {skip}\n" for skip in skips)


def part(rng: random.Random, tok: ff.Tokenizer, depth: int = 0) -> object:
    """A random part of a composition."""
    kind = rng.randrange(8) if depth < 3 else rng.randrange(5)
    if kind < 3:
        while True:
            try:
                return ff.compile_lark(lark(rng, rng.random() < 0.2), tok)
            except ff.GrammarError:
                pass
    if kind == 3:
        return rng.choice(["<", "a", "b ", ";", "\n", "ab", "1", ff.text(until=";"), ff.special_token("<|x|>")])
    if kind == 4:
        return ff.compile_json_schema(rng.choice(SCHEMAS), tok)
    inner = [part(rng, tok, depth + 1) for _ in range(rng.randint(2, 3))]
    found = rng.choice([ff.sequence, ff.sequence, ff.choice_of])(*inner)
    return ff.repeat(found, rng.randint(0, 1), rng.choice([None, 2])) if rng.random() < 0.2 else found


def searched(grammar: ff.Grammar) -> ff.Grammar:
    """The same grammar, of which nothing is promised."""
    made = grammar._ir
    groups = 1 + max(lexeme.group for lexeme in made.lexemes)
    never = made.store.literal(b"never")
    lexemes = (*made.lexemes, *(Lexeme(never, lazy=True, group=group) for group in range(groups)))
    made = dataclasses.replace(made, lexemes=lexemes, groups=(LexemeGroup(),) * groups, apart=False)
    tok, limits = grammar.tokenizer, Limits()
    return ff.Grammar(read_file(dump(made, tok.fingerprint), tok, limits), tok, limits)


def compare(rng: random.Random, grammar: ff.Grammar) -> int:
    """Walk through both grammars. Returns how many masks were compared."""
    tok = grammar.tokenizer
    end = tok.eos_token_ids[0]
    matcher, other = grammar.matcher(), searched(grammar).matcher()
    count = 0
    for _ in range(12):
        allowed = matcher.allowed_token_ids().tolist()
        assert allowed == other.allowed_token_ids().tolist(), matcher.text_bytes
        count += 1
        choices = [token for token in allowed if token != end]
        if not choices:
            break
        token = rng.choice(choices)
        assert matcher.accept_token(token)
        assert other.accept_token(token)
        if rng.random() < 0.2:
            steps = rng.randint(1, matcher.num_steps)
            matcher.rollback(steps)
            other.rollback(steps)
    return count


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", ["lark", "schemas", "composition"])
def test_masks_are_those_of_searches(kind: str, seed: int, covered: Callable[[str], None]) -> None:
    rng = random.Random(f"{kind} {seed}")
    tok = vocabulary(rng)
    grammars = masks = 0
    while grammars < 12:
        try:
            if kind == "composition":
                grammar = ff.compose(part(rng, tok), tok)
            else:
                grammar = ff.compile_lark(lark(rng, kind == "schemas"), tok)
            masks += compare(rng, grammar)
        except (ff.GrammarError, ff.LimitError):
            continue
        grammars += 1
    covered(f"{masks} masks of {grammars} grammars")


def test_the_space_after_a_value_may_be_a_terminal(cl100k: ff.Tokenizer) -> None:
    """The white space after a value takes the space of A, unless it is the first."""
    grammar = ff.compile_lark('start: %json {"type": "array"} A\nA: " "', cl100k)
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b"[]") == 2
    assert [cl100k.token_bytes(token) for token in matcher.allowed_token_ids()] == [b" "]
    assert searched(grammar).matcher().accept_bytes(b"[]\n") == 2
