"""The real model of tests/models, for the servers and libraries of these tests."""

from __future__ import annotations

import torch

from models.conftest import gguf_path, hf_tokenizer, model, tok

__all__ = ["gguf_path", "hf_tokenizer", "model", "tok"]

# Two threads that wait for each other take many times longer on a machine with other work.
torch.set_num_threads(1)
