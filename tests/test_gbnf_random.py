"""GBNF beside its definition: random grammars, and real ones with sampled and mutated texts; masks."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import ffgrammar as ff
from ffgrammar.grammar.gbnf.dialects import DIALECTS
from ffgrammar.grammar.gbnf.reader import read
from oracle.gbnf import TOKEN, Rules
from oracle.random_gbnf import ALPHABET, mutated, random_gbnf, vocabulary
from sentences import BYTES, is_sentence

RULES = Path(__file__).parent / "cases" / "rules"
LANGUAGES = sorted(path.stem for path in RULES.glob("*.gbnf"))


# Special tokens, and what stands for them in random grammars.
SPECIAL = {"<x>": TOKEN, "<y>": TOKEN + 1}
TOKENS = ("<x>", "<y>", "<x>", "!<x>*", "!<y>+", "(!<x> | [ab] | <y>)*", '(!<y> | <x> r | "a")+')


def rules_of(text: str, special: dict[str, int] | None = None) -> Rules:
    return Rules(read(text, DIALECTS["gbnf"], ff.Limits()).rules, special=special)


def compiled(text: str, tokenizer: ff.Tokenizer) -> ff.Grammar | None:
    """The grammar; None if no text matches it."""
    try:
        return ff.compile_gbnf(text, tokenizer)
    except ff.GrammarError as error:
        assert "no text at all" in str(error), text
        return None


@pytest.mark.parametrize("seed", range(60))
def test_verdicts(seed: int) -> None:
    rng = random.Random(seed)
    text = random_gbnf(rng)
    rules, grammar = rules_of(text), compiled(text, BYTES)
    assert (grammar is not None) == rules.derives(("name", "root")), text
    if grammar is None:
        return
    for _ in range(8):
        sentence = rules.sample(rng, 12)[:14]
        for one in (sentence, mutated(rng, sentence, ALPHABET)):
            data = one.encode()[: rng.choice([99, 99, 6])]
            assert is_sentence(grammar, data) == rules.accepts(data), (text, data)
            matcher = grammar.matcher()
            count = matcher.accept_bytes(data)
            assert rules.begins(data[:count]), (text, data)
            assert count == len(data) or not rules.begins(data[: count + 1]), (text, data)


def compare(rng: random.Random, text: str, steps: int, special: dict[str, int] | None = None) -> None:
    """Walk through a grammar, comparing masks with trying every token by the definition."""
    tok = vocabulary(rng, tuple(special or ()))
    rules, grammar = rules_of(text, special), compiled(text, tok)
    if grammar is None:
        return
    symbols = [tok.token_bytes(token) for token in range(tok.vocab_size)]
    for name, byte in (special or {}).items():
        symbols[tok.special_tokens[name]] = bytes([byte])
    matcher = grammar.matcher()
    texts = [b""]
    for _ in range(steps):
        here = texts[-1]
        ends = set(tok.eos_token_ids)
        expected = {
            token for token in range(tok.vocab_size) if token not in ends and rules.begins(here + symbols[token])
        }
        expected |= ends if rules.accepts(here) else set()
        allowed = set(matcher.allowed_token_ids().tolist())
        assert allowed == expected, (text, here, [symbols[token] for token in allowed ^ expected])
        choices = sorted(allowed - ends)
        if rng.random() < 0.25 and len(texts) > 1:
            count = rng.randint(1, len(texts) - 1)
            matcher.rollback(count)
            del texts[len(texts) - count :]
        elif choices and len(here) < 10:
            token = rng.choice(choices)
            assert matcher.accept_token(token)
            texts.append(here + symbols[token])
        else:
            matcher.reset()
            texts = [b""]


@pytest.mark.parametrize("seed", range(25))
def test_masks(seed: int) -> None:
    rng = random.Random(seed)
    compare(rng, random_gbnf(rng), 4)


@pytest.mark.parametrize("seed", range(25))
def test_masks_with_special_tokens(seed: int) -> None:
    rng = random.Random(seed)
    compare(rng, random_gbnf(rng, TOKENS) + '\nr ::= "b" | r "b"', 4, SPECIAL)


@pytest.mark.parametrize("name", LANGUAGES)
def test_real_grammars(name: str) -> None:
    text = (RULES / f"{name}.gbnf").read_text(encoding="utf-8")
    rng = random.Random(name)
    rules, grammar = rules_of(text), ff.compile_gbnf(text, BYTES)
    other = ff.compile_ebnf(text, BYTES)
    sentences = [rules.sample(rng, 15) for _ in range(5)]
    alphabet = "".join(sorted(set("".join(sentences)))) + "x"
    for sentence in sentences:
        assert is_sentence(grammar, sentence) and is_sentence(other, sentence), sentence
        changed = mutated(rng, sentence, alphabet)
        if len(changed) < 60:
            assert is_sentence(grammar, changed) == is_sentence(other, changed) == rules.accepts(changed.encode()), (
                changed
            )


@pytest.mark.parametrize("name", LANGUAGES)
def test_texts_of_real_grammars(name: str, cl100k: ff.Tokenizer) -> None:
    """The texts along which `ffgrammar bench` measures masks."""
    grammar = ff.compile_gbnf((RULES / f"{name}.gbnf").read_text(encoding="utf-8"), cl100k)
    lines = (RULES / "texts" / f"{name}.ndjson").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    for line in lines:
        matcher = grammar.matcher()
        tokens = cl100k.encode(json.loads(line)["text"])
        assert matcher.accept_tokens(tokens) == len(tokens) and matcher.is_accepting(), line
