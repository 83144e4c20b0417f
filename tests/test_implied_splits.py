"""The cuts that a vocabulary implies where there is no pre-tokenizer."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from string import ascii_letters, digits, punctuation

import pytest

from ffgrammar.tokens.loaders.implied_splits import implied_split
from ffgrammar.tokens.loaders.neighbours import neighbour_kinds
from ffgrammar.tokens.loaders.vocabulary_json import read_big_parts
from ffgrammar.tokens.pretokenize.table import PretokenTable
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens

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


def random_names(rng: random.Random, count: int) -> list[str]:
    letters = f"ab1\"'{SPACE}\u2580\u00e9\u4e2d\U0001f600\ud800"
    return sorted({"".join(rng.choices(letters, k=rng.randrange(1, 6))) for _ in range(count)})


@pytest.mark.parametrize("seed", range(20))
def test_neighbours_are_those_of_a_walk_over_characters(seed: int) -> None:
    names = random_names(random.Random(seed), 1 + 2 * seed)
    kind_of = bytearray(256)
    kind_of[ord("1")], kind_of[ord('"')] = 1, 2

    def kind(character: str) -> int:
        return 3 if character == SPACE else kind_of[ord(character)] if ord(character) < 0x80 else 0

    wanted = {(kind(one), kind(other)) for name in names for one, other in pairwise(name)}
    packed = PackedTokens([None, *(name.encode("utf-8", "surrogatepass") for name in names)])
    found = neighbour_kinds(packed, bytes(kind_of), SPACE.encode(), 4)
    assert {(one, other) for one in range(4) for other in range(4) if found[one][other]} == wanted


def test_kinds_are_checked() -> None:
    for kind_of, space in ((bytes(255), b" "), (b"\4" * 256, b" "), (bytes(256), b"")):
        with pytest.raises(ValueError, match="kind_of has 256 kinds"):
            neighbour_kinds(PackedTokens([b"a"]), kind_of, space, 4)


def test_names_in_a_table_are_cut_like_those_in_a_dict() -> None:
    names = [name for name in random_names(random.Random(0), 40) if "\ud800" not in name]
    vocabulary = {name: number for number, name in enumerate(names)}
    text = json.dumps({"model": {"type": "BPE", "vocab": vocabulary, "merges": []}}, ensure_ascii=False)
    config = read_big_parts(text.encode())
    assert config is not None
    split = implied_split(vocabulary, SPACE)
    assert split is not None and implied_split(config["model"]["vocab"], SPACE) == split


def test_ranges_have_the_characters_of_a_kind_and_no_others() -> None:
    kinds = [ascii_letters, digits, *punctuation]
    names = [kind[0] + kind[-1] for kind in kinds]
    for text in kinds:
        for one in text:
            others = "".join(other for other in map(chr, range(0x20, 0x7F)) if other not in text)
            assert cut(names, one + one) == [one + one]
            assert cut(names, one + others)[0] == one


@pytest.mark.parametrize("space", ["_", "#", "-", "a"])
def test_the_space_may_be_a_character_of_another_kind(space: str) -> None:
    split = implied_split(["b", "c", space, f"{space}b", "b1", f"\u00e9{space}", "\u00e9\u00e9"], space)
    assert split is not None
    text = " b1c b c\u00e9 b".encode()
    ends = PretokenTable([split], space).ends_of(text)
    pieces = [text[start:end].decode() for start, end in zip([0, *ends], ends, strict=False)]
    assert pieces == [" b1", "c", " b", " c", "\u00e9 b"]
