"""The patch of docs/vllm-backends.md: it applies to the installed vLLM, and a backend can then be registered."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import vllm

from vllm_engine.model import model_folder

PATCH = Path(__file__).resolve().parent.parent.parent / "docs" / "vllm-registry.patch"
PROGRAM = """
import sys
from types import SimpleNamespace as Some

from vllm import SamplingParams
from vllm.config import StructuredOutputsConfig
from vllm.sampling_params import StructuredOutputsParams
from vllm.tokenizers import get_tokenizer
from vllm.v1.structured_output import StructuredOutputManager
from vllm.v1.structured_output.registry import BackendEntry, find_backend, register_backend
from vllm.v1.structured_output.request import StructuredOutputRequest
import vllm.v1.structured_output as module

from ffgrammar.integrations.vllm.backend import FFGrammarBackend
from ffgrammar.integrations.vllm.validation import validate_request

entry = BackendEntry(FFGrammarBackend, validate_request, compact_json=True)
for _ in range(2):
    register_backend("ffgrammar", entry)
assert find_backend("ffgrammar") is entry and find_backend("xgrammar") is None
for wrong in ("other", ""):
    try:
        StructuredOutputsConfig(backend=wrong)
    except ValueError:
        continue
    raise AssertionError(wrong)
config = StructuredOutputsConfig(backend="ffgrammar", disable_any_whitespace=True)
tokenizer = get_tokenizer(sys.argv[1])
module.cached_tokenizer_from_config = lambda model_config: tokenizer
model = Some(
    is_diffusion=False, try_get_generation_config=dict, skip_tokenizer_init=False, get_vocab_size=lambda: len(tokenizer)
)
manager = StructuredOutputManager(Some(
    parallel_config=Some(distributed_executor_backend="mp"),
    scheduler_config=Some(max_num_seqs=4, async_scheduling=False),
    model_config=model,
    structured_outputs_config=config,
    speculative_config=Some(method="ngram", num_speculative_tokens=4),
    num_speculative_tokens=4,
))
asked = StructuredOutputsParams(choice=["yes", "no"])
params = SamplingParams(structured_outputs=asked)
params._validate_structured_outputs(model, config, tokenizer)
request = Some(
    request_id="a", sampling_params=params, use_structured_output=True,
    structured_output_request=StructuredOutputRequest(params=asked),
)
manager.grammar_init(request)
request.structured_output_request._grammar.result()
assert type(manager.backend) is FFGrammarBackend
yes = tokenizer.encode("yes")
assert manager.validate_tokens(request, yes) == yes and manager.validate_tokens(request, []) == []
assert manager.accept_tokens(request, yes)
print("a backend is registered")
"""


def test_the_patch_applies_and_works(tmp_path: Path) -> None:
    package = tmp_path / "vllm"
    subprocess.run(["cp", "-rs", str(Path(vllm.__file__).parent), str(package)], check=True)
    for name in re.findall(r"^--- a/(.*)$", PATCH.read_text(encoding="utf-8"), re.MULTILINE):
        linked = tmp_path / name
        source = linked.resolve()
        linked.unlink()
        shutil.copy(source, linked)
    subprocess.run(["git", "apply", "--verbose", str(PATCH)], check=True, cwd=tmp_path)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "VLLM_PLUGINS": "", "HF_HUB_OFFLINE": "1"}
    found = subprocess.run(
        [sys.executable, str(program), str(model_folder())], env=env, capture_output=True, text=True, check=False
    )
    assert "a backend is registered" in found.stdout, found.stderr
