"""The real model of these tests, SmolLM2 with 135 million parameters, in ffgrammar, transformers and llama.cpp."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff
from models.loading import gguf_file, load_llama, load_model


@pytest.fixture(scope="session")
def gguf_path() -> Path:
    return gguf_file()


@pytest.fixture(scope="session")
def tok(gguf_path: Path) -> ff.Tokenizer:
    return ff.Tokenizer.from_file(gguf_path)


@pytest.fixture(scope="session")
def hf_tokenizer(gguf_path: Path) -> Any:
    """The tokenizer that transformers makes of the GGUF file. Its conversion drops a part of the pre-tokenizer, which
    cuts off each digit; here the part is put back."""
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(gguf_path.parent, gguf_file=gguf_path.name)
    backend = tokenizer.backend_tokenizer
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    return tokenizer


@pytest.fixture(scope="session")
def model(gguf_path: Path) -> Any:
    return load_model(gguf_path)


@pytest.fixture(scope="session")
def llama(gguf_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load_llama(gguf_path, tmp_path_factory.mktemp("libraries"))
