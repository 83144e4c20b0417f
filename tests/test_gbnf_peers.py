"""GBNF beside xgrammar, on 41 grammars that both read. tests/long_checks/gbnf.py does more of the same."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

import ffgrammar as ff
from long_checks.gbnf import KNOWN, Judge, differing_masks, judge, languages, xgrammar_judge
from sentences import BYTES, is_sentence

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


# Tags that overlap with others, or with excluded texts. (docs/gbnf.md says where one tag begins with another.)
TAGS = [
    'TagDispatch(("ab", x), ("b", y))',
    'TagDispatch(("aab", x), ("ba", y), loop_after_dispatch=false)',
    'TagDispatch(("aa", x), excludes=("c",)) "c"',
    'TagDispatch(("aa", y), excludes=("ca", "bb")) "ca"',
    '"b" TagDispatch(("ab", y), excludes=("ba",)) "1"?',
    'TagDispatch(("xay", x), excludes=("ay",))',
    'TagDispatch(("ab", x), excludes=("aa", "b1"))',
]


@pytest.mark.parametrize("body", TAGS)
def test_tags(body: str, peer: Callable[[str], Judge | None]) -> None:
    text = f'root ::= {body}\nx ::= "1"\ny ::= "2" | "1" y'
    other, grammar = peer(text), ff.compile_ebnf(text, BYTES)
    assert other is not None
    rng = Random(body)
    for _ in range(500):
        one = "".join(rng.choice("aab12cxy") for _ in range(rng.randint(0, 7)))
        assert is_sentence(grammar, one) == other(one), one


@pytest.mark.parametrize("name", ["chess", "counting", "turtle"])  # (xgrammar takes minutes for all of them)
def test_masks(name: str) -> None:
    assert differing_masks(name).keys() <= KNOWN.keys()
