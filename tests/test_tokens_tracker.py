"""Canonicality of sequences that grow: the same verdicts as the check of the whole sequence, forwards and back."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

import pytest

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.report import is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.tracker import CanonicalityTracker

PARTS = [*" \n\t'Ab1!/\u4e2d\u0301\u00a0\r", "  ", "   ", "\r\n", "'s", "'ll", "//", "22", "order", "don", " and"]
PARTS += [" a", "ing", "\u65e5\u672c", "\U0001f44d", "\U0001f642", '"', '":']


def some_tokens(random: Random, tok: Tokenizer) -> list[int]:
    """A text's own tokens, with a special one in between, one changed, or a byte that is no UTF-8."""
    ids = tok.encode("".join(random.choice(PARTS) for _ in range(random.randrange(1, 9))))
    for change in range(random.randrange(4)):
        place = random.randrange(len(ids) + 1)
        if change and random.random() < 0.3:
            ids.insert(place, tok.eos_token_ids[0])
        elif random.random() < 0.1:
            ids.insert(place, tok.trie.id_of(bytes([random.randrange(128, 256)])))
        elif random.random() < 0.7:
            ids.insert(place, random.randrange(3000))
    return ids


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_verdicts_are_those_of_the_whole_check(name: str, covered: Callable[[str], None]) -> None:
    tok = Tokenizer.from_tiktoken(name)
    random = Random(4)
    found: dict[str, int] = {}
    for _ in range(400):
        ids = some_tokens(random, tok)
        tracker = CanonicalityTracker(tok)
        assert tracker.verdict == "yes" and tracker.undecided == 0
        seen = []
        for count, token in enumerate(ids, 1):
            verdict = tracker.push(token)
            report = is_canonical(tok, ids[:count], complete=False)
            assert verdict == report.verdict == tracker.report().verdict, (ids[:count], report)
            if verdict == "undecided" and report.given == report.expected:
                assert tracker.undecided == count - report.settled, ids[:count]
            seen.append(verdict)
            found[verdict] = found.get(verdict, 0) + 1
        back = random.randrange(len(ids) + 1)
        tracker.rollback(back)
        kept = len(ids) - back
        assert tracker.tokens == tuple(ids[:kept]) and tracker.verdict == (["yes", *seen])[kept]
        assert tracker.extend(ids[kept:]) == seen[-1]
    assert min(found.values()) > 50
    covered(f"{name}: {found}")


@pytest.mark.parametrize("text", ["word and another, 12345. ", "  ", "x", "\n \n"])
def test_the_cost_does_not_grow(cl100k: Tokenizer, text: str) -> None:
    """Ten times the tokens take no more than some twenty times as long."""
    ids = cl100k.encode(text * 12_000)[:6000]
    spent = []
    for count in (len(ids) // 10, len(ids)):
        tracker = CanonicalityTracker(cl100k)
        start = time.process_time()
        tracker.extend(ids[:count])
        spent.append(time.process_time() - start)
        assert tracker.verdict != "no"
    assert spent[1] < 40 * spent[0] + 1


def test_errors(cl100k: Tokenizer) -> None:
    tracker = CanonicalityTracker(cl100k)
    with pytest.raises(TokenizerError, match="cannot take back"):
        tracker.rollback(1)
    with pytest.raises(TokenizerError, match="out of range"):
        tracker.push(1 << 30)
    assert tracker.tokens == ()
    with pytest.raises(TokenizerError, match="not known"):
        CanonicalityTracker(Tokenizer.from_tokens([b"a"]))


def test_rollback_takes_integers(cl100k: Tokenizer) -> None:
    tracker = CanonicalityTracker(cl100k)
    tracker.extend(cl100k.encode("one two"))
    for wrong in (1.5, "1", None):
        with pytest.raises(TypeError, match="integer"):
            tracker.rollback(wrong)  # type: ignore[arg-type]
    assert tracker.tokens == tuple(cl100k.encode("one two"))
