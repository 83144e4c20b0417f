"""Small models of transformers with random weights."""

from __future__ import annotations

from typing import Any

import torch
import transformers

__all__ = ["tiny_model"]


def tiny_model(kind: str, vocab_size: int, positions: int = 512) -> Any:
    """A model in double precision: "llama", "gpt2"; or "mistral" or "gpt_neo", whose windows of attention are shorter
    than most texts."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    sizes = {
        "vocab_size": vocab_size,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": positions,
        "initializer_range": 0.5,
    }
    config = {
        "llama": lambda: transformers.LlamaConfig(**sizes),
        "gpt2": lambda: transformers.GPT2Config(
            vocab_size=vocab_size, n_embd=16, n_layer=2, n_head=2, n_positions=positions, initializer_range=0.5
        ),
        "gpt_neo": lambda: transformers.GPTNeoConfig(
            vocab_size=vocab_size,
            hidden_size=16,
            num_layers=2,
            num_heads=2,
            attention_types=[[["global", "local"], 1]],
            window_size=5,
            max_position_embeddings=positions,
            initializer_range=0.5,
        ),
        "mistral": lambda: transformers.MistralConfig(**sizes, sliding_window=5),
    }[kind]()
    config.bos_token_id = config.eos_token_id = config.pad_token_id = None
    return transformers.AutoModelForCausalLM.from_config(config).double().eval()
