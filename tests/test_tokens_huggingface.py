"""Hugging Face tokenizers on bytes and on characters: trained here, and loaded in each of the ways there are."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.huggingface_encoder import HuggingFaceEncoder
from ffgrammar.tokens.loaders.huggingface_units import byte_alphabet
from ffgrammar.tokens.report import is_canonical
from ffgrammar.tokens.tokenizer import Tokenizer

CORPUS = [
    "the quick brown fox jumps over the lazy dog",
    'def f(x):\n    return {"name": "value", "count": 12345}\n',
    "caf\u00e9 na\u00efve \u4e2d\u6587\u5b57\u7b26 \u043f\u0440\u0438\u0432\u0435\u0442 don't they're",
    "    indented   text with  spaces \u00a0 and\ttabs",
] * 20


def byte_level() -> Any:
    """Like GPT-2's: 256 letters for the bytes, an added token that is not special, two that are."""
    tokenizers = pytest.importorskip("tokenizers")
    tok = tokenizers.Tokenizer(tokenizers.models.BPE())
    tok.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>", "<|user|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tok.train_from_iterator(CORPUS, trainer)
    tok.add_tokens(["<think>"])
    return tok


def byte_fallback(prefix: str = "normalizer") -> Any:
    """Like Llama 2's: U+2581 for the space, one token for each byte, a space put before the text."""
    tokenizers = pytest.importorskip("tokenizers")
    names = ["<unk>", "<s>", "</s>"]
    trained = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="never")
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400, special_tokens=names, limit_alphabet=60, show_progress=False
    )
    trained.train_from_iterator(CORPUS, trainer)
    config = json.loads(trained.to_str())
    words = config["model"]["vocab"]
    vocab = {name: number for number, name in enumerate(names)}
    for value in range(256):
        vocab[f"<0x{value:02X}>"] = len(vocab)
    for word in sorted(words, key=words.get):
        vocab.setdefault(word, len(vocab))
    config["model"] |= {"vocab": vocab, "byte_fallback": True, "fuse_unk": True}
    config["decoder"] = {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    }
    config["pre_tokenizer"] = None
    if prefix == "normalizer":
        config["normalizer"] = {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "\u2581"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
            ],
        }
    else:
        config["pre_tokenizer"] = {
            "type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": False
        }  # fmt: skip
    return tokenizers.Tokenizer.from_str(json.dumps(config))


def texts(count: int) -> list[str]:
    rng = random.Random(3)
    parts = [*"abcdefgh \n\t{}\":0123.,\u00e9\u4e2d\U0001f642\u2581'", "the", " quick", "  "]
    parts += ["don't", "<think>", "<s>", "</s>"]
    return ["".join(rng.choice(parts) for _ in range(rng.randrange(20))) for _ in range(count)]


def test_byte_alphabet() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    alphabet = byte_alphabet()
    assert sorted(alphabet.values()) == list(range(256))
    assert sorted(alphabet) == sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    assert alphabet["\u0120"] == 0x20 and alphabet["\u010a"] == 0x0A and alphabet["a"] == ord("a")


def test_byte_level() -> None:
    hf = byte_level()
    tok = Tokenizer.from_huggingface(hf)
    assert tok.vocab_size == hf.get_vocab_size() and tok.eos_token_ids == (hf.token_to_id("<|endoftext|>"),)
    assert set(tok.special_tokens) == {"<|endoftext|>", "<|user|>"}
    assert tok.token_bytes(hf.token_to_id("<think>")) == b"<think>"
    assert not tok.adds_prefix_space and not tok.strips_first_space
    assert {tok.token_bytes(token) for token in range(tok.vocab_size)} >= {bytes([value]) for value in range(256)}
    hf.encode_special_tokens = True
    for text in texts(500):
        ids = tok.encode(text)
        assert ids == hf.encode(text, add_special_tokens=False).ids == tok.encode(text.encode())
        assert tok.decode(ids) == text.encode()
    assert tok.pretoken_ends(b"don't  stop")[-1] == 11


@pytest.mark.parametrize("prefix", ["normalizer", "pre_tokenizer"])
def test_byte_fallback(prefix: str) -> None:
    hf = byte_fallback(prefix)
    tok = Tokenizer.from_huggingface(hf)
    assert tok.vocab_size == hf.get_vocab_size() and tok.eos_token_ids == (hf.token_to_id("</s>"),)
    assert tok.adds_prefix_space and tok.strips_first_space
    assert tok.token_bytes(hf.token_to_id("<0x0A>")) == b"\n"
    assert tok.token_bytes(hf.token_to_id("\u2581the")) == b" the"
    assert tok.token_bytes(hf.token_to_id("<unk>")) == b""
    hf.encode_special_tokens = True
    for text in texts(500):
        # U+2581 itself becomes a space: that is what such a tokenizer does.
        spelled = text.replace("\u2581", " ")
        ids = tok.encode(text)
        assert tok.decode(ids) == spelled.encode()
        # The model's own tokenizer puts a space before the text (a pre-tokenizer only where there is none) ...
        bare = not text or (prefix == "pre_tokenizer" and text[0] in " \u2581")
        whole = hf.encode(text, add_special_tokens=False).ids
        assert whole == tok.encode(text if bare else " " + text)
        # ... and its decoder takes one off.
        assert hf.decode(whole, skip_special_tokens=False) == tok.decode(whole).decode().removeprefix(" ")
        assert is_canonical(tok, whole, spelled) or bare


