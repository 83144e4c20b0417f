"""Tokenizers of all kinds, as vLLM loads them: masks, the ends of texts, and forced tokens fit their ids.

mistral-common, which vLLM brings, has tokenizers of sentencepiece and of tekken. Models of sentencepiece are trained
here. `make tokenizers` fetches those of real models.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mistral_common
import pytest
from vllm.tokenizers import get_tokenizer

import ffgrammar as ff
from ffgrammar.integrations.vllm.vocabulary import requests_of, vocabulary_of
from oracle.real import tokenizers_dir
from oracle.trained import PLAIN, some_texts

MODEL = SimpleNamespace(is_diffusion=False, try_get_generation_config=dict)
CONFIG = SimpleNamespace(disable_any_whitespace=False)
MISTRAL = Path(mistral_common.__file__).parent / "data"
# How a file is called in the folder of a model
MISTRAL_FILES = {
    "tokenizer.model.v1": "tokenizer.model.v1",
    "mistral_instruct_tokenizer_240323.model.v3": "tokenizer.model.v3",
    "mistral_instruct_tokenizer_241114.model.v7": "tokenizer.model.v7",
    "tekken_240911.json": "tekken.json",
}
# Real tokenizers, one of each kind: byte level (of three makes), Metaspace, Gemma's
REAL = ("qwen3", "llama3", "gptoss", "llama2", "gemma3")
DATA = {"first_name": "Zoë", "favourite_colour": "green", "is_member": True, "age": 36}
SCHEMA = {
    "type": "object",
    "properties": {
        "first_name": {"type": "string"},
        "favourite_colour": {"enum": ["green", "red"]},
        "is_member": {"type": "boolean"},
        "age": {"type": "integer"},
    },
    "required": list(DATA),
    "additionalProperties": False,
}


def _check(tokenizer: Any) -> None:
    """An answer's tokens, as the tokenizer writes them after a prompt, are allowed and end; what is forced is a part of
    them."""
    tok = vocabulary_of(tokenizer, MODEL)
    assert tokenizer.eos_token_id in tok.eos_token_ids
    assert tok.canon is not None, tok.canon_reason
    grammar = requests_of(tok, CONFIG).compile("json", json.dumps(SCHEMA))
    # (a line end keeps the prompt's last token and the answer's first one apart)
    prompt, answer = "Answer:\n", json.dumps(DATA, ensure_ascii=False)
    before, ids = _encode(tokenizer, prompt), _encode(tokenizer, prompt + answer)
    assert ids[: len(before)] == before
    ids = ids[len(before) :]
    assert b"".join([tok.token_bytes(one) for one in ids]).decode() == answer
    matcher, forced = grammar.matcher(), 0
    for place, token in enumerate(ids):
        assert token in matcher.allowed_token_ids(), place
        found = matcher.forced_tokens()
        assert found == ids[place : place + len(found)], place
        forced += len(found) > 0
        assert matcher.accept_token(token)
    assert forced >= 3
    assert tokenizer.eos_token_id in matcher.allowed_token_ids()
    assert matcher.accept_token(tokenizer.eos_token_id) and matcher.is_terminated()


def _encode(tokenizer: Any, text: str) -> list[int]:
    found: list[int] = tokenizer.encode(text, add_special_tokens=False)
    return found


@pytest.mark.parametrize("name", MISTRAL_FILES)
def test_mistral(name: str, tmp_path: Path) -> None:
    shutil.copy(MISTRAL / name, tmp_path / MISTRAL_FILES[name])
    _check(get_tokenizer(str(tmp_path), tokenizer_mode="mistral"))


@pytest.fixture(scope="module")
def model_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., bytes]:
    sentencepiece = pytest.importorskip("sentencepiece")
    texts = [line for text in some_texts(60_000) for line in text.splitlines() if line.strip()]

    def train(**options: Any) -> bytes:
        out = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts), model_writer=out, vocab_size=700, minloglevel=9, **options
        )
        return out.getvalue()

    return train


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_sentencepiece(kind: str, model_of: Callable[..., bytes], tmp_path: Path) -> None:
    """A folder that has a model of sentencepiece only, as the first Llama's."""
    (tmp_path / "tokenizer.model").write_bytes(model_of(model_type=kind, **PLAIN))
    config = {"tokenizer_class": "LlamaTokenizer", "eos_token": "</s>", "bos_token": "<s>", "unk_token": "<unk>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    _check(get_tokenizer(str(tmp_path)))


@pytest.mark.parametrize("name", REAL)
def test_real_tokenizers(name: str) -> None:
    folder = tokenizers_dir()
    if folder is None or not (folder / name).exists():
        pytest.skip("no real tokenizers: run make tokenizers, or set FFGRAMMAR_TOKENIZERS")
    _check(get_tokenizer(str(folder / name)))


def test_a_tokenizer_of_unknown_bytes_is_refused(model_of: Callable[..., bytes], tmp_path: Path) -> None:
    """T5's tokenizer normalises texts and knows no line end: what it writes is not the text."""
    (tmp_path / "spiece.model").write_bytes(model_of(model_type="unigram"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "T5Tokenizer"}), encoding="utf-8")
    tokenizer = get_tokenizer(str(tmp_path))
    tok = vocabulary_of(tokenizer, MODEL)
    assert tok.canon is None and tok.canon_reason
    matcher = ff.compile_regex("(yes|no)+", tok).matcher()
    assert matcher.allowed_token_ids().size
