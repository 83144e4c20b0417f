"""Masks of lexemes that are intersections of many expressions, against trying every token by its bytes."""

from __future__ import annotations

import random
from typing import Any

import pytest

import ffgrammar as ff
from hostile.sources import LETTERS, WORDS, string
from long_checks.masks import mask_of, vocabulary_tree
from oracle.masks import ByteTree, brute_force_mask

PRIMES = [n for n in range(2, 230) if all(n % other for other in range(2, n))]
CLASSES = [f"[{first}-{last}]" for first, last in zip(LETTERS[:20], LETTERS[3:23], strict=True)]
IDN = string(format="idn-hostname")
EVEN = [{"pattern": f"^[^{letter}]*({letter}[^{letter}]*{letter}[^{letter}]*)*$"} for letter in LETTERS]
PASSWORDS = [string(pattern=f"^(?=.*{letter})(?=.*[0-9]).{{8,20}}$") for letter in LETTERS]


def _words(count: int) -> list[dict[str, Any]]:
    return [string(pattern=word) for word in WORDS[:count]]


SOURCES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "a name with one word": (
        {"allOf": [IDN, {"oneOf": _words(4)}]},
        ('"', '"a', '"xn', '"ab.ca', '"cat-é', '"dog.ma'),
    ),
    "a name or one word": ({"oneOf": [IDN, *_words(4)]}, ('"', '"a', '"-', '"a cat', '"cat', '"日本')),
    "a name of all words": ({"allOf": [IDN, *_words(3)]}, ('"', '"a', '"cat.sun', '"catdog.su')),
    "a short name": ({"allOf": [IDN, string(maxLength=70)]}, ('"', '"a', '"' + "ab" * 31 + "c", '"' + "abc." * 17)),
    "long labels": (IDN, ('"' + "a" * 58, '"' + "a" * 62, '"é' + "a" * 57, '"é' + "a" * 58, '"' + "abc." * 62)),
    "a multiple of one prime": (
        {"oneOf": [{"type": "integer", "multipleOf": prime} for prime in PRIMES[:20]]},
        ("", "1", "-", "210", "221"),
    ),
    "a multiple of one number": (
        {"oneOf": [{"type": "number", "multipleOf": of} for of in (*PRIMES[3:12], 2.5, 1.3, 0.7, 0.9)]},
        ("", "1", "-", "21", "7.5", "2.6"),
    ),
    "one class": ({"oneOf": [string(pattern=one * 2) for one in CLASSES[:12]]}, ('"', '"a', '"cab', '"zz')),
    "classes, once each": (
        {"type": "array", "allOf": [{"contains": string(pattern=one), "maxContains": 1} for one in CLASSES[:9]]},
        ('["', '["z","z', '["a","e', '["abcdefghi"'),
    ),
    "letters, twice each": (
        string(allOf=[{"pattern": f"{letter}.*{letter}"} for letter in LETTERS[:9]]),
        ('"', '"a', '"abab', '"abcdefghi'),
    ),
    "an even number of each letter": (
        string(allOf=EVEN[:10]),
        ('"', '"a', '"abab', '"abcdefghi'),
    ),
    "an odd number of each letter": (string(**{"not": {"anyOf": EVEN[:10]}}), ('"', '"a', '"abab', '"abcdefghi')),
    "one even number": ({"oneOf": [string(**one) for one in EVEN[:8]]}, ('"', '"a', '"abab', '"abcdefgh')),
    "some of each letter": (
        string(allOf=[{"pattern": f"^[^{c}]*({c}[^{c}]*){{{n}}}$"} for n, c in enumerate(LETTERS[:8], 1)]),
        ('"', '"a', '"bc', '"hhhhhhhh', '"abb'),
    ),
    "one password": ({"oneOf": PASSWORDS[:6]}, ('"', '"a', '"x1', '"axy', '"1234567', '"xxxxxxxxxxxxxxxxxxa')),
    "all passwords": ({"allOf": PASSWORDS[:8]}, ('"', '"a', '"ab', '"x1', '"1234567', '"xxxxxxxxxxx')),
    "letters that are words": (
        string(allOf=[{"pattern": rf"\b{letter}\b"} for letter in LETTERS[:10]]),
        ('"', '"a', '"a b', '"abc é', '"d-e-'),
    ),
    "two kinds of strings": (
        {"anyOf": [string(allOf=_words(4), minLength=14), {"allOf": [IDN, string(pattern="^[^a]*$")]}]},
        ('"', '"b', '"bé', '"catdog'),
    ),
}


