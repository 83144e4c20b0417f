"""SGLang's grammar backend, by the contract of the base classes of the installed package: each method, and what its
scheduler does with them."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest
import torch
from sglang.srt.arg_groups.choices import GRAMMAR_BACKEND_CHOICES
from sglang.srt.constrained import base_grammar_backend as base
from sglang.srt.runtime_context import _ConfigBag, get_context
from sglang.srt.server_args import ServerArgs
from transformers import PreTrainedTokenizerFast

import ffgrammar as ff
from ffgrammar.integrations import sglang as plugin
from ffgrammar.integrations.requests import GrammarRequests
from ffgrammar.integrations.sglang.backend import SGLangBackend
from ffgrammar.integrations.sglang.grammar import SGLangGrammar
from ffgrammar.integrations.sglang.reasoning import ReasoningBackend, ReasoningGrammar

PADDED = 49_280  # SmolLM2 has 49,152 tokens
SERVING = (
    "constrained_json_disable_any_whitespace",
    "constrained_json_max_whitespace_cnt",
    "constrained_json_whitespace_pattern",
    "enable_strict_thinking",
    "reasoning_parser",
)
# After "x" there are more ways to go on than the bound of a test allows.
TOO_LARGE = "\n".join(
    [
        'start: "q" | "x" s',
        "s: " + " | ".join(f'r{number} "y"' for number in range(400)),
        *(f'r{number}: "z{number}" r{number} | "w"' for number in range(400)),
    ]
)
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 8}, "age": {"type": "integer"}},
        "required": ["name", "age"],
        "additionalProperties": False,
    }
)


@contextmanager
def arguments(**given: Any) -> Iterator[ServerArgs]:
    """SGLang's arguments as a scheduler has them. Publishing them in SGLang's own way imports all models and what they
    need, so the two groups that a grammar backend reads are put in place."""
    stated = ServerArgs(model_path="dummy", grammar_backend="ffgrammar", **given)
    serving, kernel, top = _ConfigBag("serving"), _ConfigBag("exec.kernel"), _ConfigBag("exec")
    for name in SERVING:
        serving._set(name, getattr(stated, name))
    kernel._set("grammar_backend", stated.grammar_backend)
    top._set_sub("kernel", kernel)
    context = get_context()
    before = context._config_bags
    context._config_bags = {"serving": serving, "exec": top}
    try:
        yield stated
    finally:
        context._config_bags = before


@pytest.fixture(scope="module")
def server() -> Iterator[ServerArgs]:
    plugin.register()
    with arguments() as stated:
        yield stated


@pytest.fixture(scope="module")
def backend(server: Any, hf_tokenizer: Any) -> SGLangBackend:
    made = base.create_grammar_backend(server, hf_tokenizer, PADDED, {hf_tokenizer.eos_token_id})
    assert isinstance(made, SGLangBackend)
    return made


def compiled(backend: base.BaseGrammarBackend, kind: str, text: str, reasoning: bool = False) -> Any:
    """A grammar as SGLang's GrammarManager gets it: from the cache, or from a thread."""
    found, is_hit = backend.get_cached_or_future_value((kind, text), reasoning)
    assert isinstance(found, Future) != is_hit
    if isinstance(found, Future):
        found = found.result()
        backend.set_cache((kind, text), found.copy())
    return found


def allowed(grammar: Any, size: int = PADDED) -> set[int]:
    mask = grammar.allocate_vocab_mask(size, 1, "cpu")
    grammar.fill_vocab_mask(mask, 0)
    scores = torch.zeros(1, size)
    base.GrammarMask(grammar, grammar.move_vocab_mask(mask, "cpu")).apply(scores)
    return set(torch.nonzero(scores[0] == 0).flatten().tolist())


def accept(grammar: Any, tok: Any, text: str) -> list[int]:
    ids: list[int] = tok.encode(text, add_special_tokens=False)
    for token in ids:
        grammar.accept_token(token)
    return ids


