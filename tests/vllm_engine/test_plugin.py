"""Where vLLM chooses a backend, how requests are refused, and the rows and drafts of a step."""

from __future__ import annotations

import importlib.metadata
import json
import random
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from vllm import SamplingParams
from vllm.config import StructuredOutputsConfig
from vllm.exceptions import VLLMValidationError
from vllm.plugins import load_general_plugins
from vllm.sampling_params import StructuredOutputsParams
from vllm.v1.structured_output import StructuredOutputManager

import ffgrammar as ff
from ffgrammar.integrations.vllm.backend import FFGrammarGrammar
from ffgrammar.integrations.vllm.drafts import ForcedTokensOnly
from ffgrammar.integrations.vllm.plugin import register

SCHEMA = {
    "type": "object",
    "properties": {"first_name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["first_name", "age"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module", autouse=True)
def plugin() -> None:
    """vLLM finds the plugin by the package's entry points."""
    load_general_plugins()
    register()  # a second call does nothing


def test_the_entry_point() -> None:
    (found,) = importlib.metadata.entry_points(group="vllm.general_plugins", name="ffgrammar")
    assert found.load() is register


def test_names_in_the_configuration() -> None:
    assert StructuredOutputsConfig(backend="ffgrammar").backend == "ffgrammar"
    assert StructuredOutputsConfig(disable_any_whitespace=True).backend == "auto"
    assert StructuredOutputsConfig(backend="guidance", disable_additional_properties=True).backend == "guidance"
    for wrong in (
        {"backend": "other"},
        {"backend": "outlines", "disable_any_whitespace": True},
        {"disable_additional_properties": True},
    ):
        with pytest.raises(ValueError):
            StructuredOutputsConfig(**wrong)


# ---- requests


def _validate(params: dict[str, Any], backend: str, model_config: Any, tokenizer: Any) -> StructuredOutputsParams:
    asked = StructuredOutputsParams(**params)
    sampling = SamplingParams(structured_outputs=asked)
    sampling._validate_structured_outputs(model_config, StructuredOutputsConfig(backend=backend), tokenizer)
    return asked


@pytest.mark.parametrize("backend", ["auto", "ffgrammar"])
def test_requests_that_are_served(backend: str, model_config: Any, hf_tokenizer: Any) -> None:
    lark = {"grammar": 'start: "a"'}
    for params in ({"json": SCHEMA}, {"json_object": True}, {"regex": "a+"}, {"choice": ["a"]}, lark):
        asked = _validate(params, backend, model_config, hf_tokenizer)
        assert asked._backend == "ffgrammar" and asked._backend_was_auto == (backend == "auto")
        # Parameters may be used for a second request.
        SamplingParams(structured_outputs=asked)._validate_structured_outputs(
            model_config, StructuredOutputsConfig(backend=backend), hf_tokenizer
        )


def test_other_backends_stay(model_config: Any, hf_tokenizer: Any) -> None:
    assert _validate({"json": SCHEMA}, "xgrammar", model_config, hf_tokenizer)._backend == "xgrammar"
    assert _validate({"json": SCHEMA}, "guidance", model_config, hf_tokenizer)._backend == "guidance"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"json": '{"type": "objec"}'}, "at /type: 'objec' is not a type"),
        ({"json": "{"}, "JSON"),
        ({"json": ""}, "JSON"),
        ({"regex": "("}, "column 1"),
        ({"choice": []}, "choice"),
        ({"grammar": "root ::= x"}, "line 1, column 10"),
        ({"structural_tag": "{}"}, "structural"),
        ({"json_object": False}, "json_object must be true"),
        ({"json": SCHEMA, "whitespace_pattern": " "}, "whitespace_pattern"),
        ({"json": SCHEMA, "disable_any_whitespace": True}, "disable_any_whitespace"),
        ({"regex": "a" * (2 << 20)}, "cannot be used"),
    ],
)
def test_requests_that_are_refused(params: dict[str, Any], message: str, model_config: Any, hf_tokenizer: Any) -> None:
    with pytest.raises(VLLMValidationError, match=message):
        _validate(params, "auto", model_config, hf_tokenizer)


def test_a_deep_request_is_refused(model_config: Any, hf_tokenizer: Any) -> None:
    deep: Any = True
    for _ in range(100_000):
        deep = {"not": deep}
    with pytest.raises(VLLMValidationError, match=r"nested|cannot be used"):
        _validate({"json": deep}, "auto", model_config, hf_tokenizer)


def test_models_that_cannot_be_constrained(model_config: Any, hf_tokenizer: Any) -> None:
    with pytest.raises(VLLMValidationError, match="tokenizer"):
        _validate({"json": SCHEMA}, "auto", model_config, None)
    with pytest.raises(VLLMValidationError, match="Diffusion"):
        _validate({"json": SCHEMA}, "auto", SimpleNamespace(is_diffusion=True), hf_tokenizer)


# ---- steps of an engine, without the engine


