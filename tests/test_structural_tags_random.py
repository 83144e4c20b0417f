"""Random structural tags beside their definition: masks at every place, on small vocabularies with special tokens."""

from __future__ import annotations

import random
import warnings

import pytest

import ffgrammar as ff
from oracle.compositions import SPECIAL, Symbols
from oracle.structural_tags import RandomTags, Recogniser


def vocabulary(rng: random.Random) -> ff.Tokenizer:
    alphabet = b"ab1<>/,"
    tokens = [bytes([byte]) for byte in alphabet + b'" \xc3\xa9']
    tokens += [bytes(rng.choice(alphabet) for _ in range(rng.randint(2, 5))) for _ in range(30)]
    tokens = list(dict.fromkeys([*tokens, "é".encode(), "<é".encode(), b"\xa9<a"]))
    count = len(tokens)
    names = ("<|end|>", "<|x|>", "<|y|>", "<|z|>")
    return ff.Tokenizer.from_tokens(
        tokens + [b""] * 4, eos_token_id=count, special_tokens={name: count + i for i, name in enumerate(names)}
    )


def compile_random(rng: random.Random, tok: ff.Tokenizer) -> tuple[ff.Grammar, Recogniser]:
    """A random structural tag that is not refused."""
    while True:
        tag = {"type": "structural_tag", "format": RandomTags(rng).format(3)}
        try:
            return ff.compile_structural_tag(tag, tok), Recogniser(tag, tok)
        except ff.GrammarError as error:
            # a random trigger may be unreachable
            assert "never reached" in str(error), (tag, error)


def compare(seed: int, steps: int) -> None:
    """Walk along a text of a random structural tag, and compare each mask."""
    rng = random.Random(seed)
    tok = vocabulary(rng)
    grammar, oracle = compile_random(rng, tok)
    special = set(tok.special_tokens.values())
    text: Symbols = ()
    matcher = grammar.matcher()
    for _ in range(steps):
        allowed = set(matcher.allowed_token_ids().tolist())
        expected = set()
        for token in range(tok.vocab_size):
            if token in tok.eos_token_ids:
                if oracle.accepts(text):
                    expected.add(token)
                continue
            more = (token + SPECIAL,) if token in special else tuple(tok.token_bytes(token))
            if oracle.begins(text + more):
                expected.add(token)
        assert allowed == expected, (oracle.root, text, [tok.token_bytes(one) for one in allowed ^ expected])
        assert matcher.is_accepting() == oracle.accepts(text)
        choices = sorted(allowed - set(tok.eos_token_ids))
        if not choices:
            return
        token = rng.choice(choices)
        assert matcher.accept_token(token)
        text += (token + SPECIAL,) if token in special else tuple(tok.token_bytes(token))


@pytest.mark.parametrize("seed", range(80))
def test_masks_are_those_of_the_definition(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(seed, 6)