def test_every_door_gives_the_same(tmp_path: Path) -> None:
    hf = byte_level()
    hf.save(str(tmp_path / "tokenizer.json"))

    class Fast:
        """What a transformers tokenizer shows of itself."""

        backend_tokenizer = hf
        eos_token_id = hf.token_to_id("<|user|>")
        name_or_path = "org/model"

    doors = [hf, tmp_path, tmp_path / "tokenizer.json", str(tmp_path / "tokenizer.json")]
    prints = {Tokenizer.from_huggingface(door).fingerprint for door in doors}
    assert len(prints) == 1
    fast = Tokenizer.from_huggingface(Fast())
    assert fast.eos_token_ids == (Fast.eos_token_id,) and fast.name == "org/model"
    assert fast.encode("the quick") == hf.encode("the quick").ids


def test_eos_from_the_files_beside(tmp_path: Path) -> None:
    hf = byte_level()
    hf.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": {"content": "<|user|>"}}')
    assert Tokenizer.from_huggingface(tmp_path).eos_token_ids == (hf.token_to_id("<|user|>"),)
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [0, 1]}')
    assert Tokenizer.from_huggingface(tmp_path).eos_token_ids == (0, 1)
    assert Tokenizer.from_huggingface(tmp_path, eos_token_ids=1, vocab_size=1000).eos_token_ids == (1,)
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": "<gone>"}')
    assert Tokenizer.from_huggingface(tmp_path, eos_token_ids=()).eos_token_ids == ()
    (tmp_path / "generation_config.json").unlink()
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "<none>"}')
    with pytest.raises(TokenizerError, match="'<none>' is not in its vocabulary"):
        Tokenizer.from_huggingface(tmp_path)


def test_unigram() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    pretokens = [("<unk>", 0.0), ("</s>", 0.0), ("\u2581", -2.0), ("\u2581a", -1.0), ("b", -1.5), ("ab", -1.2)]
    hf = tokenizers.Tokenizer(tokenizers.models.Unigram(pretokens, unk_id=0))
    hf.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    hf.decoder = tokenizers.decoders.Metaspace()
    hf.add_special_tokens(["</s>"])
    tok = Tokenizer.from_huggingface(hf)
    assert [tok.token_bytes(token) for token in range(6)] == [b"", b"", b" ", b" a", b"b", b"ab"]
    assert tok.encode(" ab") == [3, 4] and tok.encode("ab") == [5] and tok.adds_prefix_space


def change(config: dict, path: str, value: Any) -> dict:
    *parents, last = path.split(".")
    part = config
    for name in parents:
        part = part[name]
    part[last] = value
    return config


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("model.type", "WordLevel", "bytes of a 'WordLevel' model"),
        ("model.end_of_word_suffix", "</w>", "end_of_word_suffix is not supported"),
        ("decoder", {"type": "WordPiece"}, "decoder 'WordPiece' is not supported"),
        (
            "decoder",
            {"type": "Replace", "pattern": {"Regex": "a"}, "content": ""},
            "decoder 'Replace' is",
        ),
        ("model.vocab", {"a": -1}, "token 'a' has the id -1"),
        ("model.vocab", {"a": 1 << 40}, "has the id"),
        ("model.vocab", {"a": "x"}, "has the id 'x'"),
        ("model", None, "there is no model"),
        ("added_tokens", [], "give eos_token_ids="),
        ("added_tokens", [{"id": 1}], "not a tokenizer.json: KeyError"),
        ("model.vocab", {"a": 1, "b": 1}, "two tokens have the same id"),
        ("model.vocab", {"a": 1, "<|endoftext|>": 9}, "endoftext|>' has the id 9 in the vocabulary and 0 among added"),
        ("model.vocab", 7, "not a tokenizer.json"),
        ("decoder", [], "not a tokenizer.json"),
    ],
)
def test_refused(tmp_path: Path, path: str, value: Any, text: str) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(change(json.loads(byte_level().to_str()), path, value)))
    with pytest.raises(TokenizerError, match=text):
        Tokenizer.from_huggingface(file)


