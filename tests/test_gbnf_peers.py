"""GBNF beside xgrammar, on 41 grammars that both read. tests/long_checks/gbnf.py does more of the same."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from long_checks.gbnf import KNOWN, Judge, differing_masks, judge, languages, xgrammar_judge

LANGUAGES = dict(languages())

pytest.importorskip("xgrammar")


@pytest.fixture(scope="module")
def peer() -> Callable[[str], Judge | None]:
    made = xgrammar_judge()
    assert made is not None
    return made


@pytest.mark.parametrize("name", LANGUAGES)
def test_verdicts(name: str, peer: Callable[[str], Judge | None]) -> None:
    other = peer(LANGUAGES[name])
    assert other is not None
    found = judge(LANGUAGES[name], Random(name), 8, other)
    assert found.texts > 8 and found.wrong == []
    assert found.differing == [] or name in KNOWN


@pytest.mark.parametrize("name", ["chess", "counting", "turtle"])  # (xgrammar takes minutes for all of them)
def test_masks(name: str) -> None:
    assert differing_masks(name).keys() <= KNOWN.keys()
