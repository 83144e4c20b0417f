"""Character-prefix conditioning: the walk along a prefix, and probabilities against a sum over all token sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from oracle.canonical import is_begun

PATTERN = r" ?\p{L}+|\p{N}{1,2}|\s+(?!\S)|\s+|[^\s\p{L}\p{N}]+"
MERGES = ["ab", "bc", "abc", "ca", " a", " ab", "cab", "bb", "12", "  ", "abca", " abc", "é"]


@pytest.fixture(scope="module")
def small() -> tuple[ff.Tokenizer, Callable[[str], list[int]]]:
    """A vocabulary of bytes and a few merges, as tiktoken has it."""
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([value]): value for value in range(256)}
    for merge in MERGES:
        ranks[merge.encode()] = len(ranks)
    encoding = tiktoken.Encoding("small", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={"<e>": len(ranks)})
    tok = ff.Tokenizer.from_tiktoken(encoding, eos_token_ids=len(ranks))
    return tok, encoding.encode_ordinary


def random_model(
    tok: ff.Tokenizer, seed: int, asked: list[list[tuple[int, ...]]]
) -> Callable[[list[tuple[int, ...]]], Any]:
    """Log probabilities of next tokens that depend on the whole sequence; each call is noted."""

    def model(sequences: list[tuple[int, ...]]) -> Any:
        asked.append(list(sequences))
        rows = []
        for sequence in sequences:
            random = np.random.default_rng([seed, *sequence])
            scores = random.normal(size=tok.vocab_size) * 2
            rows.append(scores - np.logaddexp.reduce(scores))
        return np.array(rows)

    return model


def brute_force(
    tok: ff.Tokenizer, encode: Callable[[str], list[int]], prefix: bytes, model: Callable[..., Any]
) -> dict[tuple[int, ...], float]:
    """The probability of each covering, by trying every token after every sequence."""
    random = Random(1)
    found: dict[tuple[int, ...], float] = {}
    waiting: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    while waiting:
        sequence, weight = waiting.pop()
        data = tok.decode(sequence)
        row = model([sequence])[0]
        for token in range(tok.vocab_size - 1):
            more = data + tok.token_bytes(token)
            if not (more.startswith(prefix) or prefix.startswith(more)):
                continue
            if not is_begun(encode, more, [*sequence, token], random):
                continue
            if len(more) >= len(prefix):
                found[(*sequence, token)] = weight + float(row[token])
            else:
                waiting.append(((*sequence, token), weight + float(row[token])))
    total = math.log(sum(math.exp(weight) for weight in found.values()))
    return {sequence: weight - total for sequence, weight in found.items()}


@pytest.mark.parametrize("prefix", ["ab", "abc", "a", "cabca", " ab", "ab  ", "1", "a 1", "ab!", "  a", "é", "abcé"])
def test_the_distribution_is_that_of_all_sequences(
    small: tuple[ff.Tokenizer, Callable[[str], list[int]]], prefix: str
) -> None:
    tok, encode = small
    for data in (prefix.encode(), prefix.encode()[:-1] if prefix.endswith("é") else b"b"):
        asked: list[list[tuple[int, ...]]] = []
        expected = brute_force(tok, encode, data, random_model(tok, 7, []))
        found = ff.CharacterPrefix(tok, data).distribution(random_model(tok, 7, asked))
        flat = {
            (*context.kept, int(token)): float(weight)
            for context in found.contexts
            for token, weight in zip(context.candidates, context.log_probabilities, strict=True)
        }
        assert flat.keys() == expected.keys()
        assert all(abs(flat[sequence] - expected[sequence]) < 1e-9 for sequence in expected)
        assert abs(sum(math.exp(weight) for weight in flat.values()) - 1) < 1e-9
        # one batch, and no sequence twice
        assert len(asked) == 1 and len(set(asked[0])) == len(asked[0]) == found.calls


def test_the_model_is_asked_no_more_than_it_must(cl100k: ff.Tokenizer) -> None:
    for text in ("He introduced an intermediar", "We found a hidden causali", "I bought some apple"):
        asked: list[list[tuple[int, ...]]] = []
        found = ff.CharacterPrefix(cl100k, text).distribution(random_model(cl100k, 1, asked))
        kept = [context.kept for context in found.contexts]
        first, last = min(kept), max(kept)
        shared = [one for one, other in zip(first, last, strict=False) if one == other]
        between = {one[:size] for one in kept for size in range(len(shared), len(one) + 1)}
        assert found.calls == len(asked[0]) == len(between) and set(asked[0]) == between


def test_a_beam_keeps_the_most_probable(cl100k: ff.Tokenizer) -> None:
    prefix = ff.CharacterPrefix(cl100k, "I bought some apple")
    every = prefix.distribution(random_model(cl100k, 3, []))
    wide = prefix.distribution(random_model(cl100k, 3, []), beam=10)
    assert [context.kept for context in wide.contexts] == [context.kept for context in every.contexts]
    assert abs(wide.log_probability - every.log_probability) < 1e-9
    asked: list[list[tuple[int, ...]]] = []
    narrow = prefix.distribution(random_model(cl100k, 3, asked), beam=1)
    assert all(len(batch) == 1 for batch in asked) and len(narrow.contexts) < len(every.contexts)
    assert narrow.log_probability < every.log_probability
    total = sum(float(np.exp(context.log_probabilities).sum()) for context in narrow.contexts)
    assert abs(total - 1) < 1e-9


def test_samples_are_coverings_as_often_as_they_should(small: tuple[ff.Tokenizer, Any]) -> None:
    tok, _ = small
    found = ff.CharacterPrefix(tok, "abc").distribution(random_model(tok, 5, []))
    random = Random(1)
    drawn = [found.sample(random) for _ in range(4000)]
    for context in found.contexts:
        weight = float(np.exp(context.log_probabilities).sum())
        share = sum(one[:-1] == context.kept and one[-1] in context.candidates for one in drawn) / len(drawn)
        assert abs(share - weight) < 0.05
    assert all(tok.decode(one).startswith(b"abc") for one in drawn)


def ids(mask: Any) -> set[int]:
    return set(np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")).tolist())


def test_along_a_prefix(cl100k: ff.Tokenizer) -> None:
    random = Random(2)
    for text in ("I bought some apple", "https:", "caf\u00e9 au la", "x = [1, 2", "\u65e5\u672c"):
        data = text.encode() if text.isascii() else text.encode()[:-1]
        for _ in range(20):
            prefix = ff.CharacterPrefix(cl100k, data)
            tokens: list[int] = []
            while not prefix.is_covered:
                mask = np.full((2, 3140), 7, dtype=np.int32)
                prefix.fill_bitmask(mask, 1)
                allowed = ids(mask[1])
                assert (mask[0] == 7).all() and allowed
                wrong = random.randrange(100_000)
                assert wrong in allowed or not prefix.accept_token(wrong)
                tokens.append(random.choice(sorted(allowed)))
                assert prefix.accept_token(tokens[-1])
            assert cl100k.decode(tokens).startswith(data)
            mask = np.zeros((1, 3134), dtype=np.int32)
            prefix.fill_bitmask(mask)
            assert ids(mask) == set(range(cl100k.vocab_size)) and prefix.rest == b""
            assert prefix.accept_token(0) and prefix.coverings() == []


def test_with_a_grammar(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_choice(["order number", "orderId", "orderly"], cl100k)
    prefix = ff.CharacterPrefix(cl100k, "orde", grammar.matcher())
    mask = ff.allocate_bitmask(1, cl100k.vocab_size)
    prefix.fill_bitmask(mask)
    assert {cl100k.token_bytes(token) for token in ids(mask[0])} == {b"orde", b"order", b"orderId"}
    found = prefix.distribution(random_model(cl100k, 1, []))
    assert [(one.kept, len(one.candidates)) for one in found.contexts] == [((), 3)]
    assert prefix.accept_token(cl100k.encode("order")[0]) and prefix.is_covered
    prefix.fill_bitmask(mask)
    assert {cl100k.token_bytes(token)[:1] for token in ids(mask[0])} == {b" ", b"I", b"l"}
    nothing = ff.CharacterPrefix(cl100k, "x", grammar.matcher())
    with pytest.raises(ff.MatcherError, match="allows no token sequence"):
        nothing.distribution(random_model(cl100k, 1, []))


def test_errors(cl100k: ff.Tokenizer) -> None:
    with pytest.raises(ff.TokenizerError, match="no UTF-8 text begins so"):
        ff.CharacterPrefix(cl100k, b"\xff")
    with pytest.raises(ff.TokenizerError, match=r"CharacterPrefix: .*not known"):
        ff.CharacterPrefix(ff.Tokenizer.from_tokens([b"a"], encode=lambda data: [0] * len(data)), "")
    prefix = ff.CharacterPrefix(cl100k, "ab")
    with pytest.raises(ff.MatcherError, match="beam must be positive"):
        prefix.distribution(random_model(cl100k, 1, []), beam=0)
    for bitmask in (np.zeros((1, 10), np.int32), np.zeros((1, 4000), np.int64), np.zeros(4000, np.int32)):
        with pytest.raises(ff.MatcherError, match="bitmask must be int32"):
            prefix.fill_bitmask(bitmask)
    with pytest.raises(ff.TokenizerError, match="out of range"):
        prefix.accept_token(1 << 30)
    with pytest.raises(ff.MatcherError, match="the prefix is covered"):
        ff.CharacterPrefix(cl100k, "").distribution(random_model(cl100k, 1, []))
