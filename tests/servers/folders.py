"""SmolLM2 as other libraries read it, written once below build/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from models.loading import gguf_file

__all__ = ["model_folder", "onnx_folder"]

BUILD = Path(__file__).resolve().parent.parent.parent / "build"


def model_folder() -> Path:
    """A folder with safetensors and the tokenizer."""
    folder = BUILD / "smollm2"
    if not (folder / "tokenizer.json").exists():
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        path = gguf_file()
        model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.bfloat16)
        # It is no quantised model any more, and is to be written.
        model.hf_quantizer = None
        del model.config.quantization_config
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name).save_pretrained(folder)
    return folder


def onnx_folder() -> Path:
    """A folder as onnxruntime-genai reads it, with weights of 4 bits."""
    folder = BUILD / "smollm2-onnx"
    if not (folder / "genai_config.json").exists():
        command = [sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", str(model_folder())]
        options = ["-o", str(folder), "-p", "int4", "-e", "cpu", "-c", str(BUILD / "cache")]
        subprocess.run([*command, *options, "--extra_options", "hf_token=false"], check=True, capture_output=True)
    return folder