class _Reasoner:
    """Reasoning ends at the token 5."""

    def __init__(self, tokenizer: Any) -> None:
        pass

    def is_reasoning_end(self, ids: list[int]) -> bool:
        return 5 in ids

    def is_reasoning_end_streaming(self, ids: list[int], delta: list[int]) -> bool:
        return 5 in delta


def _manager(model_config: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch, **speculation: Any) -> Any:
    monkeypatch.setattr("vllm.v1.structured_output.cached_tokenizer_from_config", lambda model_config: tokenizer)
    model = SimpleNamespace(**vars(model_config), skip_tokenizer_init=False, get_vocab_size=lambda: len(tokenizer) + 64)
    config = SimpleNamespace(
        parallel_config=SimpleNamespace(distributed_executor_backend="mp"),
        scheduler_config=SimpleNamespace(max_num_seqs=4, async_scheduling=False),
        model_config=model,
        structured_outputs_config=StructuredOutputsConfig(disable_any_whitespace=True),
        speculative_config=SimpleNamespace(num_speculative_tokens=6, **speculation) if speculation else None,
        num_speculative_tokens=6 if speculation else 0,
    )
    return StructuredOutputManager(config)


def _request(manager: Any, name: str, **params: Any) -> Any:
    """A request whose grammar is compiled."""
    from vllm.v1.structured_output.request import StructuredOutputRequest

    asked = StructuredOutputsParams(**params)
    asked._backend = "ffgrammar"
    sampling = SamplingParams(structured_outputs=asked)
    request = SimpleNamespace(
        request_id=name,
        sampling_params=sampling,
        structured_output_request=StructuredOutputRequest(params=asked),
        use_structured_output=True,
        prompt_token_ids=[1],
        all_token_ids=[1],
    )
    manager.grammar_init(request)
    request.structured_output_request._grammar.result()
    assert isinstance(request.structured_output_request.grammar, FFGrammarGrammar)
    return request


