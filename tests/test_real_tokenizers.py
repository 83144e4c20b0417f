"""One real tokenizer of each family: its rules against its reference package. `make tokenizers` fetches the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import ffgrammar as ff
from oracle.languages import allowed
from oracle.real import FAMILIES, reference_of, tokenizers_dir
from oracle.rules_checks import (
    check_along,
    check_coverings,
    check_following,
    check_masks,
    check_prompts,
    check_sequences,
)

# Strings in which many tokens lead to few places: of digits, of characters of a UUID, of a date.
STRINGS = {
    "^[0-9]{16}$": '"4111111111111111"',
    "^[0-9A-Za-z]{8}(-[0-9A-Za-z]{4}){3}-[0-9A-Za-z]{12}$": '"0f8fad5b-d9cb-469f-a165-70867728950e"',
    "^[0-9]{4}-[01][0-9]-[0-3][0-9]T": '"2026-11-28T12:00:00Z"',
    "^[a-z ]*$": '"spaces and  letters"',
}


def _path(family: str) -> Path:
    """The file of a family's tokenizer. Skips the test where it is not there."""
    folder = tokenizers_dir()
    path = None if folder is None else folder / FAMILIES[family]
    if path is None or not path.exists():
        pytest.skip("no real tokenizers: run make tokenizers, or set FFGRAMMAR_TOKENIZERS")
    return path


@pytest.mark.parametrize("family", FAMILIES)
def test_rules_are_those_of_the_reference(family: str, covered: Callable[[str], None]) -> None:
    for package in ("tokenizers", "tiktoken", "sentencepiece"):
        pytest.importorskip(package)
    path = _path(family)
    tok = ff.Tokenizer.from_file(path)
    assert tok.canon is not None, tok.canon_reason
    encode = reference_of(tok, path)
    random = Random(5)
    alive, dead, _ = check_sequences(tok, encode, random, 300)
    followed = check_following(tok, encode, random, 3)
    found = check_coverings(tok, encode, random, 12)
    places = check_masks(tok, encode, random, 20)
    after, _ = check_prompts(tok, encode, random, 20)
    assert min(alive, dead, followed, found, places, after) > 10
    covered(f"{alive + dead} sequences, {followed} tokens after others, {found} coverings, {places + after} masks")


@pytest.mark.parametrize("family", FAMILIES)
def test_many_tokens_of_one_place(family: str, covered: Callable[[str], None]) -> None:
    tok = ff.Tokenizer.from_file(_path(family))
    random = Random(6)
    asked = refused = 0
    for pattern, text in STRINGS.items():
        grammar = ff.compile_json_schema({"type": "string", "pattern": pattern}, tok)
        counts = check_along(tok, grammar, tok.encode(text), random)
        asked += counts[0]
        refused += counts[1]
    assert asked > 1000
    covered(f"{asked} tokens, {refused} refused")


@pytest.mark.parametrize("family", FAMILIES)
def test_short_strings_that_must_differ(family: str, covered: Callable[[str], None]) -> None:
    """Without a pre-tokenizer, only a whole sentence shows that a token is no dead end. Most short ways to one end the
    string with a token that ends the array, too."""
    tok = ff.Tokenizer.from_file(_path(family))
    name = {"type": "string", "maxLength": 39, "pattern": "^[a-zA-Z0-9](-?[a-zA-Z0-9])*$"}
    properties = {"who": {"type": "array", "uniqueItems": True, "items": name}, "title": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    grammar = ff.compile_json_schema(schema, tok, whitespace="compact", limits=ff.Limits(mask_work=2_000_000))
    asked, refused = check_along(tok, grammar, tok.encode('{"who":["Alice","bob"],"title":"x"}'), Random(7))
    assert refused
    covered(f"{asked} tokens, {refused} refused")


@pytest.mark.parametrize("family", FAMILIES)
def test_masks_after_any_kind_of_character(family: str, covered: Callable[[str], None]) -> None:
    """What a token does after one kind of character is copied from what it does after another that was asked about
    before. So two tokenizers are asked in opposite orders."""
    texts = ['"a', '"1', '"a-', '"a ', '"é', '"(', "\"'", '"中', '"A1']

    def masks(order: list[str]) -> dict[str, set[int]]:
        tok = ff.Tokenizer.from_file(_path(family))
        grammar = ff.compile_json_schema({"type": "string"}, tok)
        found = {}
        for text in order:
            matcher = grammar.matcher(canonical=True)
            if matcher.accept_tokens(tok.encode(text)) == len(tok.encode(text)):
                found[text] = allowed(matcher)
        return found

    one, other = masks(texts), masks(texts[::-1])
    assert one == other and len(one) > 3
    covered(f"masks after {len(one)} texts")
