"""One real tokenizer of each family: its rules against its reference package. `make tokenizers` fetches the files."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

import ffgrammar as ff
from oracle.real import FAMILIES, reference_of, tokenizers_dir
from oracle.rules_checks import check_coverings, check_following, check_masks, check_prompts, check_sequences


@pytest.mark.parametrize("family", FAMILIES)
def test_rules_are_those_of_the_reference(family: str, covered: Callable[[str], None]) -> None:
    for package in ("tokenizers", "tiktoken", "sentencepiece"):
        pytest.importorskip(package)
    folder = tokenizers_dir()
    path = None if folder is None else folder / FAMILIES[family]
    if path is None or not path.exists():
        pytest.skip("no real tokenizers: run make tokenizers, or set FFGRAMMAR_TOKENIZERS")
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
