"""Tokenizers that put a text into a Unicode normal form before they cut it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from random import Random

import pytest

import ffgrammar as ff
from ffgrammar.tokens.pretokenize.properties import LOWERCASE, property_ranges
from ffgrammar.tokens.vocabulary.normal_form import (
    BOUNDARIES,
    FORMS,
    UNICODE_FORMS,
    is_normal,
    start_of_last_boundary,
)
from oracle.languages import compare as compare_masks
from oracle.languages import some_language
from oracle.trained import make, some_texts

pytest.importorskip("tokenizers")

# First characters of compositions, marks, and characters that decompose
OTHERS = "e<A\u0301\u0327\u0345\u0915\u0928\u0b47\u0dd9\u1100\uac00\u3046\u30ab\u05d1\u00a8\ufb01\U000110a5\U0001d15f"


@pytest.mark.python_only
def test_boundaries_do_not_combine_with_what_stands_before_them() -> None:
    for form in UNICODE_FORMS:
        before = {other: unicodedata.normalize(form, other) for other in OTHERS}
        for first, last in BOUNDARIES:
            for code in range(first, last + 1):
                alone = unicodedata.normalize(form, chr(code))
                for other, normal in before.items():
                    assert unicodedata.normalize(form, other + chr(code)) == normal + alone, (form, other, hex(code))


def test_the_last_boundary() -> None:
    assert start_of_last_boundary("") is start_of_last_boundary("\u0301\u0301") is None
    assert start_of_last_boundary("ab\u0301\u0301") == 1


def test_a_qwen_tokenizer_has_rules_for_texts_in_nfc() -> None:
    hf, tok = make("qwen")
    assert tok.normal_form == "NFC" and make("claude")[1].normal_form == "NFKC"
    assert make("gpt2")[1].normal_form is None
    composed, decomposed = "caf\u00e9 ole", "cafe\u0301 ole"
    assert tok.encode(decomposed) == tok.encode(composed) == hf.encode(decomposed).ids
    assert tok.decode(tok.encode(decomposed)) == composed.encode()
    # forced tokens spell the text as it is, so that the matcher takes them
    matcher = ff.compile_choice([f"{decomposed}A", f"{decomposed}B"], tok).matcher()
    forced = matcher.forced_tokens()
    assert tok.decode(forced) == decomposed.encode() and matcher.accept_tokens(forced) == len(forced)
    # but the tokenizer never writes these tokens
    assert not ff.is_canonical(tok, forced) and ff.is_canonical(tok, tok.encode(decomposed))
    report = ff.is_canonical(tok, forced, complete=False)
    assert report.verdict == "no" and report.expected == tuple(tok.encode(composed))


@pytest.mark.python_only
def test_what_is_normal_is_what_both_steps_leave_alone_in_either_order() -> None:
    from tokenizers.normalizers import Lowercase

    lower = Lowercase().normalize_str
    capitals = [chr(code) for first, last in property_ranges(LOWERCASE) for code in range(first, last + 1)]
    assert all(lower(one) != one for one in capitals)
    decomposed = [chr(code) for code in range(0x110000) if unicodedata.decomposition(chr(code))]
    random = Random(1)
    texts = [*capitals, *decomposed, *OTHERS]
    texts += ["".join(random.choices(texts, k=random.randrange(2, 5))) for _ in range(3000)]
    texts += [lower(text) for text in texts]
    for name in UNICODE_FORMS:
        form = next(form for form in FORMS if form.split() == [name, LOWERCASE])
        normal = 0
        for text in [*texts, *(unicodedata.normalize(name, text) for text in texts)]:
            kept = is_normal(form, text)
            assert kept == (lower(unicodedata.normalize(name, text)) == text), (name, text)
            assert kept == (unicodedata.normalize(name, lower(text)) == text), (name, text)
            assert is_normal(LOWERCASE, text) == (lower(text) == text)
            normal += kept
        assert 1000 < normal < 3 * len(texts)


@pytest.mark.parametrize("kind", ["lower case", "lower case on characters"])
def test_rules_in_lower_case(kind: str, covered: Callable[[str], None]) -> None:
    hf, tok = make(kind)
    assert tok.normal_form in ("NFC Lowercase", "Lowercase") and tok.canon is not None
    size = 0
    for text in some_texts(150_000, 5):
        # (the character that stands for the space is read as a space)
        normal = hf.normalizer.normalize_str(text).replace("\u2581", " ")
        expected = hf.encode(normal, add_special_tokens=False).ids
        assert tok.canon.encoder.encode_text(normal.encode()) == tok.encode(normal) == expected
        assert bool(ff.is_canonical(tok, expected))
        size += len(normal)
    random = Random(kind)
    places = 0
    for _ in range(25):
        sentences = {tok.decode(tok.encode(text)).decode() for text in some_language(random)}
        sequences = {tuple(hf.encode(text, add_special_tokens=False).ids) for text in sentences}
        matcher = ff.compile_choice(sorted(sentences), tok).matcher(canonical=True)
        places += compare_masks(tok, matcher, sequences, random)
    covered(f"{kind}: {size:,} characters, masks at {places} places")


def test_capitals_are_enforced_as_they_are() -> None:
    hf, tok = make("lower case")
    assert tok.encode("The word") == tok.encode("the word") == hf.encode("The word").ids
    matcher = ff.compile_choice(["The word", "The Xy"], tok).matcher()
    forced = matcher.forced_tokens()
    assert tok.decode(forced).startswith(b"The") and matcher.accept_tokens(forced) == len(forced)
    # but the tokenizer never writes these tokens
    report = ff.is_canonical(tok, forced, complete=False)
    assert report.verdict == "no" and tok.decode(report.expected).startswith(b"the")


@pytest.mark.parametrize("kind", ["qwen", "claude", "lower case", "lower case on characters"])
def test_tracker_and_report_agree_about_normal_forms(kind: str) -> None:
    _, tok = make(kind)
    random = Random(kind)
    parts = [
        "e",
        "\u0301",
        "\u00e9",
        " A",
        "\u030a",
        "\u0323",
        "\ufb01",
        "\u212b",
        "\u4e2d",
        "\u1100",
        "\u1161",
        "\u11a8",
        "the",
    ]
    verdicts = set()
    for _ in range(150):
        tracker = ff.CanonicalityTracker(tok)
        ids: list[int] = []
        for part in random.choices(parts, k=random.randrange(1, 12)):
            # (bytes by themselves are encoded as they are)
            for token in (
                tok.encode(part) if random.random() < 0.6 else [tok.trie.id_of(bytes([byte])) for byte in part.encode()]
            ):
                ids.append(token)
                verdict = tracker.push(token)
                verdicts.add(verdict)
                assert verdict == ff.is_canonical(tok, ids, complete=False).verdict, ids
        text = tok.decode(ids).decode()
        whole = ff.is_canonical(tok, ids)
        assert bool(whole) == (tok.encode(text) == ids)
        if not is_normal(tok.normal_form, text):
            assert tracker.verdict == "no"
    assert verdicts == {"yes", "no", "undecided"}
