"""The real model of tests/models, for the servers and libraries of these tests."""

from __future__ import annotations

from models.conftest import gguf_path, hf_tokenizer, model, tok

__all__ = ["gguf_path", "hf_tokenizer", "model", "tok"]
