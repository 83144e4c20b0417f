"""Canonicality: verdicts, divergences, and that what is called settled cannot be changed by any continuation."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.report import is_canonical, settled_bytes
from ffgrammar.tokens.tokenizer import Tokenizer

# What makes pre-token boundaries move: white space of all kinds, contractions, case changes, letters without case,
# digits.
WORDS = st.sampled_from([*" \n\t'Ab1!/\u4e2d\u0301\u00a0", "  ", "\r\n", "'s", "'l", "don", "22", "word"])
TEXTS = st.lists(WORDS, max_size=12).map("".join)


def test_canonical_and_not(cl100k) -> None:
    ids = cl100k.encode("hello world")
    report = is_canonical(cl100k, ids)
    assert report.verdict == "yes" and report and report.given == report.expected == tuple(ids)
    assert report.first_divergence is None and report.byte_offset is None and report.settled == 2
    split = [*cl100k.encode("hello"), *cl100k.encode(" wor"), *cl100k.encode("ld")]
    report = is_canonical(cl100k, split)
    assert report.verdict == "no" and not report and report.expected == tuple(ids)
    assert (report.first_divergence, report.byte_offset) == (1, 5)


def test_nothing_is_canonical(cl100k) -> None:
    for complete in (True, False):
        assert is_canonical(cl100k, [], complete=complete).verdict == "yes"
        assert is_canonical(cl100k, text="", complete=complete).verdict == "yes"
        assert is_canonical(cl100k, [], "", complete=complete).verdict == "yes"


def test_special_tokens_are_boundaries(cl100k) -> None:
    hello, world, eos = *cl100k.encode("hello world"), 100257
    assert is_canonical(cl100k, [eos, hello, eos, world, eos]).verdict == "yes"
    assert is_canonical(cl100k, [eos, eos]).verdict == "yes"
    halves = [*cl100k.encode("hel"), *cl100k.encode("lo")]
    assert is_canonical(cl100k, halves).verdict == "no"
    # The same halves, kept apart by a special token, are what they must be.
    assert is_canonical(cl100k, [halves[0], eos, halves[1]]).verdict == "yes"
    report = is_canonical(cl100k, [world, eos, *halves, eos])
    assert report.verdict == "no" and report.first_divergence == 2
    assert report.byte_offset == len(b" world<|endoftext|>")


def test_ids_and_text(cl100k) -> None:
    ids = cl100k.encode("hello world")
    assert is_canonical(cl100k, ids, "hello world").verdict == "yes"
    assert is_canonical(cl100k, ids, b"hello world").verdict == "yes"
    report = is_canonical(cl100k, ids, "hello there")
    assert report.verdict == "no" and report.expected == tuple(cl100k.encode("hello there"))
    assert (report.first_divergence, report.byte_offset) == (1, 5)
    assert is_canonical(cl100k, ids[:1], "hello world").first_divergence == 1
    assert is_canonical(cl100k, ids, "hello").first_divergence == 1
    assert is_canonical(cl100k, [100257], "<|endoftext|>").verdict == "yes"
    assert is_canonical(cl100k, text="hello world").given == tuple(ids)


def test_ids_without_bytes_are_not_canonical(cl100k) -> None:
    report = is_canonical(cl100k, [15339, 100256])
    assert report.verdict == "no" and report.first_divergence == 1


def test_an_unfinished_text(cl100k) -> None:
    # "ord" may become part of "order", "orderId" ...: nothing is decided, right or wrong
    assert is_canonical(cl100k, cl100k.encode("ord"), complete=False).verdict == "undecided"
    # "or" is merged, whatever follows
    letters = [token for letter in "ord" for token in cl100k.encode(letter)]
    report = is_canonical(cl100k, letters, complete=False)
    assert report.verdict == "no" and report.first_divergence == 0 and report.settled == 0
    # further back, a wrong token stays wrong
    report = is_canonical(cl100k, [*letters, *cl100k.encode(" and some more words")], complete=False)
    assert report.verdict == "no" and report.first_divergence == 0
    # the same ids, right so far, and settled but for their end
    report = is_canonical(cl100k, cl100k.encode("one and some more words"), complete=False)
    assert report.verdict == "undecided" and report.first_divergence is None and report.settled == 4
    # a special token ends what can change
    assert is_canonical(cl100k, [*cl100k.encode("ord"), 100257], complete=False).verdict == "yes"
    assert is_canonical(cl100k, [*letters, 100257], complete=False).verdict == "no"
    # another text is wrong however it goes on
    assert is_canonical(cl100k, cl100k.encode("ord"), "xrd", complete=False).verdict == "no"


def test_tokens_that_only_more_text_makes_right(o200k) -> None:
    apart = o200k.trie.id_of(b" I'")
    report = is_canonical(o200k, [apart], complete=False)
    assert report.verdict == "undecided" and report.first_divergence == 0 and report.settled == 0
    assert is_canonical(o200k, [apart]).verdict == "no"


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@given(text=TEXTS, more=TEXTS)
def test_settled_is_settled(name: str, text: str, more: str) -> None:
    tok = tokenizer(name)
    count = settled_bytes(tok, text.encode())
    now, later = tok.encode(text), tok.encode(text + more)
    end = 0
    for index, token in enumerate(now):
        end += len(tok.token_bytes(token))
        if end > count:
            break
        assert later[index] == token


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@given(text=TEXTS, more=TEXTS, seed=st.integers(0, 1000))
def test_no_means_no_continuation(name: str, text: str, more: str, seed: int) -> None:
    tok = tokenizer(name)
    rng = random.Random(seed)
    ids = []
    for token in tok.encode(text):
        data = tok.token_bytes(token)
        cut = rng.randrange(len(data)) if rng.random() < 0.3 else 0
        ids += [tok.trie.id_of(part) for part in (data[:cut], data[cut:]) if part and tok.trie.id_of(part) >= 0]
    text = tok.decode(ids)
    report = is_canonical(tok, ids, complete=False)
    later = tok.encode(text + more.encode())
    if report.verdict == "no":
        assert later[: len(ids)] != ids
    if report.verdict == "yes":
        assert later[: len(ids)] == ids
    assert is_canonical(tok, ids).verdict == ("yes" if tok.encode(text) == ids else "no")


_TOKENIZERS: dict[str, Tokenizer] = {}


def tokenizer(name: str) -> Tokenizer:
    """Shared by the examples of a property test."""
    return _TOKENIZERS.setdefault(name, _TOKENIZERS.get(name) or Tokenizer.from_tiktoken(name))


def test_pretokens_that_are_not_known_decide_nothing() -> None:
    tok = Tokenizer.from_tokens([bytes([value]) for value in range(256)] + [b"ab", b"<e>"], 257, encode=merge_ab)
    assert is_canonical(tok, list(b"xab"), complete=False).verdict == "undecided"
    assert is_canonical(tok, list(b"xab")).verdict == "no"
    assert is_canonical(tok, [ord("x"), 256]).verdict == "yes"
    assert is_canonical(tok, [*b"xab", 257], complete=False).verdict == "no"


def merge_ab(data: bytes) -> list[int]:
    return [256 if part == b"ab" else part[0] for part in split_ab(data)]


def split_ab(data: bytes) -> list[bytes]:
    parts = []
    while data:
        size = 2 if data.startswith(b"ab") else 1
        parts.append(data[:size])
        data = data[size:]
    return parts


def test_errors(cl100k) -> None:
    with pytest.raises(TokenizerError, match="give ids, text or both"):
        is_canonical(cl100k)
    with pytest.raises(TokenizerError, match="out of range"):
        is_canonical(cl100k, [1 << 30])
    with pytest.raises(TokenizerError, match="cannot encode: from_tokens does not say"):
        is_canonical(Tokenizer.from_tokens([b"a"]), [0])
    report = is_canonical(cl100k, [15339])
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.verdict = "no"