def test_bad_sources(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match=r"cannot read .*; nothing is fetched"):
        Tokenizer.from_huggingface(tmp_path / "none.json")
    with pytest.raises(TokenizerError, match="expected a path"):
        Tokenizer.from_huggingface(3)
    for text in (byte_level().to_str(), "\n {}"):
        with pytest.raises(TokenizerError, match=r"the text of a tokenizer\.json; pass its path"):
            Tokenizer.from_huggingface(text)
    with pytest.raises(TokenizerError, match="cannot read"):
        Tokenizer.from_huggingface("x" * 100_000)
    for content, text in [("{", "is not JSON"), ("[]", "not a JSON object"), ("{}", "there is no model")]:
        (tmp_path / "tokenizer.json").write_text(content)
        with pytest.raises(TokenizerError, match=text):
            Tokenizer.from_huggingface(tmp_path)


@pytest.mark.parametrize("make", [byte_level, byte_fallback])
def test_bytes_that_are_no_text(make) -> None:
    tok = Tokenizer.from_huggingface(make())
    rng = random.Random(4)
    for text in texts(300):
        data = bytearray(text.replace("\u2581", "").encode())
        for _ in range(rng.randint(1, 3)):
            data.insert(rng.randint(0, len(data)), rng.randrange(0x80, 0x100))
        cut = bytes(data[: rng.randint(0, len(data))])
        assert tok.decode(tok.encode(cut)) == cut
    assert tok.encode("a\ud800b") == tok.encode("a\ufffdb")
    whole = "caf\u00e9 \u4e2d".encode()
    # A character that is cut at the end changes only its own pre-token: those before it are those of the whole text.
    assert tok.encode(whole[:-1])[:1] == tok.encode(whole)[:1]


def test_an_added_token_that_may_come_is_open() -> None:
    hf = byte_level()
    hf.add_tokens(["<a b c d e>"])
    tok = Tokenizer.from_huggingface(hf)
    rng = random.Random(5)
    parts = ["<a b c", " d", " e>", "<", "think", ">", " the quick", "fox", " ", "\n", "1"]
    seen = set()
    for _ in range(2000):
        text, more = ("".join(rng.choice(parts) for _ in range(rng.randrange(9))) for _ in range(2))
        report = is_canonical(tok, tok.encode(text), complete=False)
        later = tok.encode(text + more)
        assert later[: report.settled] == list(report.expected[: report.settled]), (text, more)
        seen.add(report.settled > 3)
    assert seen == {True, False}


def test_a_byte_that_is_no_token() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    hf = tokenizers.Tokenizer(tokenizers.models.BPE({"a": 0}, [], byte_fallback=True))
    tok = Tokenizer.from_huggingface(hf, eos_token_ids=())
    assert tok.encode("a") == [0]
    with pytest.raises(TokenizerError, match="no token for the byte 0xff"):
        tok.encode(b"a\xff")


def test_a_panic_of_the_package_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizers = pytest.importorskip("tokenizers")

    class Panic(BaseException):
        pass

    Panic.__name__ = "PanicException"

    class Fragile:
        @staticmethod
        def from_str(text: str) -> None:
            raise Panic("out of range")

    monkeypatch.setattr(tokenizers, "Tokenizer", Fragile)
    with pytest.raises(TokenizerError, match="cannot read this tokenizer: out of range"):
        HuggingFaceEncoder({"model": {}}, None).encode("a")


def test_reading_does_not_import_numpy(tmp_path: Path) -> None:
    byte_level().save(str(tmp_path / "tokenizer.json"))
    code = (
        "import sys\n"
        "from ffgrammar.tokens.tokenizer import Tokenizer\n"
        f"tok = Tokenizer.from_file({str(tmp_path)!r})\n"
        "print(tok.encode('a b') != [], 'numpy' in sys.modules)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found == "True False\n"


def test_reading_needs_no_package_and_encoding_says_which(tmp_path: Path) -> None:
    hf = byte_level()
    # (a text that is normalized is not encoded by rules)
    hf.normalizer = pytest.importorskip("tokenizers").normalizers.NFC()
    hf.save(str(tmp_path / "tokenizer.json"))
    code = (
        "import sys; sys.modules['tokenizers'] = None\n"
        "from ffgrammar.tokens.tokenizer import Tokenizer\n"
        f"tok = Tokenizer.from_huggingface({str(tmp_path)!r})\n"
        "print(tok.decode([300, 301]) != b'')\n"
        "try: tok.encode('e\\u0301')\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[0] == "True"
    assert lines[1].startswith("TokenizerError") and "pip install tokenizers" in lines[1]


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ([("<x>", 300), ("<x>", 0)], "'<x>' has the id 0 among added_tokens, and 300 as well|'<x>' has the id 300"),
        ([("<x>", 0)], "have the same id 0"),
    ],
)
def test_added_tokens_that_contradict(added: list[tuple[str, int]], message: str, tmp_path: Path) -> None:
    config = json.loads(byte_level().to_str())
    config["added_tokens"] += [{"id": number, "content": text, "special": True} for text, number in added]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(config))
    with pytest.raises(TokenizerError, match=message):
        Tokenizer.from_huggingface(path, eos_token_ids=())
