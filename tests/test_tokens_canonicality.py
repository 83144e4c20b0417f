"""Canonicality of whole sequences and of sequences that grow: on many tokenizers, fast checks agree with slow ones."""

from __future__ import annotations

import importlib.util
import itertools
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from ffgrammar.tokens.report import CanonicalityReport, is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.tracker import CanonicalityTracker
from ffgrammar.tokens.vocabulary.normal_form import is_normal
from oracle.canonical import changed_tokens, is_begun, split_end
from oracle.trained import KINDS, make, random_text

EMBEDDED = ["cl100k_base", "o200k_base"]
ROUNDS = 120


@pytest.fixture(params=[*EMBEDDED, *KINDS])
def tok(request: pytest.FixtureRequest) -> Tokenizer:
    if request.param in EMBEDDED:
        return Tokenizer.from_tiktoken(request.param)
    if importlib.util.find_spec("tokenizers") is None:
        pytest.skip("needs the package tokenizers")
    return make(request.param)[1]


def some_tokens(random: Random, tok: Tokenizer, most: int) -> list[int]:
    """A text's own tokens or others, with special tokens and bytes that are no UTF-8 in between."""
    ids: list[int] = []
    while not ids:
        text = random_text(random, most)
        ids = (changed_tokens(random, tok, text) if random.random() < 0.5 else tok.encode(text)) or []
    for _ in range(random.choice([0, 0, 0, 1, 2])):
        other = random.choice([*tok.special_tokens.values(), random.randrange(tok.vocab_size)])
        ids.insert(random.randrange(len(ids) + 1), other)
    if random.random() < 0.1:
        byte = tok.trie.id_of(bytes([random.randrange(128, 256)]))
        ids.insert(random.randrange(len(ids) + 1), byte if byte >= 0 else ids[0])
    return ids


def parts_of(tok: Tokenizer, ids: list[int]) -> list[list[int]]:
    """The tokens between special ones."""
    parts: list[list[int]] = [[]]
    for token in ids:
        if tok.is_special(token):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def is_own(tok: Tokenizer, ids: list[int]) -> bool:
    """The definition: decode, encode, compare."""
    return all(tok.encode(tok.decode(part)) == part for part in parts_of(tok, ids) if part)


def is_plain(data: bytes) -> bool:
    """Whether bytes are UTF-8 without the character that stands for the space in some vocabularies."""
    try:
        return "\u2581" not in data.decode()
    except UnicodeDecodeError:
        return False