def test_the_rows_of_a_step_are_those_of_vllm(
    model_config: Any, hf_tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The masks that are written together are those that vLLM would write with the same grammars one after another."""
    manager = _manager(model_config, hf_tokenizer, monkeypatch, method="ngram")
    stop = hf_tokenizer.encode("7")[0]
    requests = {
        "a": _request(manager, "a", json=SCHEMA),
        "b": _request(manager, "b", regex="[a-z ]*"),
        "c": _request(manager, "c", choice=["yes", "no"]),
        "d": _request(manager, "d", regex="[0-9]+"),
    }
    grammar = requests["d"].structured_output_request.grammar
    from ffgrammar.integrations.vllm.stops import stops_of

    grammar.stops = stops_of({0, 2, stop}, grammar.matcher.engine.tokenizer, len(hf_tokenizer) + 64)
    theirs = StructuredOutputManager.grammar_bitmask.__wrapped__
    texts = {"a": '{"first_name":"Al","age":5}', "b": "some words here", "c": "yes", "d": "4735"}
    rng = random.Random(1)
    for _ in range(40):
        drafts = {}
        for name, text in texts.items():
            ids = [*hf_tokenizer.encode(text), 2, 9][: rng.randrange(7)]
            if ids and rng.random() < 0.3:
                ids[rng.randrange(len(ids))] = rng.choice([-1, 50, 2])
            if rng.random() < 0.3:
                ids = manager.validate_tokens(requests[name], ids)[: rng.randrange(7)]
            drafts[name] = ids
        names = rng.sample(list(texts), rng.randint(1, 4))
        mine = manager.grammar_bitmask(requests, names, drafts).copy()
        manager._grammar_bitmask.fill_(12345)
        expected = theirs(manager, requests, names, drafts)
        assert mine.shape == expected.shape
        assert (mine == expected).all()


def test_what_is_forced_is_spelled_in_one_way(
    model_config: Any, hf_tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = _manager(model_config, hf_tokenizer, monkeypatch, method="ngram")
    request = _request(manager, "a", json=SCHEMA)
    matcher = request.structured_output_request.grammar.matcher
    forced = matcher.forced_tokens()
    assert len(matcher.allowed_token_ids()) > 1
    rows = manager.grammar_bitmask({"a": request}, ["a"], {"a": forced}).view("uint32")
    for row, token in zip(rows, forced, strict=False):
        assert (
            row[token >> 5] == 1 << (token & 31) and not row[: token >> 5].any() and not row[(token >> 5) + 1 :].any()
        )
    assert rows[len(forced)].any(), "here there is a choice"


def test_masks_of_reasoning(model_config: Any, hf_tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = _manager(model_config, hf_tokenizer, monkeypatch, method="ngram")
    manager.reasoner_cls = _Reasoner
    request = _request(manager, "a", choice=["yes", "no"])
    (yes,) = hf_tokenizer.encode("yes")
    theirs = StructuredOutputManager.grammar_bitmask.__wrapped__
    for drafts in ([], [8], [8, 5], [5], [8, 5, yes], [5, yes, 2], [5, yes, -1, -1]):
        mine = manager.grammar_bitmask({"a": request}, ["a"], {"a": drafts}).copy()
        assert (mine == theirs(manager, {"a": request}, ["a"], {"a": drafts})).all(), drafts
    assert manager.validate_tokens(request, [8, 9]) == [8, 9], "reasoning is not constrained, and nothing is forced"
    assert manager.accept_tokens(request, [8, 5])
    assert request.structured_output_request.reasoning_ended
    assert manager.validate_tokens(request, [8]) == []


def test_a_request_waits_briefly_for_its_grammar(
    model_config: Any, hf_tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = _manager(model_config, hf_tokenizer, monkeypatch)
    request = _request(manager, "a", json=SCHEMA)
    monkeypatch.setattr("ffgrammar.integrations.vllm.plugin._PATIENCE", 60)
    manager.grammar_init(request)
    assert request.structured_output_request._grammar.done()


def test_forced_tokens_become_drafts(model_config: Any, hf_tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = _manager(model_config, hf_tokenizer, monkeypatch, method="ngram")
    request = _request(manager, "a", json=SCHEMA)
    grammar = request.structured_output_request.grammar
    forced = grammar.matcher.forced_tokens()
    assert 1 < len(forced) < 6
    assert hf_tokenizer.decode(forced).startswith('{"first_name')
    # (what begins the value could be one token with its first letters, and need not)
    guessed = hf_tokenizer.encode('":"')
    assert manager.validate_tokens(request, []) == forced + guessed
    assert manager.validate_tokens(request, [1, 2, 3]) == forced + guessed, "a draft that is wrong"
    assert manager.validate_tokens(request, forced[:1]) == forced + guessed, "a draft that is short"
    more = hf_tokenizer.encode('{"first_name":"Al')
    assert manager.validate_tokens(request, [*more, -1])[: len(more)] == more, "a draft that goes on"
    assert len(manager.validate_tokens(request, [*more, *more])) <= 6
    other = hf_tokenizer.encode('":".')
    assert other[:1] != guessed
    assert manager.validate_tokens(request, forced + other)[: len(forced + other)] == forced + other, "no guess instead"
    assert manager.validate_tokens(request, forced) == forced + guessed
    assert manager.accept_tokens(request, forced)
    assert manager.backend.metrics.accepted._value.get() == len(forced)
    name = hf_tokenizer.encode('":"Al","')
    assert manager.validate_tokens(request, name)[: len(name)] == name
    assert len(manager.validate_tokens(request, name)) > len(name), "what is forced after a draft"


@pytest.mark.parametrize("method", [None, "eagle"])
def test_settings_that_do_not_allow_more_drafts(
    method: str | None, model_config: Any, hf_tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = _manager(model_config, hf_tokenizer, monkeypatch, **({"method": method} if method else {}))
    request = _request(manager, "a", json=SCHEMA)
    assert manager.validate_tokens(request, []) == []
    other = _manager(model_config, hf_tokenizer, monkeypatch, method="ngram")
    other.vllm_config.scheduler_config.async_scheduling = True
    assert other.validate_tokens(_request(other, "a", json=SCHEMA), []) == []


def test_a_drafter_without_drafts() -> None:
    drafter = ForcedTokensOnly(None)
    drafter.load_model()
    assert drafter.propose([[1], [], [2, 3]], None, None, slot_mappings=None) == [[], [], []]


def test_a_bound_in_one_request_leaves_the_others(
    model_config: Any, hf_tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = _manager(model_config, hf_tokenizer, monkeypatch)
    hard, easy = _request(manager, "a", regex="a+"), _request(manager, "b", regex="a+")
    grammar = hard.structured_output_request.grammar

    def fail(*arguments: Any) -> Any:
        raise ff.LimitError("row_items", 1)

    monkeypatch.setattr("ffgrammar.integrations.vllm.row_masks.fill_draft_bitmasks", fail)
    monkeypatch.setattr(grammar, "matcher", SimpleNamespace(is_terminated=lambda: False, fill_bitmask=fail))
    rows = torch.from_numpy(manager.grammar_bitmask({"a": hard, "b": easy}, ["a", "b"], {}))
    assert bool((rows[0] == -1).all()) and bool((rows[1] != -1).any())
    assert not manager.accept_tokens(hard, hf_tokenizer.encode("aa"))
    assert manager.accept_tokens(easy, hf_tokenizer.encode("aa"))


def test_structural_tags_of_many_tools(model_config: Any, hf_tokenizer: Any) -> None:
    content = {"type": "json_schema", "json_schema": SCHEMA}
    tags = [{"type": "tag", "begin": f"<t{number}>", "content": content, "end": "</t>"} for number in range(20)]
    tag = {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<t"], "tags": tags}}
    assert _validate({"structural_tag": json.dumps(tag)}, "auto", model_config, hf_tokenizer)._backend == "ffgrammar"