def test_sglang_finds_the_plugin(server: Any) -> None:
    (entry,) = importlib.metadata.entry_points(group="sglang.srt.plugins", name="ffgrammar")
    entry.load()()
    assert GRAMMAR_BACKEND_CHOICES.count("ffgrammar") == 1
    assert base.GRAMMAR_BACKEND_REGISTRY["ffgrammar"] is plugin.create


@pytest.mark.parametrize(
    ("own", "theirs"), [(SGLangGrammar, base.BaseGrammarObject), (SGLangBackend, base.BaseGrammarBackend)]
)
def test_every_method_of_the_base_class_is_there(own: type, theirs: type) -> None:
    """With the same parameters; and what the base class does not implement is implemented."""
    for name, method in inspect.getmembers(theirs, inspect.isfunction):
        if name.startswith("__"):
            continue
        found = inspect.signature(getattr(own, name)).parameters
        wanted = inspect.signature(method).parameters
        skip = {"self"}
        assert [one for one in found if one not in skip] == [one for one in wanted if one not in skip], name
        if "NotImplementedError" in inspect.getsource(method):
            assert getattr(own, name) is not method, name


def test_kinds_of_requests(backend: SGLangBackend, hf_tokenizer: Any) -> None:
    legacy = {
        "type": "structural_tag",
        "structures": [{"begin": "<f>", "schema": None, "end": "</f>"}],
        "triggers": ["<f"],
    }
    tag = {
        "type": "structural_tag",
        "format": {"type": "tag", "begin": "<f>", "content": {"type": "json_schema"}, "end": "</f>"},
    }
    for kind, text, good, bad in [
        ("json", SCHEMA, '{"name": "Al", "age": 3}', '{"name": "Al"}'),
        ("json", "$$ANY$$", '["a", 1]', "Al"),
        ("json", '{"type": "object"}', '{"a": 1}', "[]"),
        ("regex", "a+b", "aab", "ba"),
        ("ebnf", 'root ::= "hello " ("world" | "there")', "hello world", "hello you"),
        ("full_assistant_ebnf", 'root ::= "a"', "a", "b"),
        ("ebnf", 'start: "a" | "b"', "b", "c"),
        ("structural_tag", json.dumps(legacy), 'so <f>{"a": 1}</f> it is', "<f>a</f>"),
        ("structural_tag", json.dumps(tag), '<f>{"a": 1}</f>', "<f>a</f>"),
    ]:
        grammar = compiled(backend, kind, text)
        assert isinstance(grammar, SGLangGrammar), (kind, grammar)
        assert grammar.grammar_stats.compilation_time > 0
        accept(grammar, hf_tokenizer, good)
        grammar.accept_token(hf_tokenizer.eos_token_id)
        assert grammar.is_terminated()
        with pytest.raises(ValueError, match="does not allow the token"):
            accept(compiled(backend, kind, text), hf_tokenizer, bad)
            raise AssertionError


def test_a_text_under_a_mask_at_a_time(backend: SGLangBackend, hf_tokenizer: Any) -> None:
    """What the scheduler does for each token, and the text is valid."""
    torch.manual_seed(1)
    for _ in range(3):
        grammar, text = compiled(backend, "json", SCHEMA), []
        while not grammar.is_terminated():
            mask = grammar.allocate_vocab_mask(PADDED, 1, "cpu")
            grammar.fill_vocab_mask_batched([base.GrammarRow(0, grammar)], mask)
            scores = torch.randn(1, PADDED)
            grammar.apply_vocab_mask(logits=scores, vocab_mask=mask)
            text.append(int(scores.argmax()))
            grammar.accept_token(text[-1])
            assert grammar.current_token == text[-1] and len(text) < 200
        jsonschema.validate(json.loads(hf_tokenizer.decode(text[:-1])), json.loads(SCHEMA))


