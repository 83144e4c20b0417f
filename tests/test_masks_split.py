"""Masks of states whose lexemes go on in very many combinations, against trying every token by its bytes."""

from __future__ import annotations

from typing import Any

import pytest

import ffgrammar as ff
from long_checks.masks import mask_of, vocabulary_tree
from oracle.masks import ByteTree, brute_force_mask

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _letters(letters: str, **bounds: int) -> dict[str, Any]:
    return {
        "type": "array",
        "allOf": [{"contains": {"type": "string", "pattern": letter}, **bounds} for letter in letters],
    }


def _other_items(letters: str) -> dict[str, Any]:
    """Arrays of strings that lack one of some letters, of short ones, and of numbers."""
    lacking = [{"type": "array", "items": {"pattern": f"^[^{letter}]*$"}, "minItems": 2} for letter in letters]
    return {"anyOf": [*lacking, {"type": "array", "items": {"maxLength": 4}}]}


SOURCES = {
    "each letter": {"oneOf": [_letters(LETTERS[:9]), _letters(LETTERS[9:18])]},
    "each letter, twice at most": {
        "oneOf": [_letters(LETTERS[:9], maxContains=2), _letters(LETTERS[9:18], maxContains=2)]
    },
    "each letter, once at most": {
        "oneOf": [_letters(LETTERS[:10], maxContains=1), _letters(LETTERS[9:19], maxContains=1)]
    },
    "one letter is missing": _other_items(LETTERS),
}
TEXTS = ('["', '["the', '["thequickbrownf', '["abcdefghijklmnopqrstuvw', '["a","b","a","mn","m","', '["","\\u00')


@pytest.fixture(scope="module")
def tree(cl100k: ff.Tokenizer) -> ByteTree:
    return vocabulary_tree(cl100k)


@pytest.mark.parametrize("name", SOURCES)
def test_masks(cl100k: ff.Tokenizer, tree: ByteTree, name: str) -> None:
    matcher = ff.compile_json_schema(SOURCES[name], cl100k, separators=(",", ":")).matcher()
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    looked_at = 0
    for text in TEXTS:
        if matcher.accept_bytes(text.encode()) == len(text):
            matcher.fill_bitmask(bitmask)
            assert mask_of(bitmask[0]) == brute_force_mask(matcher, tree, cl100k.eos_token_ids), text
            looked_at += 1
        matcher.reset()
    assert looked_at >= 4
