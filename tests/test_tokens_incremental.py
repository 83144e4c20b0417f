"""Encoding a text that grows and is cut: after each step the tokens are those of the whole text."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

import pytest

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.incremental import IncrementalEncoder
from ffgrammar.tokens.tokenizer import Tokenizer

PARTS = [*" \n\t'Ab1!/\u4e2d\u0301\u00a0\r", "  ", "   ", "\r\n", "'s", "'ll", "//", "22", "order", "don", "ing"]
BYTES = [part.encode() for part in PARTS] + [b"\xe4", b"\xb8\xad", b"\xf0\x9f", b"\xff", b" \x80"]
KINDS = ["gpt2", "deepseek", "added", "llama 2"]


def some_tokenizer(name: str) -> Tokenizer:
    if name in KINDS:
        pytest.importorskip("tokenizers")
        from oracle.trained import make

        return make(name)[1]
    if name == "a function":
        return Tokenizer.from_tokens([bytes([value]) for value in range(256)], encode=list)
    return Tokenizer.from_tiktoken(name)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", *KINDS, "a function"])
def test_tokens_are_those_of_the_whole_text(name: str, covered: Callable[[str], None]) -> None:
    tok = some_tokenizer(name)
    random = Random(6)
    steps = settled = 0
    for _ in range(60):
        encoder = IncrementalEncoder(tok)
        text = b""
        wrong = random.random() < 0.3
        for _ in range(25):
            if random.random() < 0.25:
                text = text[: random.randrange(len(text) + 1)]
                encoder.truncate(len(text))
            elif random.random() < 0.5 and not wrong:
                part = random.choice(PARTS) * random.randrange(1, 3)
                text += part.encode()
                encoder.append(part)
            else:
                data = random.choice(BYTES if wrong else BYTES[: len(PARTS)])
                text += data
                encoder.append(data)
            assert encoder.text == text
            tokens = encoder.tokens()
            assert tokens == tok.encode(text), text
            assert encoder.settled <= len(tokens)
            steps += 1
            settled += encoder.settled
    assert (settled > steps) == (name not in ("a function", "deepseek", "added"))
    covered(f"{name}: {steps} steps, {settled / steps:.1f} tokens settled on average")


def test_the_cost_does_not_grow(cl100k: Tokenizer) -> None:
    spent = []
    for count in (2000, 20000):
        encoder = IncrementalEncoder(cl100k)
        start = time.process_time()
        for number in range(count):
            encoder.append(f" word{number},")
        spent.append(time.process_time() - start)
        assert encoder.tokens() == cl100k.encode(encoder.text)
    assert spent[1] < 30 * spent[0] + 0.5


def test_errors(cl100k: Tokenizer) -> None:
    encoder = IncrementalEncoder(cl100k)
    encoder.append("ab\ud800")
    assert encoder.tokens() == cl100k.encode("ab\ud800")
    for size in (-1, 6):
        with pytest.raises(TokenizerError, match="cannot cut"):
            encoder.truncate(size)
    with pytest.raises(TokenizerError, match="cannot encode"):
        IncrementalEncoder(Tokenizer.from_tokens([b"a"])).tokens()