def test_termination_and_rollback(backend: SGLangBackend, hf_tokenizer: Any) -> None:
    grammar = compiled(backend, "regex", "hello (world|there)")
    before = allowed(grammar)
    ids = accept(grammar, hf_tokenizer, "hello world")
    after = allowed(grammar)
    eos = hf_tokenizer.eos_token_id
    assert after == {eos} and not grammar.is_terminated()
    grammar.accept_token(eos)
    grammar.finished = True
    assert grammar.is_terminated() and grammar.finished
    grammar.accept_token(eos)  # nothing happens after the end
    grammar.rollback(1)
    assert not grammar.is_terminated() and not grammar.finished and allowed(grammar) == after
    grammar.rollback(0)
    grammar.rollback(len(ids))
    assert allowed(grammar) == before
    for token in (ids[-1], -1, PADDED + 5, 49_200):
        with pytest.raises(ValueError):
            grammar.accept_token(token)
    assert allowed(grammar) == before


def test_padded_ids_are_never_allowed(backend: SGLangBackend) -> None:
    for kind, text in (("regex", "(.|\n)*"), ("json", "$$ANY$$")):
        assert max(allowed(compiled(backend, kind, text))) < 49_152


def test_copies_go_ways_of_their_own(backend: SGLangBackend, hf_tokenizer: Any) -> None:
    first = compiled(backend, "regex", "(ab|ac)d")
    second = compiled(backend, "regex", "(ab|ac)d")
    assert second.grammar_stats.is_cache_hit and second is not first
    accept(first, hf_tokenizer, "a")
    third = first.copy()
    accept(first, hf_tokenizer, "b")
    accept(third, hf_tokenizer, "c")
    accept(second, hf_tokenizer, "a")
    assert [one.matcher.text_bytes for one in (first, second, third)] == [b"ab", b"a", b"ac"]


def test_a_batch_is_filled_at_once(backend: SGLangBackend, hf_tokenizer: Any) -> None:
    """Rows that are not listed stay as they are, and each other row is as when it is filled alone."""
    grammars = [compiled(backend, *one) for one in (("json", SCHEMA), ("regex", "a+b"), ("regex", "[0-9]+"))]
    accept(grammars[0], hf_tokenizer, '{"name": "')
    mask = grammars[0].allocate_vocab_mask(PADDED, 5, "cpu")
    rows = [base.GrammarRow(row, grammar) for row, grammar in zip((3, 0, 4), grammars, strict=True)]
    grammars[1].fill_vocab_mask_batched(rows, mask)
    assert (mask[[1, 2]] == -1).all()
    for row, grammar in rows:
        alone = grammar.allocate_vocab_mask(PADDED, 1, "cpu")
        grammar.fill_vocab_mask(alone, 0)
        assert torch.equal(alone[0], mask[row])
    grammars[0].reset_vocab_mask(mask)
    assert (mask == -1).all()
    with pytest.raises(TypeError, match="int32"):
        grammars[0].reset_vocab_mask(mask.bool())