def slow_report(tok: Tokenizer, ids: list[int], complete: bool) -> CanonicalityReport:
    """The report by encoding the text, and by its coverings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tokenizer, "writes", lambda self, ids: False)
        return is_canonical(tok, ids, complete=complete)


def test_the_fast_check_is_the_definition(tok: Tokenizer, covered: Callable[[str], None]) -> None:
    random = Random(1)
    found: Counter[tuple[bool, bool]] = Counter()
    for _ in range(3 * ROUNDS):
        ids = some_tokens(random, tok, random.choice([4, 12, 60]))
        own, fast = is_own(tok, ids), tok.writes(tuple(ids))
        found[own, fast] += 1
        assert own == fast or (own and not all(is_plain(tok.decode(part)) for part in parts_of(tok, ids))), ids
        report = is_canonical(tok, ids)
        assert report == slow_report(tok, ids, True), ids
        assert is_canonical(tok, ids, complete=False) == slow_report(tok, ids, False), ids
        assert bool(report) == own and report.given == tuple(ids), ids
        assert report.verdict == ("yes" if own else "no") and (report.expected == tuple(ids)) == own, ids
    assert found[True, True] > ROUNDS and found[False, False] > 5
    covered(f"(canonical, found fast): {dict(found)}")


def test_the_fast_check_knows_what_it_cannot_know(cl100k: Tokenizer) -> None:
    assert cl100k.writes(()) and cl100k.writes((100257, 9906, 1917, 100257))
    assert not cl100k.writes((1 << 40,)) and not cl100k.writes((-1,)) and not cl100k.writes((cl100k.vocab_size,))
    assert not cl100k.writes((9906.0,)) and not cl100k.writes((100256,))
    assert not Tokenizer.from_tokens([b"a"], encode=lambda data: [0] * len(data)).writes((0,))


def test_the_tracker_says_what_the_whole_check_says(tok: Tokenizer, covered: Callable[[str], None]) -> None:
    """After each token, also after a rollback."""
    random = Random(2)
    found: Counter[str] = Counter()
    for _ in range(ROUNDS):
        tracker = CanonicalityTracker(tok)
        ids: list[int] = []
        for token in some_tokens(random, tok, 12) + some_tokens(random, tok, 6):
            if random.random() < 0.1:
                back = random.randrange(min(6, len(ids)) + 1)
                tracker.rollback(back)
                ids = ids[: len(ids) - back]
            ids.append(token)
            verdict = tracker.push(token)
            report = slow_report(tok, ids, False)
            assert verdict == tracker.verdict == report.verdict and tracker.tokens == tuple(ids), ids
            if verdict == "undecided" and report.given == report.expected:
                assert tracker.undecided == len(ids) - report.settled, ids
            found[verdict] += 1
            if verdict == "no" and random.random() < 0.3:
                break
    assert min(found[verdict] for verdict in ("yes", "no", "undecided")) > 5
    covered(f"{dict(found)}")


def test_no_text_has_what_is_refused(tok: Tokenizer, covered: Callable[[str], None]) -> None:
    """Texts that go on in many ways: after "no", none begins with the tokens; after "yes", all do."""
    random = Random(3)
    found: Counter[str] = Counter()
    for _ in range(ROUNDS):
        ids = changed_tokens(random, tok, random_text(random, 5))
        if not ids:
            continue
        report = is_canonical(tok, ids, complete=False)
        begun = is_begun(tok.encode, tok.decode(ids), ids, random)
        assert not begun or report.verdict != "no", ids
        text, cut = split_end(tok.decode(ids)) or ("", b"no text")
        if report.verdict == "yes" and not cut:
            for more in ("a", "'s", " ", "\n", "1", "\u0301"):
                in_form = tok.normal_form is None or is_normal(tok.normal_form, text + more)
                assert tok.encode(text + more)[: len(ids)] == ids or not in_form, (ids, more)
        found[f"{report.verdict}, {'found' if begun else 'not found'}"] += 1
    covered(f"{dict(found)}")


@pytest.mark.parametrize("text", ["a\u00e9", "\n   \u51c0", "\u00df\n\n\u00c2", " \U0001f642", "\u00a0\u0301"])
def test_texts_that_end_inside_a_character(tok: Tokenizer, text: str) -> None:
    """A special token, the missing bytes, or bytes that make it no UTF-8 follow. Then all tokens are taken back."""
    data = text.encode()
    special = next(iter(tok.special_tokens.values()))
    for cut in range(1, len(data)):
        tracker = CanonicalityTracker(tok)
        for more in ([special, *tok.encode("a")], tok.encode(data[cut:]), tok.encode(" b"), [special, special]):
            ids = tok.encode(data[:cut]) + more
            for count, token in enumerate(ids, 1):
                verdict = tracker.push(token)
                assert verdict == tracker.verdict == slow_report(tok, ids[:count], False).verdict, ids[:count]
            tracker.rollback(len(ids))


@pytest.mark.parametrize("name", EMBEDDED)
@pytest.mark.parametrize("text", ["a", "ab", " ", "  \n", "\u4e2d\u6587", "=", "Ab1'", "\U0001f642"])
def test_long_pretokens(name: str, text: str) -> None:
    """The end that is not settled is searched again and again; what a search settles stays settled."""
    tok = Tokenizer.from_tiktoken(name)
    ids = tok.encode(text * 300)
    tracker = CanonicalityTracker(tok)
    for count, token in enumerate(ids, 1):
        verdict = tracker.push(token)
        if count % 7 == 0 or count > len(ids) - 3:
            report = slow_report(tok, ids[:count], False)
            assert report == is_canonical(tok, ids[:count], complete=False)
            assert verdict == report.verdict and (verdict != "undecided" or tracker.undecided == count - report.settled)


@pytest.mark.parametrize("text", ["\u4e2dA!a", "a' \u0301", "\u4e2dA\r ", "\u0301A!\u4e2d"])
def test_texts_that_may_be_cut_in_two_ways(text: str) -> None:
    """One character ends a pre-token in both ways, and only then it is known which of them is right."""
    tok = Tokenizer.from_tiktoken("o200k_base")
    ids = tok.encode(text)
    report = is_canonical(tok, ids, complete=False)
    assert report == slow_report(tok, ids, False)
    tracker = CanonicalityTracker(tok)
    for token in ids:
        tracker.push(token)
    assert tracker.verdict == report.verdict and tracker.undecided == len(ids) - report.settled


def test_a_character_that_is_a_token_is_not_written_in_bytes() -> None:
    pytest.importorskip("tokenizers")
    hf, tok = make("llama 2")
    ids = [hf.token_to_id(f"<0x{value:02X}>") for value in "\u1161\u4e2d".encode()]
    assert tok.encode("\u1161\u4e2d") == [*ids[:3], hf.token_to_id("\u4e2d")]
    # (what is kept of these pairs must not matter)
    assert tok.canon is not None
    assert all(tok.canon.merges.may_follow(one, other) for one, other in itertools.pairwise(ids))
    assert not tok.writes(tuple(ids)) and not is_canonical(tok, ids)
    assert bool(is_canonical(tok, ids[:3]))
