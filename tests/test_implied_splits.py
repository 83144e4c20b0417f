"""The cuts that a vocabulary implies where there is no pre-tokenizer."""

from __future__ import annotations

from string import punctuation

import pytest

from ffgrammar.tokens.loaders.implied_splits import implied_split
from ffgrammar.tokens.pretokenize.table import PretokenTable

SPACE = "\u2581"


def cut(names: list[str], text: str) -> list[str]:
    """The pieces of a text."""
    split = implied_split(names, SPACE)
    assert split is not None
    ends = PretokenTable([split], SPACE).ends_of(text.encode())
    return [text.encode()[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]


def test_a_text_is_cut_between_neighbours_that_no_token_has() -> None:
    names = ["a", "b", SPACE, "ab", f"{SPACE}a", '"', 'a"', "1", "\u4e2d", f"{SPACE}{SPACE}", ","]
    assert cut(names, 'ab ba"1  a,\u4e2d1,,') == ["ab", ' ba"', "1", "  a", ",", "\u4e2d", "1", ",", ","]


def test_neighbours_are_not_looked_for_across_names() -> None:
    assert cut(["a", "1"], "a1") == ["a", "1"]
    assert cut(["a1"], "a1aa11") == ["a1", "a", "a1", "1"]


def test_a_name_may_have_a_nul() -> None:
    assert cut(["a", "\0", "a\0"], "a\0a") == ["a\0", "a"]


def test_all_kinds_of_characters() -> None:
    kinds = ["a", "1", "\u00e9", SPACE, *punctuation]
    texts = [one + other for one in kinds for other in kinds]
    assert implied_split(texts, SPACE) is None
    for one, other in zip(kinds, reversed(kinds), strict=True):
        assert cut([one + other], (one + other).replace(SPACE, " ")) == [(one + other).replace(SPACE, " ")]


@pytest.mark.parametrize("kind", ["llama 2", "mistral", "odd characters"])
def test_no_token_is_cut(kind: str) -> None:
    pytest.importorskip("tokenizers")
    from oracle.trained import make

    tok = make(kind)[1]
    table = tok.canon.pretokens  # type: ignore[union-attr]
    texts = [tok.token_bytes(token) for token in range(tok.vocab_size)]
    whole = 0
    for text in texts:
        try:
            text.decode()
        except UnicodeDecodeError:
            continue
        if text:
            assert table.ends_of(text) == [len(text)]
            whole += 1
    assert whole > 200
