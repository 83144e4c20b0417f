"""`GrammarGenerate` on batches, with small models of random weights in double precision: each row has the text that
plain greedy search finds for it alone."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
import transformers
from transformers import StoppingCriteria

import ffgrammar as ff
from ffgrammar.integrations.transformers import GrammarGenerate, GrammarLogitsProcessor
from ffgrammar.integrations.transformers.reader import Reader
from models.tiny import tiny_model
from oracle.lm import small_tokenizer

TOK, ENCODE = small_tokenizer()
(END,) = TOK.eos_token_ids
PAD = END + 1
# Texts of which much is forced, texts of which nothing is, and short ones.
SOURCES = [
    r'\{"the first key": (1|2), "the second key": (yes|no|é)\}',
    r"[ab]{1,9}",
    r"(abcabc){1,4}xyz(abcabc){1,4}",
    "one text and no other",
    r"(a{1,4} b{1,4} ){1,3}the end",
    r"[0-9]{3}-[0-9]{3}-constant-[0-9]{2}",
]
GRAMMARS = [ff.compile_regex(source, TOK) for source in SOURCES]
KINDS = ["llama", "gpt2", "mistral", "gpt_neo"]


def starts(numbers: list[int]) -> list[ff.Matcher]:
    return [GRAMMARS[number].matcher(canonical=True) for number in numbers]


def prompts(choose: random.Random, count: int) -> list[list[int]]:
    return [[choose.randrange(250) for _ in range(choose.randint(1, 12))] for _ in range(count)]


def run(model: Any, batch: list[list[int]], **options: Any) -> Any:
    width = max(map(len, batch))
    ids = torch.tensor([[PAD] * (width - len(row)) + row for row in batch])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in batch])
    options = {"do_sample": False, "max_new_tokens": 70, "pad_token_id": PAD, "eos_token_id": END, **options}
    return model.generate(input_ids=ids, attention_mask=mask, **options)


def texts(model: Any, batch: list[list[int]], **options: Any) -> list[list[int]]:
    """The tokens of each text, without padding."""
    width = max(map(len, batch))
    return [[token for token in row[width:] if token != PAD] for row in run(model, batch, **options).tolist()]


def alone(model: Any, batch: list[list[int]], matchers: list[Any], **options: Any) -> list[list[int]]:
    """Plain search for each row, without padding and without forced tokens."""
    return [
        texts(model, [prompt], logits_processor=[GrammarLogitsProcessor([matcher])], **options)[0]
        for prompt, matcher in zip(batch, matchers, strict=True)
    ]


@pytest.mark.parametrize(
    ("kind", "cache"),
    [
        *((kind, cache) for kind in KINDS for cache in ({}, {"use_cache": False})),
        # (in transformers 5.23, GPT Neo has other scores with a static cache)
        *((kind, {"cache_implementation": "static"}) for kind in KINDS if kind != "gpt_neo"),
    ],
    ids=str,
)
def test_rows_are_those_of_single_runs(kind: str, cache: dict[str, Any]) -> None:
    model = tiny_model(kind, PAD + 1)
    choose = random.Random(7)
    for size in (1, 2, 5, 9):
        batch = prompts(choose, size)
        matchers: list[Any] = starts([choose.randrange(len(SOURCES)) for _ in batch])
        if size == 5:
            matchers[2] = None
        expected = alone(model, batch, matchers)
        assert texts(model, batch, custom_generate=GrammarGenerate(matchers), **cache) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_single_rows(kind: str) -> None:
    """Rows take turns to have many new tokens, which is when most padding is needed. The cache stays within twice the
    longest row, and one pass."""
    model = tiny_model(kind, PAD + 1)
    choose = random.Random(3)
    batch = prompts(choose, 4)
    width = max(map(len, batch))
    ids = torch.tensor([[0] * (width - len(row)) + row for row in batch])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in batch])
    cache = transformers.DynamicCache(config=model.config)
    reader = Reader(model, ids, {"attention_mask": mask, "past_key_values": cache})
    active = list(range(4))
    for step in range(40):
        with torch.no_grad():
            scores = reader(active)
            for row in active:
                known = len(batch[row]) - len(reader.unread[row])
                own = model(input_ids=torch.tensor([batch[row][:known]])).logits[0, -1]
                # (GPT Neo computes attention in single precision)
                assert torch.allclose(scores[row].double(), own, atol=1e-3 if kind == "gpt_neo" else 1e-5)
        assert cache.get_seq_length() <= 2 * max(map(len, batch)) + 12
        if step == 30:
            active = [0, 2]
            reader.unread[1].clear()
            reader.unread[3].clear()
        for row in active:
            if not reader.unread[row]:
                new = [choose.randrange(250) for _ in range(12 if row == step % 4 else 1)]
                batch[row] = batch[row] + new
                reader.unread[row] += new


def test_the_passes_are_those_of_the_row_with_most_choices() -> None:
    model = tiny_model("llama", PAD + 1)
    batch = prompts(random.Random(1), 4)
    numbers = [0, 3, 5, 2]
    counts = []

    def count(numbers: list[int], batch: list[list[int]]) -> int:
        passes: list[int] = []
        hook = model.register_forward_pre_hook(lambda *_: passes.append(1))
        texts(model, batch, custom_generate=GrammarGenerate(starts(numbers)))
        hook.remove()
        return len(passes)

    counts = [count([number], [prompt]) for number, prompt in zip(numbers, batch, strict=True)]
    assert count(numbers, batch) == max(counts) and counts[1] == 0


def test_sampling() -> None:
    """Every text is a sentence. A row alone has the text of plain sampling where no token is forced."""
    model = tiny_model("llama", PAD + 1)
    batch = prompts(random.Random(5), 6)
    options = {"do_sample": True, "temperature": 1.3, "top_k": 40, "top_p": 0.9, "min_p": 0.01}
    for seed in range(5):
        torch.manual_seed(seed)
        found = texts(model, batch, custom_generate=GrammarGenerate(GRAMMARS), **options)
        for grammar, text in zip(GRAMMARS, found, strict=True):
            matcher = grammar.matcher()
            assert matcher.accept_tokens(text) == len(text) and matcher.is_terminated()
        ways: list[dict[str, Any]] = [
            {"custom_generate": GrammarGenerate(GRAMMARS[1])},
            {"logits_processor": [GrammarLogitsProcessor(GRAMMARS[1])]},
        ]
        sampled = []
        for way in ways:
            torch.manual_seed(seed)
            sampled.append(texts(model, batch[:1], max_new_tokens=6, **way, **options))
        assert sampled[0] == sampled[1]


@pytest.mark.parametrize(
    "options",
    [
        {"repetition_penalty": 1.7},
        {"no_repeat_ngram_size": 3},
        {"min_new_tokens": 5, "exponential_decay_length_penalty": (3, 1.5)},
        {"sequence_bias": [[[97], 3.0], [[98, 97], -4.0]]},
        {"bad_words_ids": [[98]]},
        {"max_new_tokens": 9},
        {"max_length": 20},
    ],
)
def test_options_of_generation(options: dict[str, Any]) -> None:
    """What `generate` makes of its options is applied to each row as to that row alone. (Forced tokens stay forced, so
    this grammar forces none but the end.)"""
    model = tiny_model("llama", PAD + 1)
    batch = [[5] * 4, [6, 7, 8, 9], [1, 2, 3, 200]] if "max_length" in options else prompts(random.Random(9), 3)
    matchers = [ff.compile_regex("[abc]{1,30}", TOK).matcher(canonical=True) for _ in batch]
    expected = alone(model, batch, matchers, **options)
    assert texts(model, batch, custom_generate=GrammarGenerate(matchers), **options) == expected


class _AfterThree(StoppingCriteria):  # type: ignore[misc]
    """Stops a row three tokens after an even one."""

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        return input_ids[:, -4] % 2 == 0


def test_stopping_criteria_see_each_row() -> None:
    model = tiny_model("gpt2", PAD + 1)
    batch = [[1, 2, 3, 5, 7], [5, 7, 9, 11, 13], [2, 2, 2, 2, 3]]
    matchers = starts([1, 2, 0])
    expected = alone(model, batch, matchers, stopping_criteria=[_AfterThree()])
    assert len({len(text) for text in expected}) > 1
    assert texts(model, batch, custom_generate=GrammarGenerate(matchers), stopping_criteria=[_AfterThree()]) == expected


def test_several_sequences_for_a_prompt() -> None:
    model = tiny_model("llama", PAD + 1)
    batch = prompts(random.Random(2), 2)
    torch.manual_seed(0)
    found = texts(
        model,
        batch,
        do_sample=True,
        num_return_sequences=3,
        custom_generate=GrammarGenerate([GRAMMARS[1], GRAMMARS[5]]),
    )
    assert len(found) == 6
    for number, text in enumerate(found):
        matcher = GRAMMARS[1 if number < 3 else 5].matcher()
        assert matcher.accept_tokens(text) == len(text) and matcher.is_terminated()
    with pytest.raises(ff.MatcherError, match="3 rows cannot be shared out evenly among 2 grammars"):
        texts(model, prompts(random.Random(2), 3), custom_generate=GrammarGenerate(GRAMMARS[:2]))


def test_a_cache_that_is_known() -> None:
    """Generation goes on from the cache of an earlier call."""
    model = tiny_model("llama", PAD + 1)
    prompt = list(range(40, 60))
    start = GRAMMARS[4].matcher(canonical=True)
    expected = alone(model, [prompt], [start])
    cache = transformers.DynamicCache(config=model.config)
    with torch.no_grad():
        model(input_ids=torch.tensor([prompt[:15]]), past_key_values=cache)
    options = {"custom_generate": GrammarGenerate(start), "past_key_values": cache, "return_dict_in_generate": True}
    out = run(model, [prompt], **options)
    assert [out.sequences[0, len(prompt) :].tolist()] == expected
    # The cache holds all but what the model need not have read.
    assert out.past_key_values is cache and 15 < cache.get_seq_length() < out.sequences.shape[1]
    with pytest.raises(ff.UnsupportedError, match="needs the ids of all tokens in the cache"):
        run(model, [prompt[:3]], **options)


def test_what_is_refused() -> None:
    model = tiny_model("llama", PAD + 1)
    batch = prompts(random.Random(4), 2)
    loop = GrammarGenerate(GRAMMARS[0])
    ids = torch.tensor([[1, 2, 3]])
    cases: list[tuple[str, dict[str, Any]]] = [
        ("not for beam_search: use GrammarLogitsProcessor", {"num_beams": 2}),
        ("not for assisted_generation", {"prompt_lookup_num_tokens": 3}),
        ("no scores", {"return_dict_in_generate": True, "output_scores": True}),
        ("cannot use UnbatchedClassifierFreeGuidanceLogitsProcessor", {"guidance_scale": 1.5}),
        ("cannot use PrefixConstrainedLogitsProcessor", {"prefix_allowed_tokens_fn": lambda row, ids: [1]}),
    ]
    for message, options in cases:
        with pytest.raises(ff.UnsupportedError, match=message):
            run(model, batch, custom_generate=loop, **options)
    with pytest.raises(ff.UnsupportedError, match="a streamer of GrammarGenerate is for one row, and the batch has 2"):
        run(model, batch, custom_generate=GrammarGenerate(GRAMMARS[0], streamer=object()))
    with pytest.raises(ff.UnsupportedError, match="needs a pad_token_id for a batch"):
        run(model, batch, custom_generate=loop, pad_token_id=None, eos_token_id=None)
    with pytest.raises(ff.UnsupportedError, match="cannot use position_ids other than"):
        model.generate(ids, custom_generate=loop, position_ids=torch.tensor([[0, 2, 3]]), max_new_tokens=3)
    with pytest.raises(ff.UnsupportedError, match="cannot use inputs_embeds"):
        embeds = model.get_input_embeddings()(ids)
        model.generate(inputs_embeds=embeds, custom_generate=loop, max_new_tokens=3)
    with pytest.raises(ff.MatcherError, match="row 0: a dead end: the token 0 is not allowed at step 1"):
        run(model, batch, custom_generate=GrammarGenerate(GRAMMARS[5]), forced_eos_token_id=END, max_new_tokens=2)
    with pytest.raises(TypeError, match="grammar 1 must be a Grammar, a Matcher or None, not str"):
        GrammarGenerate([None, "a"])  # type: ignore[list-item]


def test_models_that_are_refused() -> None:
    loop = GrammarGenerate(GRAMMARS[0])
    mamba = transformers.MambaConfig(vocab_size=PAD + 1, hidden_size=8, num_hidden_layers=1, state_size=4)
    with pytest.raises(ff.UnsupportedError, match="cannot use MambaForCausalLM: its state"):
        run(transformers.MambaForCausalLM(mamba), [[1, 2]], custom_generate=loop)
    t5 = transformers.T5Config(vocab_size=PAD + 1, d_model=8, d_ff=8, num_layers=1, num_heads=1, d_kv=8)
    with pytest.raises(ff.UnsupportedError, match="for decoders"):
        run(transformers.T5ForConditionalGeneration(t5), [[1, 2]], custom_generate=loop, decoder_start_token_id=0)
