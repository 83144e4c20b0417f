"""`Tokenizer.from_file`: every kind of file, told by its content."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.ranks import KNOWN_FILES, TEKKEN_SPECIAL
from ffgrammar.tokens.tokenizer import Tokenizer
from oracle.trained import LLAMA_3, make, some_texts

BYTES = [bytes([value]) for value in range(256)]
WORDS = [*BYTES, b"th", b"he", b"the", b" the", b"in", b"ing", b"\xe4\xb8", b"\xe4\xb8\xad", b"12"]


def rank_file(path: Path, tokens: list[bytes]) -> Path:
    path.write_bytes(b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)))
    return path


def tekken(tokens: list[bytes], special: int = 20, **changes: Any) -> dict[str, Any]:
    config = {
        "pattern": LLAMA_3,
        "num_vocab_tokens": len(tokens) + 5,
        "default_vocab_size": special + len(tokens),
        "default_num_special_tokens": special,
        "version": "v3",
    }
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate([*tokens, *(b"left out %d" % number for number in range(5))])
    ]
    return {"config": config | changes, "vocab": vocab}


def tiktoken_of(tokens: list[bytes], pattern: str = LLAMA_3) -> Any:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return tiktoken.Encoding("ranks", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def test_a_pattern_with_word_characters(tmp_path: Path) -> None:
    pattern = r"'\w|[\w▁]+| ?[^\w\s]++|\s+(?!\S)|\s"
    tok = Tokenizer.from_file(rank_file(tmp_path / "ranks", WORDS), eos_token_ids=(), pattern=pattern)
    assert tok.canon is not None
    encoding = tiktoken_of(WORDS, pattern)
    for text in some_texts(200_000):
        assert tok.encode(text) == encoding.encode_ordinary(text)


def test_rank_files(tmp_path: Path) -> None:
    path = rank_file(tmp_path / "ranks", WORDS)
    with pytest.raises(TokenizerError, match=r"which token ends a text is not known; give eos_token_ids=$"):
        Tokenizer.from_file(path)
    tok = Tokenizer.from_file(path, eos_token_ids=(), pattern=LLAMA_3)
    assert tok.canon is not None and tok.eos_token_ids == ()
    encoding = tiktoken_of(WORDS)
    for text in some_texts(200_000):
        assert tok.encode(text) == encoding.encode_ordinary(text)
    for data in (b"the\xff ing", b"\xe4\xb8", b" the12\xe4"):
        assert tok.encode(data) == encoding._encode_bytes(data)
    assert tok.encode("a\ud800b") == encoding.encode_ordinary("a\ufffdb")
    assert tok.pretoken_ends(b"in the end") == [2, 6, 10]
    without = Tokenizer.from_file(str(path), eos_token_ids=(), vocab_size=300)
    assert without.canon is None and "give pattern=" in str(without.canon_reason) and without.vocab_size == 300
    odd = Tokenizer.from_file(path, eos_token_ids=(), pattern="(?:(?<=t)h|.)+?")
    assert odd.canon is None and odd.encode("the") == [*b"the"] and odd.pretoken_ends(b"the") == [1, 2, 3]
    with pytest.raises(TokenizerError, match="tiktoken cannot read this tokenizer"):
        Tokenizer.from_file(path, eos_token_ids=(), pattern="(").encode("the")


def test_an_embedded_encoding_is_known_by_its_content(shared_dir: Path, tmp_path: Path, cl100k: Tokenizer) -> None:
    path = tmp_path / "model"
    path.write_bytes((shared_dir / "tokenizers" / "cl100k_base.tiktoken").read_bytes())
    assert Tokenizer.from_file(path).fingerprint == cl100k.fingerprint


def test_another_file_under_the_name_of_an_embedded_encoding(tmp_path: Path) -> None:
    path = rank_file(tmp_path / "o200k_base.tiktoken", WORDS)
    with pytest.raises(TokenizerError, match="this is not o200k_base; give pattern="):
        Tokenizer.from_file(path, eos_token_ids=())


def test_the_special_tokens_of_known_files() -> None:
    llama3, llama4 = [known.special() for known in KNOWN_FILES.values()]
    assert len(llama3) == len(set(llama3)) == 256 and len(llama4) == len(set(llama4)) == 2048
    assert llama3[9] == "<|eot_id|>" and llama3[-1] == "<|reserved_special_token_245|>"
    assert llama4.index("<|eot|>") == 8 and llama4.index("<|image|>") == 90 and llama4.index("<|image_start|>") == 80
    for known in KNOWN_FILES.values():
        assert set(known.eos) <= set(known.special())


def test_tekken(tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(tekken(WORDS, special=30)))
    tok = Tokenizer.from_file(tmp_path)
    assert tok.vocab_size == 30 + len(WORDS) and tok.eos_token_ids == (2,)
    assert tok.special_tokens["[INST]"] == 3 and tok.special_tokens["<SPECIAL_29>"] == 29
    with pytest.raises(TokenizerError, match="eos_token_ids: 99999999 is out of range: ids are below 16777184"):
        Tokenizer.from_file(path, eos_token_ids=99999999)
    with pytest.raises(TokenizerError, match=r"eos_token_ids: 30 is an ordinary token of .*: b'\\x00'"):
        Tokenizer.from_file(path, eos_token_ids=30)
    assert Tokenizer.from_file(path, eos_token_ids=[2, 500], vocab_size=600).eos_token_ids == (2, 500)
    encoding = tiktoken_of(WORDS)
    for text in some_texts(100_000):
        assert tok.encode(text) == [30 + token for token in encoding.encode_ordinary(text)]
    named = tekken(WORDS, special=3) | {"special_tokens": [{"token_str": name} for name in TEKKEN_SPECIAL[:3]]}
    path.write_text(json.dumps(named))
    assert list(Tokenizer.from_file(path).special_tokens) == ["<unk>", "<s>", "</s>"]
    path.write_text(json.dumps(named | {"special_tokens": [{"token_str": "<s>"}]}))
    with pytest.raises(TokenizerError, match=r"give eos_token_ids= \(candidates: '<s>' \(0\), '<SPECIAL_1>'"):
        Tokenizer.from_file(path)


def test_eos_ids_in_a_file_beside(tmp_path: Path) -> None:
    rank_file(tmp_path / "ranks", WORDS)
    (tmp_path / "tekken.json").write_text(json.dumps(tekken(WORDS, special=30)))
    beside = tmp_path / "generation_config.json"
    for eos, in_ranks, in_tekken in ((4, None, (4,)), ([2, 7], None, (2, 7)), ([], None, (2,)), (300, (300,), None)):
        beside.write_text(json.dumps({"eos_token_id": eos}))
        if in_tekken:
            assert Tokenizer.from_file(tmp_path).eos_token_ids == in_tekken
            assert Tokenizer.from_file(tmp_path, eos_token_ids=[5]).eos_token_ids == (5,)
        if in_ranks:
            assert Tokenizer.from_file(tmp_path / "ranks", pattern=".", vocab_size=301).eos_token_ids == in_ranks
    with pytest.raises(TokenizerError, match="eos_token_ids: 300 is out of range"):
        Tokenizer.from_file(tmp_path)
    beside.write_text('{"eos_token_id": "two"}')
    with pytest.raises(TokenizerError, match="eos_token_ids: expected an int, not str"):
        Tokenizer.from_file(tmp_path)


def test_a_tokenizer_json_in_a_folder(tmp_path: Path) -> None:
    hf, _ = make("gpt2")
    hf.save(str(tmp_path / "tokenizer.json"))
    rank_file(tmp_path / "tokenizer.model", WORDS)
    tok = Tokenizer.from_file(tmp_path)
    assert tok.fingerprint == Tokenizer.from_huggingface(tmp_path).fingerprint
    with pytest.raises(TokenizerError, match="pattern= is for rank files"):
        Tokenizer.from_file(tmp_path, pattern=".")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "neither a tokenizer.json"),
        (b"hello", "neither a tokenizer.json"),
        (b"GGUF\x03\0\0\0", "not a GGUF file, or damaged"),
        (b"\n\x0e\n\x05<unk>", "not a sentencepiece model, or damaged"),
        (b"aGk= 0\nhello\n", "line 2: not a token in base64"),
        (b"aGk= 0\naGkh 0\n", "two tokens have the same rank"),
        (b"aGk= 99999999999\n", "ranks must be from 0"),
        (b'{"a": 1}', "not a tokenizer.json: there is no model; give the model's folder, or the tokenizer.json in it"),
        (b'{"default_num_special_tokens": 1}', "not a tekken.json: KeyError"),
        (json.dumps(tekken(WORDS, special=-1)).encode(), "of which -1 are special tokens"),
        (json.dumps(tekken(WORDS) | {"vocab": [1]}).encode(), "not a tekken.json: TypeError"),
        (json.dumps(tekken(WORDS, pattern=5)).encode(), "its pattern is not a string"),
    ],
)
def test_other_content_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(TokenizerError, match=message):
        Tokenizer.from_file(path, eos_token_ids=())


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path, "has none of tokenizer.json, tekken.json, tokenizer.model"),
        (tmp_path / "no", "No such file or directory; nothing is fetched: give the path"),
        ("x" * 5000, "too long"),
        (' {"model": {}}', "this is the text of a tokenizer.json; give the path of the file"),
        ("a\0b", "null byte"),
    ):
        with pytest.raises(TokenizerError, match=message):
            Tokenizer.from_file(path)
