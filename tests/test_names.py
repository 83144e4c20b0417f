"""The names that messages tell."""

from __future__ import annotations

import difflib
from random import Random

import pytest

from ffgrammar.grammar.json_schema.spec.keywords import BY_WORD
from ffgrammar.grammar.names import did_you_mean


@pytest.mark.parametrize("likeness", [0.6, 0.75])
def test_the_name_that_was_meant_is_the_one_that_difflib_finds(likeness: float) -> None:
    random = Random(5)
    told = 0
    for _ in range(2000):
        letters = list(random.choice([*BY_WORD]))
        for _ in range(random.randrange(6)):
            at = random.randrange(len(letters) + 1)
            letters[at : at + random.randrange(2)] = random.choice(["", "e", "t", "P", "-"])
        name = "".join(letters)
        like = difflib.get_close_matches(name, [*BY_WORD], 1, likeness)
        assert did_you_mean(name, BY_WORD, likeness) == (f"; did you mean {like[0]}?" if like else "")
        told += bool(like)
    assert 1000 < told < 2000
