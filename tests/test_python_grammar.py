"""grammars/python.lark against Python's own parser. `python tests/long_checks python` does the same on all files."""

from __future__ import annotations

import random

import pytest

import ffgrammar as ff
from long_checks.python import KINDS, REJECTED, accepts, compiled, disagreement, files, mutations, parses

# A text of each known kind.
ACCEPTED = {
    "type parameters before Python 3.12": "def f[T](x): pass",
    "a backslash before the end of the text": "x \\\n",
    "characters that cannot begin a name": "\u0300 = 1",
    "names of characters that do not exist": r"'\N{NO SUCH CHARACTER}'",
    "what stands in the braces of an f-string": "f'{a b}'",
}
NOT_ACCEPTED = {
    "tabs that indent": "if x:\n\ty",
    "a keyword right after a number": "1if 2else 3",
    "a line that ends with a carriage return alone": "x\ry",
    "a text of blanks only, or that begins with a backslash": "\\\nx",
}


@pytest.fixture(scope="module")
def grammar() -> ff.Grammar:
    return compiled()


def test_files_of_the_standard_library(grammar: ff.Grammar) -> None:
    texts = [text for _, text in files(max_bytes=8000, every=5)]
    assert len(texts) > 100
    rejected = [text for text in texts if not accepts(grammar, text)]
    assert len(rejected) <= 0.02 * len(texts)


def test_mutations(grammar: ff.Grammar) -> None:
    rng = random.Random(3)
    texts = [text for _, text in files(max_bytes=3000, every=4)]
    disagreements = [
        (changed, kind)
        for text in rng.sample(texts, 80)
        for changed in mutations(text, 5, rng)
        if (kind := disagreement(grammar, changed)) is not None
    ]
    assert [one for one in disagreements if one[1] == "unknown"] == []


def test_known_disagreements(grammar: ff.Grammar) -> None:
    assert ACCEPTED.keys() == KINDS.keys()
    assert NOT_ACCEPTED.keys() == REJECTED.keys()
    for kind, text in ACCEPTED.items():
        assert accepts(grammar, text), kind
        assert disagreement(grammar, text) in (kind, None), kind
    for kind, text in NOT_ACCEPTED.items():
        assert parses(text) is None, kind
        assert not accepts(grammar, text), kind
        assert disagreement(grammar, text) == kind


def test_random_texts(grammar: ff.Grammar) -> None:
    """Random tokens that masks allow lead to a program within a budget."""
    rng = random.Random(1)
    for _ in range(8):
        matcher = grammar.matcher(max_tokens=40)
        while not matcher.is_terminated():
            allowed = matcher.allowed_token_ids()
            assert len(allowed)
            assert matcher.accept_token(int(rng.choice(allowed)))
        assert disagreement(grammar, matcher.text_bytes.decode()) != "unknown"
