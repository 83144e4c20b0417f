"""The probabilities of texts under a toy model, by trying every token after every sequence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np

import ffgrammar as ff
from oracle.canonical import is_begun

__all__ = ["PATTERN", "scores", "small_tokenizer", "text_probability", "toy_model", "written"]

PATTERN = r" ?\p{L}+|\p{N}{1,2}|\s+(?!\S)|\s+|[^\s\p{L}\p{N}]+"
MERGES = ["ab", "bc", "abc", "ca", " a", " ab", "cab", "bb", "12", "  ", "abca", " abc", "é", "ye", "yes"]

Rows = Callable[[list[list[int]]], Any]


def small_tokenizer(merges: Sequence[str] = MERGES) -> tuple[ff.Tokenizer, Callable[[str], list[int]]]:
    """A vocabulary of bytes, a few merges and two special tokens, and tiktoken's own encoder for it."""
    import tiktoken

    ranks = {bytes([value]): value for value in range(256)}
    for merge in merges:
        ranks[merge.encode()] = len(ranks)
    special = {"<e>": len(ranks), "<s>": len(ranks) + 1}
    encoding = tiktoken.Encoding("small", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens=special)
    return ff.Tokenizer.from_tiktoken(encoding, eos_token_ids=len(ranks)), encoding.encode_ordinary


def toy_model(size: int, seed: int, asked: list[list[list[int]]] | None = None, spread: float = 2.0) -> Rows:
    """Log-probabilities that depend on the whole sequence. Each batch is noted in `asked`."""

    def log_probs(sequences: list[list[int]]) -> Any:
        if asked is not None:
            asked.append([list(one) for one in sequences])
        rows = []
        for sequence in sequences:
            scores = np.random.default_rng([seed, *sequence]).normal(size=size) * spread
            rows.append(scores - np.logaddexp.reduce(scores))
        return np.array(rows)

    return log_probs


def text_probability(
    tok: ff.Tokenizer,
    encode: Callable[[str], list[int]] | None,
    log_probs: Rows,
    fixed: Sequence[int],
    start: Sequence[int],
    data: bytes,
    ends: bool,
) -> float:
    """The probability of all token sequences after `fixed` whose text begins with `data`, or is `data` if it ends.

    Args:
        encode: the tokenizer, if only sequences count that it writes. None: all sequences count.
        start: the tokens after `fixed` that all sequences begin with.
    """
    random = Random(1)
    found = 0.0

    def row(tokens: Sequence[int]) -> Any:
        return log_probs([[*fixed, *tokens]])[0]

    weight = sum(float(row(start[:size])[start[size]]) for size in range(len(start)))
    waiting = [(tuple(start), weight)]
    while waiting:
        sequence, weight = waiting.pop()
        text = tok.decode(sequence)
        rows = row(sequence)
        if text == data and (not ends or encode is None or encode(data.decode()) == list(sequence)):
            found += math.exp(weight + float(rows[tok.eos_token_ids[0]])) if ends else math.exp(weight)
        if text == data:
            continue
        for token in range(tok.vocab_size):
            more = text + tok.token_bytes(token)
            if more == text or not (data.startswith(more) or (not ends and more.startswith(data))):
                continue
            if encode is not None and not is_begun(encode, more, [*sequence, token], random):
                continue
            if len(more) >= len(data) and not ends:
                found += math.exp(weight + float(rows[token]))
            else:
                waiting.append(((*sequence, token), weight + float(rows[token])))
    return found


def scores(
    tok: ff.Tokenizer,
    encode: Callable[[str], list[int]] | None,
    log_probs: Rows,
    fixed: Sequence[int],
    start: Sequence[int],
    prompt: str,
    options: Sequence[str],
    then: str | None,
) -> dict[str, float]:
    """What `score` gives for a prompt that follows `fixed` and begins with the tokens `start`."""
    texts = [prompt + option + (then or "") for option in options]
    every = [text_probability(tok, encode, log_probs, fixed, start, one.encode(), then is None) for one in texts]
    own = list(every)
    if then is not None:
        # A text that goes on with several options counts for the longest: each takes its part from the next shorter.
        for index, text in enumerate(texts):
            shorter = [other for other in texts if other != text and text.startswith(other)]
            if shorter:
                own[texts.index(max(shorter, key=len))] -= every[index]
    return {option: one / sum(own) for option, one in zip(options, own, strict=True)}


def written(
    tok: ff.Tokenizer,
    encode: Callable[[str], list[int]],
    log_probs: Rows,
    prompt: str,
    texts: Sequence[str],
    temperature: float = 1.0,
    top_p: float = 1.0,
) -> dict[str, float]:
    """How probable each of some texts is, if one of them is written after a prompt: its definition, over all tokens.

    Which tokens are forced is asked of the package.
    """
    random = Random(1)
    whole = [(prompt + one).encode() for one in texts]
    eos = tok.eos_token_ids[0]
    grammar = ff.compile_choice([one.decode() for one in whole], tok)
    found = dict.fromkeys(texts, 0.0)

    def row(tokens: Sequence[int]) -> Any:
        rows = log_probs([list(tokens)])[0] / temperature
        return rows - np.logaddexp.reduce(rows)

    def kept(weights: dict[Any, float]) -> dict[Any, float]:
        """The heaviest ones that have a share of top_p, normalised."""
        order = sorted(weights, key=lambda one: -weights[one])
        bound = top_p * sum(weights.values())
        few, share = [], 0.0
        for one in order:
            few.append(one)
            share += weights[one]
            if share >= bound:
                break
        return {one: weights[one] / share for one in few}

    def fits(data: bytes) -> bool:
        return any(one.startswith(data) for one in whole)

    begun: dict[tuple[int, ...], float] = {}
    waiting: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while waiting:
        sequence, weight = waiting.pop()
        data = tok.decode(sequence)
        if len(data) >= len(prompt.encode()):
            begun[sequence] = weight
            continue
        for token in range(tok.vocab_size):
            more = data + tok.token_bytes(token)
            if more != data and fits(more) and is_begun(encode, more, [*sequence, token], random):
                waiting.append(((*sequence, token), weight * math.exp(float(row(sequence)[token]))))
    waiting = list(kept(begun).items())
    while waiting:
        sequence, weight = waiting.pop()
        data = tok.decode(sequence)
        matcher = grammar.matcher()
        assert matcher.accept_tokens(sequence) == len(sequence)
        forced = matcher.forced_tokens()
        if forced:
            if forced[-1] == eos:
                found[tok.decode(sequence + tuple(forced[:-1])).decode()[len(prompt) :]] += weight
            else:
                waiting.append((sequence + tuple(forced), weight))
            continue
        rows = row(sequence)
        allowed = {
            token: math.exp(float(rows[token]))
            for token in range(tok.vocab_size)
            if (tok.token_bytes(token) and fits(data + tok.token_bytes(token))) or (token == eos and data in whole)
        }
        for token, share in kept(allowed).items():
            if token == eos:
                found[data.decode()[len(prompt) :]] += weight * share
            else:
                waiting.append(((*sequence, token), weight * share))
    return found
