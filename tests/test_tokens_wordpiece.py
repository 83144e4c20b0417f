"""WordPiece vocabularies: the bytes of tokens are what the package's decoder makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from test_tokens_gguf import CONTROL, NORMAL
from test_tokens_gguf import load as load_gguf

import ffgrammar as ff
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.report import is_canonical
from oracle.trained import some_texts

NAMES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.fixture(scope="module")
def bert() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    tok = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    tok.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    tok.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tok.decoder = tokenizers.decoders.WordPiece()
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=1200, special_tokens=NAMES, show_progress=False)
    tok.train_from_iterator((text.replace("\u2581", "") for text in some_texts(100_000)), trainer)
    return tok


def load(config: dict[str, Any], folder: Path, **given: Any) -> ff.Tokenizer:
    (folder / "tokenizer.json").write_text(json.dumps(config))
    return ff.Tokenizer.from_file(folder, **given)


@pytest.mark.parametrize("cleanup", [True, False])
def test_bytes_are_those_of_the_decoder(bert: Any, cleanup: bool, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    config = json.loads(bert.to_str())
    config["decoder"]["cleanup"] = cleanup
    reference = tokenizers.Tokenizer.from_str(json.dumps(config))
    tok = load(config, tmp_path)
    assert tok.special_tokens == {name: bert.token_to_id(name) for name in NAMES}
    assert tok.eos_token_ids == (bert.token_to_id("[SEP]"),) and tok.adds_prefix_space and tok.strips_first_space
    assert ff.Tokenizer.from_huggingface(reference).fingerprint == tok.fingerprint
    random = Random(1)
    first = [token for token in range(5, tok.vocab_size) if not bert.id_to_token(token).startswith("##")]
    assert {tok.token_bytes(token)[:1] for token in first if bert.id_to_token(token) not in tuple(".?!,")} == {b" "}
    for _ in range(2000):
        ids = [random.choice(first), *(random.randrange(5, tok.vocab_size) for _ in range(random.randrange(20)))]
        assert tok.decode(ids).decode().removeprefix(" ") == reference.decode(ids), ids


def test_masks_and_encode(bert: Any, tmp_path: Path) -> None:
    tok = load(json.loads(bert.to_str()), tmp_path)
    text = " self. return, if not"
    ids = tok.encode(text)
    assert ids == bert.encode("self. return, if not", add_special_tokens=False).ids
    assert tok.decode(ids).decode() == text and is_canonical(tok, ids)
    assert tok.canon is None and "WordPiece" in (tok.canon_reason or "")
    matcher = ff.compile_regex(r" self\. return, (if|for) not", tok).matcher()
    assert matcher.accept_tokens(ids) == len(ids) and matcher.is_accepting()
    matcher = ff.compile_regex("( [a-z]+)+", tok).matcher()
    begins = {bert.id_to_token(token) for token in matcher.allowed_token_ids().tolist()}
    assert "self" in begins and not any(name.startswith(("##", "[")) for name in begins)
    assert matcher.accept_token(bert.token_to_id("self"))
    assert bert.token_to_id("##s") in matcher.allowed_token_ids()
    # the names of special tokens are text
    assert not set(tok.encode("a [SEP] b")) & {0, 2, 3, 4} and 3 in tok.encode("a [SEP] b", special="allow")


def test_a_text_that_the_package_refuses(bert: Any, tmp_path: Path) -> None:
    config = json.loads(bert.to_str())
    config["model"]["unk_token"] = "[NONE]"
    with pytest.raises(ff.TokenizerError, match=r"cannot (encode|read)"):
        load(config, tmp_path, eos_token_ids=()).encode(" \U0001fae8\ua980")


def test_what_is_refused(bert: Any, tmp_path: Path) -> None:
    for change, message in [
        ({"decoder": None}, "without a WordPiece decoder"),
        ({"decoder": {"type": "WordPiece", "prefix": "@@", "cleanup": True}}, "not the same in model"),
        ({"decoder": {"type": "ByteLevel"}}, "without a WordPiece decoder"),
    ]:
        with pytest.raises(TokenizerError, match=message):
            load(json.loads(bert.to_str()) | change, tmp_path)


def test_gguf(bert: Any, tmp_path: Path) -> None:
    tokens = [bert.id_to_token(token) for token in range(bert.get_vocab_size())]
    fields = {
        "model": "bert",
        # (llama.cpp's converter writes them like this)
        "tokens": [
            name if name in NAMES else name.removeprefix("##") if name.startswith("##") else f"\u2581{name}"
            for name in tokens
        ],
        "token_type": [CONTROL if name in NAMES else NORMAL for name in tokens],
        "seperator_token_id": 3,
    }
    tok = load_gguf(fields, tmp_path)
    config = json.loads(bert.to_str())
    config["decoder"]["cleanup"] = False
    other = load(config, tmp_path)
    assert tok.eos_token_ids == (3,) and tok.adds_prefix_space and tok.strips_first_space
    assert not tok.can_encode and "WordPiece" in (tok.canon_reason or "")
    assert [tok.token_bytes(token) for token in range(tok.vocab_size)] == [
        other.token_bytes(token) for token in range(tok.vocab_size)
    ]
    del fields["seperator_token_id"]
    with pytest.raises(TokenizerError, match="eos_token_ids"):
        load_gguf(fields, tmp_path)
