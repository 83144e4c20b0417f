"""Models of sentencepiece against its package."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.loaders.encoders import NO_DUMMY_PREFIX
from ffgrammar.tokens.loaders.sentencepiece import _are_runs
from ffgrammar.tokens.loaders.sentencepiece_model import NORMAL, SPACE, Piece
from oracle.trained import PLAIN, random_text, some_texts

sentencepiece = pytest.importorskip("sentencepiece")

# What makes models that differ
MODELS: dict[str, dict[str, Any]] = {
    "bpe": {"model_type": "bpe", **PLAIN},
    "split digits": {"model_type": "bpe", "split_digits": True, **PLAIN},
    "symbols": {"model_type": "bpe", "user_defined_symbols": ["<tool>", "abc"], **PLAIN},
    "symbols with spaces": {"model_type": "bpe", "user_defined_symbols": ["  ", "a b"], **PLAIN},
    "no dummy prefix": {"model_type": "bpe", "add_dummy_prefix": False, **PLAIN},
    "nmt_nfkc": {"model_type": "bpe", "byte_fallback": True},
    "no bytes": {"model_type": "bpe", **PLAIN, "byte_fallback": False},
}
RULES = {"bpe", "split digits", "symbols", "no dummy prefix"}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    made: dict[str, bytes] = {}
    texts = [line for text in some_texts(60_000) for line in text.splitlines() if line.strip()]

    def make(name: str) -> bytes:
        if name not in made:
            out = io.BytesIO()
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(texts), model_writer=out, vocab_size=700, minloglevel=9, **MODELS[name]
            )
            made[name] = out.getvalue()
        return made[name]

    return make


def load(data: bytes, folder: Path, **given: Any) -> ff.Tokenizer:
    path = folder / "tokenizer.model"
    path.write_bytes(data)
    return ff.Tokenizer.from_file(path, **given)


@pytest.mark.parametrize("name", MODELS)
def test_it_encodes_as_its_package(name: str, models: Callable[[str], bytes], tmp_path: Path) -> None:
    tok = load(models(name), tmp_path)
    reference = sentencepiece.SentencePieceProcessor()
    reference.LoadFromSerializedProto(models(name) + NO_DUMMY_PREFIX)
    assert tok.vocab_size == reference.vocab_size() and tok.eos_token_ids == (reference.eos_id(),)
    assert (tok.canon is not None) == (name in RULES), tok.canon_reason
    assert tok.adds_prefix_space == (name != "no dummy prefix")
    random = Random(0)
    texts = [random_text(random, 60) for _ in range(1500)] + [" " * count for count in range(100)]
    texts += ["abcabc <tool>  abc\u00e9\n\t  ", "\U0001f642\u4e2d", ""]
    for text in texts:
        # (this character stands for the space, also where a text has it)
        text = text.replace("\u2581", " ").replace("\0", "")
        assert tok.encode(text) == reference.encode(text), text


@pytest.mark.parametrize("name", MODELS)
def test_tokens_have_the_bytes_that_they_write(name: str, models: Callable[[str], bytes], tmp_path: Path) -> None:
    tok = load(models(name), tmp_path)
    reference = sentencepiece.SentencePieceProcessor()
    reference.LoadFromSerializedProto(models(name))
    for token in range(tok.vocab_size):
        if reference.is_control(token) or reference.is_unknown(token):
            assert tok.token_bytes(token) == b""
        elif reference.is_byte(token):
            assert tok.token_bytes(token) == bytes([int(reference.id_to_piece(token)[3:5], 16)])
        else:
            assert tok.token_bytes(token) == reference.id_to_piece(token).replace("\u2581", " ").encode()


@pytest.mark.parametrize("name", sorted(RULES))
def test_canonical_walks_encode_to_themselves(name: str, models: Callable[[str], bytes], tmp_path: Path) -> None:
    tok = load(models(name), tmp_path)
    schema = {"properties": {"abc d": {"type": "string", "maxLength": 12}, "<tool>": {"type": "integer"}}}
    grammar = ff.compile_json_schema(schema, tok, whitespace=2)
    random = Random(1)
    walks = 0
    while walks < 10:
        matcher = grammar.matcher(canonical=True)
        for _ in range(200):
            allowed = matcher.allowed_token_ids().tolist()
            matcher.accept_token(random.choice(allowed))
            if matcher.is_terminated():
                break
        else:
            continue
        ids = [token for token in matcher.tokens() if token is not None and token not in tok.eos_token_ids]
        assert tok.encode(tok.decode(ids)) == ids
        walks += 1


def test_a_model_without_eos(models: Callable[[str], bytes], tmp_path: Path) -> None:
    # trainer_spec { eos_id: -1 }
    data = models("bpe") + b"\x12\x0c\xd0\x02" + b"\xff" * 9 + b"\x01"[:0] + b"\x01"
    with pytest.raises(TokenizerError, match="eos_token_ids"):
        load(data, tmp_path)
    assert load(data, tmp_path, eos_token_ids=2).eos_token_ids == (2,)


def test_damaged_models(models: Callable[[str], bytes], tmp_path: Path) -> None:
    data = models("bpe")
    for wrong in (data[:-1], data[:1000], b"\n\x05abc", b"\n\xff\xff", b"\n" + b"\xff" * 20):
        with pytest.raises(TokenizerError, match=r"tokenizer\.model"):
            load(wrong, tmp_path)
    random = Random(2)
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(random.randrange(1, 6)):
            changed[random.randrange(1, len(changed))] = random.randrange(256)
        try:
            tok = load(bytes(changed), tmp_path)
        except TokenizerError:
            continue
        assert tok.vocab_size > 0


def test_long_runs_of_spaces_are_not_tried() -> None:
    """Two runs with the same score are alike as long as this can be tried in a short time."""
    for size, alike in ((4, True), (64, True), (65, False), (100_000, False)):
        runs = [Piece(SPACE * length, -1.0, NORMAL) for length in (2, size)]
        assert _are_runs(runs, -1.0) is alike
