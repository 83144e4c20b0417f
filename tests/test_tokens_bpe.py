"""The byte-pair encoder against tiktoken, and against the definition on small random vocabularies."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.bpe.builtin_encoder import BuiltinEncoder
from ffgrammar.tokens.pretokenize.builtin import CharClasses
from ffgrammar.tokens.pretokenize.pack_classes import class_table, pack_classes
from ffgrammar.tokens.tokenizer import Tokenizer
from ffgrammar.tokens.vocabulary import embedded, pack
from ffgrammar.tokens.vocabulary.embedded import ENCODINGS
from ffgrammar.tokens.vocabulary.trie import TokenTrie
from long_checks.encoder import BYTES, Counts, compare, made
from long_checks.texts import GENERATED, alike
from oracle.tokens import merge_pretoken, read_ranks

NAMES = sorted(ENCODINGS)

# What the two patterns tell apart, and what is easily got wrong: contractions in every case (U+017F is one of s), marks
# alone and on letters, title case, letters without case, white space beyond ASCII, digits of several scripts.
ATOMS = [
    " ", "  ", "\n", "\r", "\r\n", "\t", "\x0b", "\x1c", "\x85", "\u00a0", "\u2028", "\u3000", "\x00",
    "a", "b", "ab", "S", "T", "L", "'", "'s", "'S", "'\u017f", "'ll", "'lL", "'ve", "'RE", "'d", "\u2019s", "don't",
    "1", "22", "333", "4444", "\u0663", "\u2167", "\u00bd", "\u4e2d", "\u6587", "\u3042", "\u00e9", "\u00c9", "e\u0301",
    "\u0301", "\u01c5", "\u02b0", "\u00aa", "\u0295", "!", "!!", "/", "//", "{", '"', '":', "_", "-", "\U0001f642",
    "\U0001f468\u200d\U0001f469", "\u200d", "\ufffd", "\U0010ffff", "HELLO", "World", "camelCase", "DEFfoo", "\u00df",
    "\u042f", "\u043f\u0440\u0438", "\u05e9\u05dc", "\u0939\u093f\u0928\u094d", "\u0e01", "K", "\u017f",
]  # fmt: skip


@pytest.fixture(scope="module", params=NAMES)
def pair(request: pytest.FixtureRequest):
    """(our tokenizer, tiktoken's encoding)"""
    tiktoken = pytest.importorskip("tiktoken")
    facts = ENCODINGS[request.param]
    ranks = read_ranks(pack.unpack(Path(embedded.DATA, f"{facts.data}.bin").read_bytes()))
    encoding = tiktoken.Encoding(
        request.param, pat_str=facts.pattern, mergeable_ranks=ranks, special_tokens=facts.special_tokens
    )
    return Tokenizer.from_tiktoken(request.param), encoding


@pytest.fixture(scope="module")
def stable_characters() -> str:
    """The code points that are in the same classes here and in the installed tiktoken (of another Unicode version?)."""
    pytest.importorskip("tiktoken")
    ours = CharClasses(Path(embedded.DATA, "..", "..", "pretokenize", "data", "classes.bin").read_bytes())
    same, _ = alike(ours, class_table())
    assert len(same) > 1_050_000
    return same


def random_text(rng: random.Random, stable: str) -> str:
    parts = []
    for _ in range(rng.randrange(14)):
        kind = rng.random()
        if kind < 0.7:
            parts.append(rng.choice(ATOMS))
        elif kind < 0.9:
            first, last = rng.choice([(0x20, 0x250), (0x300, 0x370), (0x400, 0x460)])
            parts.append(stable[stable.index(chr(first)) + rng.randrange(last - first)])
        else:
            parts.append(stable[rng.randrange(len(stable))])
    return "".join(parts)


def test_random_texts(pair, stable_characters: str, covered) -> None:
    tok, encoding = pair
    rng = random.Random(1)
    for _ in range(30_000):
        text = random_text(rng, stable_characters)
        expected = encoding.encode_ordinary(text)
        assert tok.encode(text) == expected, text
        assert tok.encode(text.encode()) == expected
        assert tok.decode(expected) == text.encode()
    covered(f"30,000 texts of {tok.name} equal tiktoken's")


def test_random_bytes(pair, stable_characters: str) -> None:
    tok, encoding = pair
    rng = random.Random(2)
    for _ in range(20_000):
        data = bytearray(random_text(rng, stable_characters).encode())
        for _ in range(rng.randint(1, 3)):
            data.insert(rng.randint(0, len(data)), rng.randrange(256))
        cut = bytes(data[: rng.randint(0, len(data))])
        assert tok.encode(cut) == encoding._encode_bytes(cut), cut


def test_megabytes_of_every_kind(pair, stable_characters: str, covered) -> None:
    """A small form of `python tests/long_checks encoder`, which is for fifty and more."""
    tok, encoding = pair
    counts = Counts()
    for kind in (*GENERATED, BYTES):
        for chunk in made(kind, random.Random(4), stable_characters, 230_000):
            compare(tok, encoding, chunk, counts)
    covered(f"{counts.size / 1e6:.1f} MB generated: {tok.name} equals tiktoken")
    assert counts.size > 2_000_000 and counts.differences == counts.failed == 0


def test_every_code_point(pair, stable_characters: str) -> None:
    tok, encoding = pair
    for joint in ("", " ", "a", "'"):
        for start in range(0, len(stable_characters), 60_000):
            text = joint.join(stable_characters[start : start + 60_000])
            if joint == "":
                # An endless run of letters is one pre-token; cut it so that the quadratic peer ends in time.
                text = "\n".join(text[k : k + 50] for k in range(0, len(text), 50))
            elif start % 180_000:
                continue
            assert tok.encode(text) == encoding.encode_ordinary(text)


def test_real_files(pair, repo_root: Path) -> None:
    tok, encoding = pair
    files = [
        path
        for folder in ("ffgrammar", "tests")
        for path in (repo_root / folder).rglob("*.py*")
        if path.suffix != ".pyc"
    ]
    for path in files:
        text = path.read_text("utf-8")
        assert tok.encode(text) == encoding.encode_ordinary(text), path
    assert len(files) > 20


def test_dev_set_texts(pair, shared_dir: Path) -> None:
    import gzip

    tok, encoding = pair
    with gzip.open(shared_dir / "maskbench" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 20 == 0:
                assert tok.encode(line) == encoding.encode_ordinary(line)


def test_surrogates(pair) -> None:
    tok, encoding = pair
    for text in ("a\ud800b", "\ud83d\ude42", "\udfff", "x\udc80\ud800 y"):
        assert tok.encode(text) == encoding.encode_ordinary(text)
    letters = Tokenizer.from_tokens([bytes([value]) for value in range(256)], encode=list)
    assert letters.encode("a\ud800") == list("a\ufffd".encode())


def test_names_of_special_tokens_are_ordinary_text(pair) -> None:
    tok, encoding = pair
    ids = tok.encode("a<|endoftext|>b")
    assert ids == encoding.encode_ordinary("a<|endoftext|>b")
    assert not any(map(tok.is_special, ids))


@pytest.mark.parametrize(
    "text", ["a", " ", "ab", "\n", "\u4e2d", "aA", "\u4e2dA", "'", "a'", "\u0301", " \n", "!/", "1"]
)
def test_a_megabyte_of_one_pre_token(text: str) -> None:
    data = text * (1_000_000 // len(text.encode()))
    for name in NAMES:
        tok = Tokenizer.from_tiktoken(name)
        assert tok.decode(tok.encode(data)) == data.encode()


def test_a_megabyte_that_is_not_utf8() -> None:
    tok = Tokenizer.from_tiktoken("cl100k_base")
    data = b"\xff" * 1_000_000
    assert tok.decode(tok.encode(data)) == data


@given(st.integers(0, 2**32), st.integers(1, 400))
def test_merges_are_those_of_the_definition(seed: int, length: int) -> None:
    # Random merges over three letters; pre-tokens both shorter and longer than where the merge loop changes its form.
    rng = random.Random(seed)
    vocabulary = [bytes([value]) for value in range(256)]
    for _ in range(rng.randrange(60)):
        token = rng.choice(vocabulary[97:100] + vocabulary[256:]) + rng.choice(vocabulary[97:100] + vocabulary[256:])
        if token not in vocabulary:
            vocabulary.append(token)
    ranks = {token: rank for rank, token in enumerate(vocabulary)}
    pretoken = bytes(rng.choice(b"abc") for _ in range(length))
    encoder = BuiltinEncoder(TokenTrie(vocabulary), "cl100k")
    assert encoder.encode(pretoken) == merge_pretoken(ranks, pretoken)


def test_a_byte_that_is_no_token() -> None:
    encoder = BuiltinEncoder(TokenTrie([b"a", b"b"]), "cl100k")
    assert encoder.encode("ab") == [0, 1]
    for text in ("abc", "c" * 1000, b"\xff"):
        with pytest.raises(TokenizerError, match="a byte that is no token"):
            encoder.encode(text)


def test_unknown_splitter() -> None:
    with pytest.raises(TokenizerError, match="there are cl100k, o200k"):
        BuiltinEncoder(TokenTrie([b"a"]), "p50k")


@pytest.mark.parametrize("name", NAMES)
def test_pretoken_ends(name: str) -> None:
    tok = Tokenizer.from_tiktoken(name)
    text = "Don't  stop\u00e9: 12345!\n\n  x".encode()
    ends = tok.pretoken_ends(text)
    assert ends[-1] == len(text) and ends == sorted(set(ends))
    pretokens = [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    assert pretokens[-4:] == [b"45", b"!\n\n", b" ", b" x"]
    assert [token for pretoken in pretokens for token in tok.encode(pretoken)] == tok.encode(text)
    with pytest.raises(TokenizerError, match="not UTF-8"):
        tok.pretoken_ends(b"\xff")


def test_class_table_round_trip() -> None:
    table = bytearray(0x110000)
    table[0x61] = 2
    table[0x10FFFF] = 4
    classes = CharClasses(pack_classes(table))
    assert (classes[0x61], classes[0x62], classes[0x10FFFF]) == (2, 0, 4)
    for damaged in (b"", b"x", pack_classes(table)[:-3], pack_classes(bytes(256))):
        with pytest.raises(TokenizerError, match="character classes"):
            CharClasses(damaged)
