"""SmolLM2 as vLLM loads it: a folder made once from the GGUF file of a package; and an engine on it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from models.loading import gguf_file

__all__ = ["FOLDER", "SETTINGS", "engine", "model_folder"]

FOLDER = Path(__file__).resolve().parent.parent.parent / "build" / "smollm2"

# One thread, a small cache, and nothing that asks the network.
SETTINGS = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
}


def model_folder() -> Path:
    """The folder of the model, which is written if it is not there."""
    if not (FOLDER / "model.safetensors").exists():
        _write(FOLDER)
    return FOLDER


def _write(folder: Path) -> None:
    import torch
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    path = gguf_file()
    model = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
    )
    # It is no quantised model any more, and is to be written.
    model.hf_quantizer = None
    del model.config.quantization_config
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    # transformers drops the part of the pre-tokenizer that cuts off each digit.
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def engine(*, together: bool = False, **options: Any) -> Any:
    """An engine of vLLM on the model.

    Args:
        together: whether the engine runs in this process.
        options: those of `vllm.LLM`.
    """
    os.environ.update(SETTINGS, VLLM_ENABLE_V1_MULTIPROCESSING="0" if together else "1")
    from vllm import LLM

    settings: dict[str, Any] = {
        "dtype": "bfloat16",
        "max_model_len": 2048,
        "max_num_seqs": 32,
        "enforce_eager": True,
        "async_scheduling": False,
        "disable_log_stats": False,
    }
    return LLM(str(model_folder()), **{**settings, **options})


def main() -> None:
    """Print where the model is."""
    print(model_folder())


if __name__ == "__main__":
    main()