def test_drafts_are_verified_on_a_tree(backend: SGLangBackend, hf_tokenizer: Any) -> None:
    """As SGLang walks over drafts: a node is accepted if its parent's mask has it, then its mask is filled, its
    children are visited, and it is rolled back."""
    grammar = compiled(backend, "regex", "(ab|ac)d")
    a, b, c, d, x = (hf_tokenizer.encode(one, add_special_tokens=False)[0] for one in "abcdx")
    accept(grammar, hf_tokenizer, "a")
    drafts, children = [a, b, d, x, c], {0: [1, 3, 4], 1: [2]}
    mask = grammar.allocate_vocab_mask(PADDED, len(drafts), "cpu")

    def has(row: int, token: int) -> bool:
        return bool(mask[row, token // 32] >> token % 32 & 1)

    def visit(row: int) -> None:
        grammar.fill_vocab_mask(mask, row)
        for child in children.get(row, ()):
            if has(row, drafts[child]):
                grammar.accept_token(drafts[child])
                if not grammar.is_terminated():
                    visit(child)
                grammar.rollback(1)

    visit(0)
    bits = [{token for token in (b, c, d, x) if has(row, token)} for row in range(5)]
    assert bits == [{b, c}, {d}, set(), {b, c, d, x}, {d}]  # x is not allowed, so its row is left as it was
    assert grammar.matcher.text_bytes == b"a"


def test_jump_forward(backend: SGLangBackend, hf_tokenizer: Any) -> None:
    schema = {"type": "object", "properties": {"name": {"enum": ["Ada"]}}, "required": ["name"]}
    grammar = compiled(backend, "json", json.dumps(schema))
    accept(grammar, hf_tokenizer, '{"')
    helper = grammar.try_jump_forward(hf_tokenizer)
    assert helper is not None and hf_tokenizer.decode(helper[0]).startswith("name")
    assert grammar.jump_forward_str_state(helper) == ("", -1)
    old = hf_tokenizer.encode('{"', add_special_tokens=False)
    grammar.jump_and_retokenize(old, old + helper[0], -1)
    assert grammar.matcher.text_bytes.startswith(b'{"name')
    new = hf_tokenizer.encode('{ "name"', add_special_tokens=False)
    grammar.jump_and_retokenize(old + helper[0], new, -1)
    assert grammar.matcher.text_bytes == b'{ "name"'
    with pytest.raises(ValueError, match="does not allow"):
        grammar.jump_and_retokenize(new, [*new, *new], -1)
    accept(choice := compiled(backend, "regex", "a|b"), hf_tokenizer, "")
    assert choice.try_jump_forward(hf_tokenizer) is None
    accept(choice, hf_tokenizer, "a")
    choice.accept_token(hf_tokenizer.eos_token_id)
    assert choice.try_jump_forward(hf_tokenizer) is None


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("json", "{", "JSON"),
        ("json", '{"type": "x"}', "'x'"),
        ("regex", "(", "at 0|group|parenthes"),
        ("ebnf", "root ::= (", ""),
        ("structural_tag", "{", "not JSON"),
        ("structural_tag", '{"type": "structural_tag"}', "format"),
    ],
)
def test_wrong_requests(backend: SGLangBackend, kind: str, text: str, message: str) -> None:
    """They are answered with the reason, also from the cache."""
    for _ in range(2):
        grammar = compiled(backend, kind, text)
        assert isinstance(grammar, base.InvalidGrammarObject)
        assert any(one in grammar.error_message for one in message.split("|")), grammar.error_message


def test_a_grammar_that_meets_a_bound(hf_tokenizer: Any) -> None:
    """The request is refused at its next token; the others of its batch go on."""
    known = ff.Tokenizer.from_huggingface(hf_tokenizer, [hf_tokenizer.eos_token_id], PADDED)
    small = SGLangBackend(known, GrammarRequests(known, limits=ff.Limits(row_items=300)))
    good, bad = compiled(small, "regex", "ab"), compiled(small, "ebnf", TOO_LARGE)
    mask = good.allocate_vocab_mask(PADDED, 2, "cpu")
    good.fill_vocab_mask_batched([base.GrammarRow(0, good), base.GrammarRow(1, bad)], mask)
    with pytest.raises(ValueError, match="row_items"):
        bad.accept_token(hf_tokenizer.eos_token_id)
    alone = good.allocate_vocab_mask(PADDED, 1, "cpu")
    good.fill_vocab_mask(alone, 0)
    assert torch.equal(alone[0], mask[0])


def test_the_log_says_which_backend_a_server_has(
    server: Any, hf_tokenizer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        base.create_grammar_backend(server, hf_tokenizer, PADDED, {hf_tokenizer.eos_token_id})
    assert "ffgrammar compiles the grammars of requests, for 49,280 tokens" in caplog.messages


def test_arguments_of_the_server(server: Any, hf_tokenizer: Any) -> None:
    spaced, wide = '{"a": 1}', '{  "a" :  1}'
    schema = '{"type": "object", "properties": {"a": {"type": "integer"}}}'

    def accepts(text: str) -> bool:
        made = base.create_grammar_backend(server, hf_tokenizer, PADDED, {hf_tokenizer.eos_token_id})
        try:
            accept(compiled(made, "json", schema), hf_tokenizer, text)
        except ValueError:
            return False
        return True

    assert accepts(spaced) and not accepts(wide)
    with arguments(constrained_json_max_whitespace_cnt=2):
        assert accepts(wide)
    with arguments(constrained_json_disable_any_whitespace=True):
        assert not accepts(spaced) and accepts('{"a":1}')
    with (
        arguments(constrained_json_whitespace_pattern="[ ]*"),
        pytest.raises(ValueError, match="not read by ffgrammar"),
    ):
        accepts(spaced)


# ---- reasoning


@pytest.fixture
def thinking(server: Any, hf_tokenizer: Any) -> Iterator[tuple[ReasoningBackend, Any]]:
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=hf_tokenizer.backend_tokenizer, eos_token=hf_tokenizer.eos_token
    )
    tokenizer.add_special_tokens({"additional_special_tokens": ["<think>", "</think>"]})
    with arguments(reasoning_parser="qwen3", enable_strict_thinking=True) as stated:
        made = base.create_grammar_backend(stated, tokenizer, PADDED, {tokenizer.eos_token_id})
        assert isinstance(made, ReasoningBackend)
        yield made, tokenizer


