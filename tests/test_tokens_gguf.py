"""Vocabularies of GGUF files: those of other files, written as GGUF."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.encoders import NO_DUMMY_PREFIX
from ffgrammar.tokens.loaders.gguf import _makes_lines
from ffgrammar.tokens.loaders.gguf_patterns import NAMED
from oracle.trained import REPLACE, byte_fallback, random_text, some_texts

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, _, BYTE = range(1, 7)


def string(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(data)) + data


def value(what: Any) -> bytes:
    """A value and its kind."""
    match what:
        case str():
            return struct.pack("<I", 8) + string(what)
        case bool():
            return struct.pack("<I?", 7, what)
        case int():
            return struct.pack("<II", 4, what)
        case float():
            return struct.pack("<If", 6, what)
    inner = value(what[0])[:4]
    return struct.pack("<I", 9) + inner + struct.pack("<Q", len(what)) + b"".join(value(one)[4:] for one in what)


def gguf(fields: dict[str, Any], version: int = 3) -> bytes:
    pairs = {"general.name": "a name", "tokenizer.chat_template": "{}", "general.numbers": [1, 2, 3], **fields}
    head = b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs))
    return head + b"".join(string(name) + value(one) for name, one in pairs.items()) + bytes(64)


def letters(pre: str | None) -> tuple[Any, dict[str, Any]]:
    """A tokenizer of the package, and its vocabulary as the fields of a file."""
    tokenizers = pytest.importorskip("tokenizers")
    hf = tokenizers.Tokenizer(tokenizers.models.BPE())
    steps = [tokenizers.pre_tokenizers.Digits(individual_digits=True)] if pre == "starcoder" else []
    hf.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([*steps, tokenizers.pre_tokenizers.ByteLevel(False)])
    hf.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=900,
        show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|end|>"],
    )
    hf.train_from_iterator(some_texts(100_000), trainer)
    hf.add_tokens(["<tool>"])
    model = json.loads(hf.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    fields = {
        "model": "gpt2",
        "tokens": [*tokens, "<tool>"],
        "token_type": [CONTROL, *[NORMAL] * (len(tokens) - 1), USER_DEFINED],
        "merges": [" ".join(pair) for pair in model["merges"]],
        "eos_token_id": 0,
    }
    if pre is not None:
        fields["pre"] = pre
    return hf, fields


def load(fields: dict[str, Any], folder: Path, **given: Any) -> ff.Tokenizer:
    path = folder / "model.gguf"
    path.write_bytes(gguf({f"tokenizer.ggml.{name}": one for name, one in fields.items()}))
    return ff.Tokenizer.from_file(path, **given)


@pytest.mark.parametrize("pre", ["gpt-2", "starcoder"])
def test_letters(pre: str, tmp_path: Path) -> None:
    hf, fields = letters(pre)
    hf.encode_special_tokens = True
    tok = load(fields, tmp_path)
    assert tok.canon is not None and tok.special_tokens == {"<|end|>": 0} and tok.eos_token_ids == (0,)
    random = Random(0)
    for _ in range(1000):
        text = random_text(random, 50) + random.choice(["", "<tool>", "12345"])
        assert tok.encode(text) == hf.encode(text, add_special_tokens=False).ids, text


def test_a_pretokenizer_that_is_not_known(tmp_path: Path) -> None:
    _, fields = letters(None)
    tok = load(fields | {"pre": "a-new-one"}, tmp_path)
    assert tok.canon_reason == "the pre-tokenizer 'a-new-one' is not read here" and not tok.can_encode
    assert ff.compile_regex("[a-z]+", tok).matcher().allowed_token_ids().size > 26


def test_a_file_that_names_no_pretokenizer_has_the_default(tmp_path: Path) -> None:
    _, fields = letters(None)
    tok = load(fields, tmp_path)
    assert tok.canon is not None and tok.pretoken_ends(b"a (1234567") == [1, 2, 3, 6, 9, 10]
    assert tok.encode("a (b") == load(fields | {"pre": "default"}, tmp_path).encode("a (b")


def test_every_name_can_be_read(tmp_path: Path) -> None:
    _, fields = letters(None)
    for name, cuts in NAMED.items():
        tok = load(fields | {"pre": name}, tmp_path)
        assert tok.canon is not None, (name, tok.canon_reason)
        assert tok.canon.whole_pretokens == cuts.whole


def test_characters(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    lines = {"type": "Split", "pattern": {"Regex": r"[^\n]+|[\n]+"}, "behavior": "Isolated", "invert": False}
    hf = byte_fallback({"normalizer": REPLACE, "pre_tokenizer": lines})
    model = json.loads(hf.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    fields = {
        "model": "gemma4",
        "tokens": tokens,
        "token_type": [CONTROL] * 3 + [BYTE] * 256 + [NORMAL] * (len(tokens) - 259),
        "merges": [" ".join(pair) for pair in model["merges"]],
        "eos_token_id": 2,
        "unknown_token_id": 0,
    }
    tok = load(fields, tmp_path)
    assert tok.canon is not None and not tok.adds_prefix_space and tok.eos_token_ids == (2,)
    hf.encode_special_tokens = True
    random = Random(1)
    for _ in range(1000):
        text = random_text(random, 50).replace("\u2581", " ")
        assert tok.encode(text) == hf.encode(text, add_special_tokens=False).ids, text
    other = load(fields | {"model": "gpt2", "pre": "sarvam-moe"}, tmp_path)
    assert other.canon is not None and other.encode("a b \u00e9\n\n") == tok.encode("a b \u00e9\n\n")
    with pytest.raises(TokenizerError, match="of the kind 'gpt2' are not read"):
        load(fields | {"model": "gpt2", "pre": "whitespace"}, tmp_path)
    for broken in ({"merges": ["a"]}, {"unknown_token_id": 10**6}):
        with pytest.raises(TokenizerError, match="do not fit together"):
            load(fields | broken, tmp_path)
    runs = fields | {"tokens": [*tokens, "\n" * 7], "token_type": [*fields["token_type"], NORMAL]}
    assert load(runs, tmp_path).canon_reason == "the vocabulary has a token of line breaks that merges do not make"


def test_pieces(tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for text in some_texts(60_000) for line in text.splitlines() if line.strip()]),
        model_writer=out,
        vocab_size=700,
        model_type="bpe",
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        minloglevel=9,
    )
    reference = sentencepiece.SentencePieceProcessor()
    reference.LoadFromSerializedProto(out.getvalue() + NO_DUMMY_PREFIX)
    ids = range(reference.vocab_size())
    kinds = [UNKNOWN if reference.is_unknown(one) else CONTROL if reference.is_control(one) else NORMAL for one in ids]
    fields = {
        "model": "llama",
        "tokens": [reference.id_to_piece(one) for one in ids],
        "scores": [reference.get_score(one) for one in ids],
        "token_type": [BYTE if reference.is_byte(one) else kind for one, kind in zip(ids, kinds, strict=True)],
        "eos_token_id": 2,
    }
    tok = load(fields, tmp_path)
    assert tok.canon is not None and tok.adds_prefix_space
    assert not load(fields | {"add_space_prefix": False}, tmp_path).adds_prefix_space
    random = Random(1)
    for _ in range(1000):
        text = random_text(random, 50).replace("\u2581", " ").replace("\0", "")
        assert tok.encode(text) == reference.encode(text), text


def test_errors(tmp_path: Path) -> None:
    _, fields = letters("gpt-2")
    for wrong, message in [
        ({"model": "rwkv"}, "kind 'rwkv' are not read"),
        ({"tokens": ["a"]}, "damaged"),
        ({"tokens": ["a", "a"], "token_type": [1, 1], "merges": ["a a"]}, "the same name"),
        ({"tokens": 1}, "damaged"),
    ]:
        with pytest.raises(TokenizerError, match=message):
            load(fields | wrong, tmp_path)
    del fields["eos_token_id"]
    with pytest.raises(TokenizerError, match="eos_token_ids"):
        load(fields, tmp_path)
    assert load(fields, tmp_path, eos_token_ids=()).eos_token_ids == ()
    path = tmp_path / "cut.gguf"
    data = gguf({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": ["a", "b"], "tokenizer.ggml.eos_token_id": 1})
    for end in range(4, len(data) - 64):
        path.write_bytes(data[:end])
        with pytest.raises(TokenizerError, match=r"damaged|vocabulary"):
            ff.Tokenizer.from_file(path)
    kind = gguf({}).index(string("general.name")) + len(string("general.name"))
    unknown = data[:kind] + struct.pack("<I", 13) + data[kind + 4 :]
    for changed in (
        unknown,
        gguf({}, version=1),
        data[:24] + b"\xff" * 16 + data[40:],
        gguf({"tokenizer.ggml.model": "gpt2"}),
    ):
        path.write_bytes(changed)
        with pytest.raises(TokenizerError, match=r"damaged|vocabulary"):
            ff.Tokenizer.from_file(path)


def test_long_runs_of_line_breaks_are_not_tried() -> None:
    runs = ["\n" * (1 << power) for power in range(10)]
    merges = [(run, run) for run in runs[:-1]]
    assert _makes_lines(runs[:9], merges) and not _makes_lines(runs, merges)