@pytest.fixture(scope="module")
def tree(cl100k: ff.Tokenizer) -> ByteTree:
    return vocabulary_tree(cl100k)


@pytest.mark.parametrize("name", SOURCES)
def test_masks(cl100k: ff.Tokenizer, tree: ByteTree, name: str) -> None:
    schema, texts = SOURCES[name]
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    matcher = ff.compile_json_schema(schema, cl100k, separators=(",", ":")).matcher()
    for text in texts:
        assert matcher.accept_bytes(text.encode()) == len(text.encode())
        matcher.fill_bitmask(bitmask)
        assert mask_of(bitmask[0]) == brute_force_mask(matcher, tree, cl100k.eos_token_ids), text
        matcher.reset()


# name: a source and a text; how many lexer states the masks along it may add. (Walks over the vocabulary that follow
# the intersections themselves add more, and end in a limit.)
CHEAP: dict[str, tuple[dict[str, Any], bytes, int]] = {
    "a name with one of 12 words": ({"allOf": [IDN, {"oneOf": _words(12)}]}, b'"abc.cat', 1500),
    "a name of 12 words": ({"allOf": [IDN, *_words(12)]}, b'"abc.cat', 1500),
    "a multiple of one of 50 primes": (
        {"oneOf": [{"type": "integer", "multipleOf": prime} for prime in PRIMES]},
        b"12345",
        4000,
    ),
    "20 letters, twice each": (
        string(allOf=[{"pattern": f"{letter}.*{letter}"} for letter in LETTERS[:20]]),
        b'"abzc',
        6000,
    ),
    "20 look-aheads": (
        string(pattern="^" + "".join(f"(?=.*{letter})" for letter in LETTERS[:20]) + ".{8,64}$"),
        b'"abzc',
        6000,
    ),
    "an even number of 20 letters": (string(allOf=EVEN[:20]), b'"aab', 6000),
    "one even number of 20": ({"oneOf": [string(**one) for one in EVEN[:20]]}, b'"aab', 20000),
    "one of 16 passwords": ({"oneOf": PASSWORDS[:16]}, b'"axy1y', 6000),
    "exactly one of two kinds of names": ({"oneOf": [IDN, string(format="hostname")]}, b'"abc.e', 30000),
}


@pytest.mark.parametrize("name", CHEAP)
def test_costs(cl100k: ff.Tokenizer, name: str) -> None:
    schema, text, most = CHEAP[name]
    grammar = ff.compile_json_schema(schema, cl100k)
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    for byte in text:
        matcher.fill_bitmask(bitmask)
        assert matcher.accept_bytes(bytes([byte])) == 1
    matcher.fill_bitmask(bitmask)
    assert grammar.stats()["lexer_states"] <= most


def test_caches_that_are_dropped_give_their_memory_back(cl100k: ff.Tokenizer) -> None:
    schema, text, _ = CHEAP["a name with one of 12 words"]
    most = 2_000_000
    grammar = ff.compile_json_schema(schema, cl100k, limits=ff.Limits(cache_bytes=most))
    matcher = grammar.matcher()
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    drops = 0
    for byte in text:
        matcher.fill_bitmask(bitmask)
        assert matcher.accept_bytes(bytes([byte])) == 1
        if grammar.stats()["cache_drops"] > drops:
            drops = grammar.stats()["cache_drops"]
            assert grammar.stats()["cache_bytes"] <= most // 2
    assert drops


def test_random_walks(cl100k: ff.Tokenizer, tree: ByteTree) -> None:
    """Along random texts, each of which is read with other witnesses."""
    random_ = random.Random(5)
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    names = ("a name or one word", "a multiple of one prime", "two kinds of strings", "one even number", "one password")
    for name in names:
        matcher = ff.compile_json_schema(SOURCES[name][0], cl100k).matcher()
        for _ in range(6):
            matcher.fill_bitmask(bitmask)
            allowed = sorted(mask_of(bitmask[0]))
            assert set(allowed) == brute_force_mask(matcher, tree, cl100k.eos_token_ids), name
            going_on = [token for token in allowed if token not in cl100k.eos_token_ids]
            if not going_on:
                break
            assert matcher.accept_token(random_.choice(going_on))
