"""The plugin: what vLLM calls in each of its processes.

vLLM has no registry of backends. So the plugin takes the places where vLLM chooses one: where a configuration is
checked, where a request is checked, and where the engine makes its backend. Each new function does its part for
requests that this backend serves, and hands all others to the function that was there.
"""

from __future__ import annotations

import functools
import importlib.util
import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

from ffgrammar.integrations.vllm.naming import NAME, OURS

__all__ = ["register"]

_DONE = "_ffgrammar_plugin"
# The most seconds for which a new request waits for its grammar.
_PATIENCE = 0.005


def register() -> None:
    """Make ffgrammar the backend of structured outputs. A second call does nothing.

    If a vLLM lacks what the plugin needs, it stays as it is, and its log has an error.

    Raises:
        ImportError: there is no vLLM.
    """
    if importlib.util.find_spec("vllm") is None:
        raise ImportError("ffgrammar.integrations.vllm needs vLLM: pip install 'ffgrammar[vllm]'")
    try:
        from vllm.config import StructuredOutputsConfig, VllmConfig
        from vllm.sampling_params import SamplingParams
        from vllm.v1.structured_output import StructuredOutputManager

        if hasattr(StructuredOutputManager, _DONE):
            return
        for owner, name in _needed(SamplingParams, StructuredOutputManager):
            getattr(owner, name)
        _allow_name(StructuredOutputsConfig, VllmConfig)
    except (ImportError, AttributeError, KeyError) as error:
        logging.getLogger("vllm").error("ffgrammar is not used: this vLLM is not known (%s)", error)
        return
    from ffgrammar.integrations.vllm.metrics import collect_from_engines

    _take_requests(SamplingParams)
    _take_engine(StructuredOutputManager)
    collect_from_engines()
    setattr(StructuredOutputManager, _DONE, True)


def _needed(params: Any, manager: Any) -> list[tuple[Any, str]]:
    methods = ("grammar_init", "validate_tokens", "accept_tokens", "grammar_bitmask", "_get_constraint_bounds")
    return [(params, "_validate_structured_outputs"), *((manager, name) for name in methods)]


def _allow_name(config: Any, whole: Any) -> None:
    """Let the configuration name this backend, and ask it for JSON without white space."""
    from typing import Literal, get_args

    from pydantic.dataclasses import rebuild_dataclass

    field = config.__dataclass_fields__["backend"]
    names = get_args(field.type)
    if not names:
        raise AttributeError("the names of backends are not a Literal")
    validator = config.__pydantic_decorators__.model_validators["_validate_structured_output_config"]
    check = config._validate_structured_output_config

    @functools.wraps(check)
    def checked(self: Any) -> Any:
        if self.backend not in OURS:
            return check(self)
        if self.disable_additional_properties:
            raise ValueError("disable_additional_properties is for guidance: write it into the schema")
        return self

    field.type = config.__annotations__["backend"] = Literal[names + (NAME,)]  # noqa: RUF005 (Python 3.10 has no star here)
    config.__pydantic_fields__["backend"].annotation = field.type
    config._validate_structured_output_config = validator.func = checked
    # (what has a part checks it with a copy of the part's rules)
    rebuild_dataclass(config, force=True)
    rebuild_dataclass(whole, force=True)


def _take_requests(params: Any) -> None:
    others = params._validate_structured_outputs

    @functools.wraps(others)
    def validate(self: Any, model_config: Any, config: Any, tokenizer: Any) -> None:
        if config is None or self.structured_outputs is None or config.backend not in OURS:
            others(self, model_config, config, tokenizer)
            return
        from ffgrammar.integrations.vllm.validation import validate_request

        validate_request(self.structured_outputs, model_config, config, tokenizer)

    params._validate_structured_outputs = validate


def _take_engine(manager: Any) -> None:
    """Let the engine make this backend, and ask it for masks and drafts."""
    others: dict[str, Callable[..., Any]] = {
        name: getattr(manager, name) for name in ("grammar_init", "validate_tokens", "grammar_bitmask")
    }

    @functools.wraps(others["grammar_init"])
    def grammar_init(self: Any, request: Any) -> None:
        asked = request.structured_output_request
        if asked is not None and self.backend is None and asked.params._backend == NAME:
            from ffgrammar.integrations.vllm.backend import FFGrammarBackend

            size = self.vllm_config.model_config.get_vocab_size()
            self.backend = FFGrammarBackend(self.vllm_config, tokenizer=self.tokenizer, vocab_size=size)
        others["grammar_init"](self, request)
        if _serves(self) and asked is not None:
            _await_briefly(asked)

    @functools.wraps(others["validate_tokens"])
    def validate_tokens(self: Any, request: Any, spec_tokens: list[int]) -> list[int]:
        from ffgrammar.integrations.vllm.drafts import with_forced_tokens

        found = with_forced_tokens(self, request, spec_tokens) if _serves(self) else None
        if found is None:
            found = others["validate_tokens"](self, request, spec_tokens)
        return found

    @functools.wraps(others["grammar_bitmask"])
    def grammar_bitmask(self: Any, requests: Any, ids: list[str], drafts: dict[str, list[int]]) -> Any:
        from ffgrammar.integrations.vllm.row_masks import step_masks

        if not ids or not _serves(self):
            return others["grammar_bitmask"](self, requests, ids, drafts)
        return step_masks(self, requests, ids, drafts)

    manager.grammar_init, manager.validate_tokens = grammar_init, validate_tokens
    manager.grammar_bitmask = grammar_bitmask


def _await_briefly(asked: Any) -> None:
    """Wait for a grammar that is ready soon, as most are.

    A request without its grammar misses the next step. A loop that looks for the grammar again and again would keep the
    GIL from the compiling thread for 5 ms, and a wait does not. (An engine in a process of its own calls this in the
    thread that takes in requests, so its steps go on meanwhile.)
    """
    if isinstance(asked._grammar, Future):
        wait([asked._grammar], timeout=_PATIENCE)


def _serves(manager: Any) -> bool:
    """Whether an engine's backend is this one."""
    return getattr(manager.backend, "name", None) == NAME
