"""vLLM, its configuration and one engine for all tests of this folder. Without vLLM nothing here runs."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vllm_engine.model import engine, model_folder

if importlib.util.find_spec("vllm") is None:
    collect_ignore_glob = ["test_*.py"]
    warnings.warn("vLLM is not installed here, so nothing is tested: make test-vllm has it", stacklevel=1)

PARSER = Path(__file__).with_name("sentences.py")


@pytest.fixture(scope="session")
def hf_tokenizer() -> Any:
    from vllm.tokenizers import get_tokenizer

    return get_tokenizer(str(model_folder()))


@pytest.fixture(scope="session")
def model_config() -> Any:
    """As much of vLLM's configuration of a model as a backend reads."""
    return SimpleNamespace(is_diffusion=False, try_get_generation_config=lambda: {"eos_token_id": [2, 0]})


@pytest.fixture(scope="session")
def llm() -> Iterator[Any]:
    """An engine in a process of its own, with forced tokens as drafts, and with a parser of reasoning."""
    from vllm_engine.run import FORCED_ONLY

    parser = {"reasoning_parser": "sentence", "reasoning_parser_plugin": str(PARSER)}
    made = engine(speculative_config=FORCED_ONLY, structured_outputs_config=parser)
    yield made
    made.llm_engine.engine_core.shutdown()