def test_reasoning_then_an_answer(thinking: tuple[ReasoningBackend, Any]) -> None:
    backend, tokenizer = thinking
    for _ in range(2):  # compiled, and from the cache
        grammar = compiled(backend, "regex", "ab", reasoning=True)
        assert isinstance(grammar, ReasoningGrammar)
        accept(grammar, tokenizer, "Let me think. Hm.")
        assert len(allowed(grammar)) > 40_000 and grammar.try_jump_forward(tokenizer) is None
        accept(grammar, tokenizer, "</think>")
        answer = allowed(grammar)
        assert 0 < len(answer) < 10
        ids = accept(grammar, tokenizer, "ab")
        grammar.accept_token(tokenizer.eos_token_id)
        assert grammar.is_terminated()
        grammar.rollback(len(ids) + 1)
        assert allowed(grammar) == answer and not grammar.is_terminated()
        grammar.rollback(1)  # into the reasoning
        assert len(allowed(grammar)) > 40_000
        accept(grammar, tokenizer, "</think>")
        assert allowed(grammar) == answer


def test_no_reasoning_is_asked_for(thinking: tuple[ReasoningBackend, Any]) -> None:
    backend, tokenizer = thinking
    grammar = compiled(backend, "regex", "ab", reasoning=False)
    assert len(allowed(grammar)) < 10
    accept(grammar, tokenizer, "ab")


def test_rows_of_reasoning_and_of_answers(thinking: tuple[ReasoningBackend, Any]) -> None:
    backend, tokenizer = thinking
    grammars = [compiled(backend, "regex", "ab", reasoning=reasoning) for reasoning in (True, False, True, False)]
    for grammar in grammars[:1]:
        grammar.set_request_think_end_ids(tokenizer.encode("</think>", add_special_tokens=False))
    mask = grammars[0].allocate_vocab_mask(PADDED, 4, "cpu")
    rows = [base.GrammarRow(row, grammar) for row, grammar in enumerate(grammars)]
    grammars[0].fill_vocab_mask_batched(rows, mask)
    for row, grammar in rows:
        alone = grammar.allocate_vocab_mask(PADDED, 1, "cpu")
        grammar.fill_vocab_mask(alone, 0)
        assert torch.equal(alone[0], mask[row])
    assert (mask[0] == -1).any() and not (mask[1] == -1).any()
    grammars[0].reset_vocab_mask(mask)
    copied = grammars[0].copy()
    assert isinstance(copied, ReasoningGrammar) and copied.grammar is not grammars[0].grammar


def test_a_budget_of_reasoning(thinking: tuple[ReasoningBackend, Any]) -> None:
    """Strict thinking: after as many tokens, the mark that ends reasoning is the only token."""
    backend, tokenizer = thinking
    (end,) = tokenizer.encode("</think>", add_special_tokens=False)
    grammar = backend.init_strict_reasoning_grammar(True)
    assert grammar is not None
    grammar.max_think_tokens, grammar.enable_token_filter = 2, True
    grammar.token_filter_fn = backend.grammar_backend.set_token_filter
    accept(grammar, tokenizer, "a b")
    assert allowed(grammar) == {end}
