"""Masks of the grammars in grammars/, whose lexemes end often, against the slow recogniser.

The vocabulary is a part of a real one: every byte, the tokens of the texts, and tokens from all over the table. So many
of its tokens run through several lexemes, and the recogniser can try each of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.lark import build
from ffgrammar.regex.expr.store import ExprStore
from oracle.cfg import Recogniser
from oracle.grammars import TOKENS
from oracle.languages import allowed
from oracle.masks import ByteTree, brute_force_mask, recogniser_mask

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"
NAMES = sorted(path.stem for path in GRAMMARS.glob("*.lark"))
# What the recogniser is given to find out if a text can be completed: enough for the lexemes of these grammars.
ALPHABET = b"aefz_019 \n\t\"'()[]{}<>=:;,.*/-#|!?$%&`@^~\\"


def texts(name: str) -> list[str]:
    lines = (GRAMMARS / f"{name}.samples.ndjson").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [sample["text"] for sample in map(json.loads, lines) if sample.get("valid") and sample["text"]]


def part_of(cl100k: ff.Tokenizer, name: str, random: Random) -> ff.Tokenizer:
    tokens = {bytes([byte]) for byte in range(256)}
    for text in texts(name):
        tokens.update(cl100k.token_bytes(token) for token in cl100k.encode(text))
    while len(tokens) < 2500:
        tokens.add(cl100k.token_bytes(random.randrange(100_000)))
    return ff.Tokenizer.from_tokens([*sorted(tokens), b""], eos_token_id=len(tokens))


def spelled(tok: ff.Tokenizer, tree: ByteTree, text: bytes, random: Random) -> list[int]:
    """Tokens that spell a text, the longest one at each place or a shorter one."""
    ids: list[int] = []
    while text:
        node, found, rest = tree, list[int](), text
        while rest and rest[0] in node.children:
            edge, node = node.children[rest[0]]
            if not rest.startswith(edge):
                break
            found += node.tokens
            rest = rest[len(edge) :]
        ids.append(found[-1] if random.random() < 0.7 else random.choice(found))
        text = text[len(tok.token_bytes(ids[-1])) :]
    return ids


@pytest.mark.parametrize("name", NAMES)
def test_along_samples(cl100k: ff.Tokenizer, name: str) -> None:
    random = Random(name)
    tok = part_of(cl100k, name, random)
    eos = tok.vocab_size - 1
    tree = ByteTree((token, tok.token_bytes(token)) for token in range(eos))
    source = (GRAMMARS / f"{name}.lark").read_text(encoding="utf-8")
    grammar: Any = ff.compile_lark(source, tok)
    recogniser = Recogniser(build(source, ExprStore(), Limits()))
    places = 0
    for text in random.sample(texts(name), 1 if name == "python" else 6):
        ids = spelled(tok, tree, text.encode(), random)
        asked = {0, *random.sample(range(len(ids) + 1), min(len(ids) + 1, 5))}
        matcher, fresh = grammar.matcher(), ff.compile_lark(f"{source}\n// {places}", tok).matcher()
        state: Any = recogniser.start
        for place in range(len(ids) + 1):
            if place in asked:
                places += 1
                mask = allowed(matcher)
                # A matcher of a newly compiled grammar has the same mask, and so has trying each token.
                assert mask == allowed(fresh)
                assert mask == brute_force_mask(matcher, tree, [eos])
                reached = recogniser_mask(recogniser, state, tree, [eos])
                assert mask <= set(reached)
                for token in set(reached) - mask:
                    verdict = recogniser.completable(reached[token], alphabet=ALPHABET, max_states=300)
                    assert verdict is not True, tok.token_bytes(token)
            if place < len(ids):
                assert matcher.accept_token(ids[place])
                assert fresh.accept_token(ids[place])
                state = recogniser.run(tok.token_bytes(ids[place]), state)
    assert places > 4


def test_a_comment_where_no_line_end_may_come() -> None:
    """A blank keeps all lexemes apart. But a comment goes on to the line end, and after a bracket none may come."""
    source = 'start: ("(" NAME ")" "\\n")+\nNAME: /[ab]+/\nCOMMENT: /x[^\\n]*/\n%ignore " "\n%ignore COMMENT'
    matcher = ff.compile_lark(source, ff.Tokenizer.from_tokens([*TOKENS, b"\n"])).matcher()
    inside, outside = TOKENS.index(b"x"), TOKENS.index(b"(")
    assert allowed(matcher) >= {outside}
    assert matcher.accept_bytes(b"(") == 1
    assert inside not in allowed(matcher)
    assert matcher.accept_bytes(b"a )") == 3
    # Here the comment ends at the line end that must come anyway.
    assert inside in allowed(matcher)


def test_no_separator_where_a_lexeme_takes_it(toy: ff.Tokenizer) -> None:
    """The text lexeme takes blanks, too, so it swallows what must follow: the grammar matches nothing."""
    with pytest.raises(ff.GrammarError, match="longest match"):
        ff.compile_lark('start: TEXT "x"\nTEXT: /[ax ]+/\n%ignore " "', toy)


@pytest.mark.parametrize("budget", [1 << 15, 1 << 18])
def test_small_budgets_change_no_mask(cl100k: ff.Tokenizer, budget: int) -> None:
    source = (GRAMMARS / "arithmetic.lark").read_text(encoding="utf-8")
    limited = ff.compile_lark(source, cl100k, limits=Limits(cache_bytes=budget, mask_bytes=0))
    matcher, other = limited.matcher(), ff.compile_lark(source, cl100k).matcher()
    for token in cl100k.encode("sin(alpha) + 2 ^ (beta - 13.5e-7) * f(x, y,   z)"):
        assert allowed(matcher) == allowed(other)
        assert matcher.accept_token(token)
        assert other.accept_token(token)


def test_masks_that_are_not_kept_leave_nothing_behind(toy: ff.Tokenizer) -> None:
    """Here some tokens must not go through states that other rows allow, so a row has segments of its own."""
    grammar: Any = ff.compile_lark('start: (L "," | W)*\nL: /[ab]+,*/\nW: /[ab ]+x/', toy, limits=Limits(mask_bytes=0))
    held = set()
    for _ in range(3):
        matcher = grammar.matcher()
        for byte in b"ab b x" * 20:
            mask = allowed(matcher)
            assert mask
            assert matcher.accept_bytes(bytes([byte])) == 1
        held.add(grammar.stats()["cache_bytes"])
    assert len(held) == 1
