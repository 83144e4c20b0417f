"""The quick reader of a tokenizer.json against Python's json: the same value, or it leaves the file to json."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_tokens_huggingface import byte_fallback, byte_level

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders import huggingface_files
from ffgrammar.tokens.loaders.huggingface import read_tokenizer
from ffgrammar.tokens.loaders.huggingface_units import byte_alphabet
from ffgrammar.tokens.loaders.name_table import NameTable
from ffgrammar.tokens.loaders.vocabulary_json import JsonText, plain, read_big_parts
from ffgrammar.tokens.tokenizer import Tokenizer

NAMES = st.text(st.sampled_from('ab\u0120\u010a\u2581\u00e9\U0001f642"\\/\n\x7f <0xA>'), min_size=1, max_size=8)
# (names are read sixteen bytes at a time)
NAMES = st.one_of(NAMES, st.text(st.sampled_from("ab\u0120\u20ac\U0001f642"), min_size=1, max_size=40))
VOCABULARIES = st.dictionaries(NAMES, st.integers(0, 40), max_size=12)
PAIRS = st.lists(st.one_of(NAMES, st.tuples(NAMES, NAMES)), max_size=5)


def text_of(config: Any, rng: random.Random) -> bytes:
    """JSON text in one of the ways to write it."""
    return json.dumps(
        config,
        ensure_ascii=rng.random() < 0.5,
        indent=rng.choice([None, 1, "\t"]),
        separators=rng.choice([None, (",", ":"), (" ,\n", " : ")]),
    ).encode()


def same(found: Any, data: bytes) -> bool:
    """Whether the quick reader's value is json's, in the same order."""
    return json.dumps(found, default=plain) == json.dumps(json.loads(data))


@given(VOCABULARIES, PAIRS, st.randoms(use_true_random=False), st.booleans())
def test_the_value_is_that_of_json(vocabulary: Any, merges: Any, rng: random.Random, first: bool) -> None:
    model = {"type": "BPE", "dropout": None, "vocab": vocabulary, "merges": merges, "x": {"vocab": {"a": [1, "}"]}}}
    if first:
        model = dict(reversed(model.items()))
    config = {"version": "1.0", "added_tokens": [{"content": 'a"}]\\', "id": 1}], "model": model, "post": [[], {}]}
    data = text_of(config, rng)
    found = read_big_parts(data)
    usual = vocabulary and len(set(vocabulary.values())) == len(vocabulary)
    assert (found is not None) == bool(usual)
    if found is None:
        return
    assert same(found, data)
    table = found["model"]["vocab"]
    assert isinstance(table, NameTable) and isinstance(found["model"]["merges"], JsonText)
    assert list(table.items()) == list(vocabulary.items()) and len(table) == len(vocabulary)
    assert list(table) == list(vocabulary) and list(table.values()) == list(vocabulary.values())
    for name, number in vocabulary.items():
        assert table[name] == table.get(name) == number and name in table and table.name_of(number) == name
    for other in ("no name", "", "\ud800", None, 3, 1 << 70):
        assert other not in table and table.get(other, 7) == 7
        assert table.name_of(other) is None or other in vocabulary.values()


@pytest.mark.parametrize("listed", [False, True])
def test_ids_of_merges_of_long_names(listed: bool) -> None:
    """A slot of the table of names does not have the size of a long name. (Many of these names share their slots.)"""
    names = ["a" * size for size in range(1, 1200)]
    vocabulary = {name: number for number, name in enumerate(names)}
    sizes = [1, 2, 8, 9, 15, 16, 17, 253, 254, 255, 256, 257, 300, 511, 599]
    merges: list[Any] = [["a" * left, "a" * right] for left in sizes for right in sizes]
    if not listed:
        merges = [" ".join(merge) for merge in merges]
    found = read_big_parts(json.dumps({"model": {"vocab": vocabulary, "merges": merges}}).encode())
    assert found is not None
    ids = found["model"]["merges"].merges(found["model"]["vocab"])
    assert [*memoryview(ids).cast("I")] == ids_of(merges, vocabulary, set())


def test_an_id_that_is_too_high_is_left_to_json() -> None:
    for number, is_read in ((1 << 23, True), (1 << 24, False)):
        found = read_big_parts(json.dumps({"model": {"vocab": {"a": 0, "b": number}, "merges": []}}).encode())
        assert (found is not None) == is_read


def ids_of(merges: Any, vocabulary: dict[str, int], never: set[int]) -> list[int] | None:
    """What `JsonText.merges` should find."""
    found: list[int] = []
    for merge in merges:
        try:
            left, right = merge.split(" ") if isinstance(merge, str) else merge
            ids = [vocabulary[left], vocabulary[right], vocabulary[left + right]]
        except (KeyError, ValueError):
            return None
        if never & {*ids[:2]}:
            return None
        found += ids
    return found


@given(
    st.lists(st.tuples(NAMES, NAMES), max_size=6),
    st.booleans(),
    PAIRS,
    st.sets(st.integers(0, 20), max_size=1),
    st.randoms(use_true_random=False),
)
def test_ids_of_merges(pairs: Any, listed: bool, others: Any, never: Any, rng: random.Random) -> None:
    names = dict.fromkeys(name for left, right in pairs for name in (left, right, left + right))
    vocabulary = {name: number for number, name in enumerate([*names, "x"])}
    merges = [[left, right] if listed else f"{left} {right}" for left, right in pairs]
    for given_merges in (merges, [*merges, *others], others):
        config = {"model": {"vocab": vocabulary, "merges": given_merges}}
        found = read_big_parts(text_of(config, rng))
        assert found is not None
        ids = found["model"]["merges"].merges(found["model"]["vocab"], never)
        expected = ids_of(given_merges, vocabulary, never)
        assert (None if ids is None else [*memoryview(ids).cast("I")]) == expected


@given(st.integers(0, 1 << 30), st.booleans())
def test_ids_of_many_merges(seed: int, listed: bool) -> None:
    """More merges than are read at a time. What a merge makes is often what the last one makes, or the next token."""
    rng = random.Random(seed)
    names = list('ab"\\\n\u0120')
    # (short names and long ones, and some that are longer than what a record of a merge has room for)
    names += [rng.choice("abcd\u0120") * size for size in (7, 8, 9, 15, 16, 17, 40, 254, 255, 256)]
    merges = []
    for _ in range(100):
        left, right = rng.choice(names[-20:]), rng.choice(names)
        if left + right not in names:
            names.append(left + right)
        merges.append([left, right] if listed else f"{left} {right}")
    vocabulary = {name: number for number, name in enumerate(names)}
    found = read_big_parts(text_of({"model": {"vocab": vocabulary, "merges": merges}}, rng))
    assert found is not None
    ids = found["model"]["merges"].merges(found["model"]["vocab"])
    assert [*memoryview(ids).cast("I")] == ids_of(merges, vocabulary, set())


@given(st.binary(max_size=4), st.integers(1, 700), st.integers(0, 4), st.booleans(), st.randoms(use_true_random=False))
def test_damage_among_merges_that_are_written_alike(
    junk: bytes, back: int, gone: int, listed: bool, rng: random.Random
) -> None:
    vocabulary = {name: number for number, name in enumerate(("a", "b", "\u0120", "ab", "\u0120a", "aa", "ba"))}
    pairs = [rng.choice((("a", "b"), ("\u0120", "a"), ("a", "a"), ("b", "a"))) for _ in range(9)]
    merges = [[*pair] if listed else " ".join(pair) for pair in pairs]
    data = text_of({"model": {"vocab": vocabulary, "merges": merges}}, rng)
    at = max(len(data) - back, 0)
    damaged = data[:at] + junk + data[at + gone :]
    found = read_big_parts(damaged)
    if found is not None:
        assert same(found, damaged)
        value = json.loads(damaged)["model"]
        ids = found["model"]["merges"].merges(found["model"]["vocab"]) if "merges" in found["model"] else None
        if isinstance(found["model"].get("merges"), JsonText):
            expected = ids_of(value["merges"], value["vocab"], set())
            assert (None if ids is None else [*memoryview(ids).cast("I")]) == expected


@given(st.binary(max_size=4), st.integers(0, 400), st.integers(0, 4), st.randoms(use_true_random=False))
def test_damage_among_entries_that_are_written_alike(junk: bytes, at: int, gone: int, rng: random.Random) -> None:
    names = dict.fromkeys("".join(rng.choices("ab\u0120\u20ac", k=rng.choice((1, 2, 7, 16, 17)))) for _ in range(12))
    vocabulary = {name: number for number, name in enumerate(names, rng.choice((0, 95)))}
    data = text_of({"model": {"vocab": vocabulary, "merges": []}}, rng)
    damaged = data[:at] + junk + data[at + gone :]
    found = read_big_parts(damaged)
    if found is not None:
        assert same(found, damaged)


@given(st.binary(max_size=6), st.integers(0, 400), st.integers(0, 6))
def test_damage_is_left_to_json(junk: bytes, at: int, gone: int) -> None:
    data = json.dumps({"a": [1], "model": {"vocab": {"x\u0120": 0, "\\\n": 1, "y": 12}, "merges": ["x y", ["a", "b"]]}})
    damaged = data.encode()[:at] + junk + data.encode()[at + gone :]
    found = read_big_parts(damaged)
    if found is not None:
        assert same(found, damaged)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"model": {}}',
        '{"model": {"vocab": {}}}',
        '{"model": {"vocab": ["a"]}}',
        '{"model": {"vocab": {"": 0}}}',
        '{"model": {"vocab": {"a": 0, "a": 1}}}',
        '{"model": {"vocab": {"a": 0, "\\u0061": 1}}}',
        '{"model": {"vocab": {"a": 0, "b": 0}}}',
        '{"model": {"vocab": {"a": -1}}}',
        '{"model": {"vocab": {"a": 00}}}',
        '{"model": {"vocab": {"a": 1.0}}}',
        '{"model": {"vocab": {"a": 1e0}}}',
        '{"model": {"vocab": {"a": 99999999}}}',
        '{"model": {"vocab": {"a": true}}}',
        '{"model": {"vocab": {"a": 0,}}}',
        '{"model": {"vocab": {"\\ud800": 0}}}',
        '{"model": {"vocab": {"\\ud800\\u0061": 0}}}',
        '{"model": {"vocab": {"\\x61": 0}}}',
        '{"model": {"vocab": {"\\u00g1": 0}}}',
        '{"model": {"vocab": {"a\nb": 0}}}',
        '{"model": {"vocab": {"a": 0}, "vocab": {"b": 0}}}',
        '{"model": {"vocab": {"a": 0}, "voc\\u0061b": {"b": 0}}}',
        '{"model": {"vocab": {"a": 0}}, "model": {"vocab": {"b": 0}}}',
        '{"model": {"vocab": {"a": 0}, "merges": {}}}',
        '{"model": {"vocab": {"a": 0}, "merges": [["a"]]}}',
        '{"model": {"vocab": {"a": 0}, "merges": ["a",]}}',
        '{"model": {"vocab": {"a": 0}, "merges": [1]}}',
        '{"model": {"vocab": {"a": 0}}, "x": }',
        '{"model": {"vocab": {"a": 0}}} x',
        '{"model": {"vocab": {"a": 0}}',
        '{"model": {"vocab": {"a": 0',
        '{"model": {"vocab": {"a',
    ],
)
def test_the_unusual_is_left_to_json(text: str) -> None:
    assert read_big_parts(text.encode()) is None


@pytest.mark.parametrize("data", [b"\xed\xa0\x80", b"\xff", b"\xc0\x80", b"\xe2\x96"])
def test_wrong_utf8_is_left_to_json(data: bytes) -> None:
    assert read_big_parts(b'{"model": {"vocab": {"' + data + b'": 0}}}') is None
    assert read_big_parts(b'{"model": {"vocab": {"a": 0}, "merges": ["' + data + b'"]}}') is None
    # (merges that are written like the one before are read in another way)
    for right in (data, "\U0001f642\u20ac\u00e9".encode() + data):
        text = b'{"model": {"vocab": {"a": 0}, "merges": ["a b", "a b", "a b", "a ' + right + b'"]}, "x": 1}'
        assert read_big_parts(text) is None
        text = b'{"model": {"vocab": {"a": 0, "b": 1, "c": 2, "' + right + b'": 3}, "merges": []}}'
        assert read_big_parts(text) is None
    fine = "\U0001f642\u20ac\u00e9\u0800\ud7ff\U00010000\U0010ffff"
    assert read_big_parts(f'{{"model": {{"vocab": {{"a": 0}}, "merges": ["a b", "a b", "a b", "a {fine}"]}}}}'.encode())
    assert read_big_parts(f'{{"model": {{"vocab": {{"a": 0, "b": 1, "c": 2, "{fine}": 3}}}}}}'.encode())


def test_other_encodings_are_left_to_json() -> None:
    text = '{"model": {"vocab": {"a": 0}}}'
    for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-8-sig"):
        assert read_big_parts(text.encode(encoding)) is None


@given(st.lists(st.text(st.sampled_from([*list(byte_alphabet())[::9], " ", "\u2581", "x", "\U0001f642"]), min_size=1),
                min_size=1, max_size=20, unique=True))  # fmt: skip
def test_bytes_of_names(names: list[str]) -> None:
    found = read_big_parts(json.dumps({"model": {"vocab": {name: k for k, name in enumerate(names)}}}).encode())
    assert found is not None
    table = found["model"]["vocab"]
    letters = byte_alphabet()
    strange = {k for k, name in enumerate(names) if not set(name) <= letters.keys()}
    expected = [name.encode() if k in strange else bytes(letters[one] for one in name) for k, name in enumerate(names)]
    assert list(table.letters_to_bytes()) == expected and table.not_in_letters() == strange
    assert table.with_space() == {k for k, name in enumerate(names) if " " in name}
    for old, new in (("\u2581", " "), ("", ""), ("x", "")):
        shown = table.characters_to_bytes(old, new, False)
        assert list(shown) == [(name.replace(old, new) if old else name).encode() or None for name in names]


def test_names_for_bytes() -> None:
    names = ["<0x41>", "<0xfF>", "<0xG1>", "<0x4>", "<0x411>", "<0x41", "a<0x41>"]
    found = read_big_parts(json.dumps({"model": {"vocab": {name: k for k, name in enumerate(names)}}}).encode())
    assert found is not None
    table = found["model"]["vocab"]
    tokens = table.characters_to_bytes("\u2581", " ", True)
    assert list(tokens) == [b"A", b"\xff", *(name.encode() for name in names[2:])]
    assert table.of_one_byte(tokens) == [("<0x41>", 0), ("<0xfF>", 1)]


@pytest.mark.parametrize("make", [byte_level, byte_fallback, lambda: byte_fallback("pre_tokenizer")])
def test_tokenizers_are_the_same(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(make().to_str())
    quick, tok = read_tokenizer(path), Tokenizer.from_file(path)
    assert not isinstance(quick.tokens, list)
    monkeypatch.setattr(huggingface_files, "read_big_parts", lambda data: None)
    slow, other = read_tokenizer(path), Tokenizer.from_file(path)
    assert isinstance(slow.tokens, list) and list(quick.tokens) == slow.tokens
    assert quick.special_tokens == slow.special_tokens and quick.eos_token_ids == slow.eos_token_ids
    assert quick.rules is not None and slow.rules is not None
    for field in ("splits", "byte_tokens", "whole_pretokens", "space", "atoms", "knows_space", "secondary", "form"):
        assert getattr(quick.rules, field) == getattr(slow.rules, field)
    assert tok.fingerprint == other.fingerprint and tok.trie.aliases == other.trie.aliases
    assert tok.encode("the quick caf\u00e9 \U0001f642") == other.encode("the quick caf\u00e9 \U0001f642")


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ([{"content": "a", "id": 5}], "has the id 5 among added_tokens, and 0 in the vocabulary"),
        ([{"content": "z", "id": 1}], "tokens 'b' and 'z' have the same id 1"),
        ([{"content": "z", "id": 9}, {"content": "z", "id": 8}], "among added_tokens, and 8 as well"),
        ([{"content": "z", "id": 9}, {"content": "y", "id": 9}], "tokens 'z' and 'y' have the same id 9"),
        ([{"content": "z", "id": -1}], "token 'z' has the id -1"),
        ([{"content": "z", "id": 1 << 30}], "token 'z' has the id"),
    ],
)
def test_errors_are_the_same(added: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}, "decoder": {"type": "ByteLevel"}}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**config, "added_tokens": added}))
    for _ in range(2):
        with pytest.raises(TokenizerError, match=message):
            Tokenizer.from_file(path, eos_token_ids=())
        monkeypatch.setattr(huggingface_files, "read_big_parts", lambda data: None)
