"""Beams and drafts, with small models of random weights in double precision. Every mask is compared with that of a
matcher of its own, and every text with that of a run of its own."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

import ffgrammar as ff
from ffgrammar.integrations.transformers import GrammarLogitsProcessor
from models.tiny import tiny_model
from oracle.lm import small_tokenizer

TOK, ENCODE = small_tokenizer()
(END,) = TOK.eos_token_ids
PAD = END + 1
SIZE = PAD + 1
SOURCES = [
    *(rf"[ab]{{{least},{least + 3}}}(c|no)" for least in (1, 2, 4, 6)),
    *(rf"(abc|{word}){{1,3}}\." for word in ("yes", "x+", "[0-9]{2}", "é")),
    *(rf"\{{\"{key}\": (1|2|{key})\}}" for key in ("a", "abc", "ca b", "yes")),
    *(rf"{word}( and {word}){{0,2}}" for word in ("a", "[xy]", "12|21", "cab")),
]
GRAMMARS = [ff.compile_regex(source, TOK) for source in SOURCES]


class Checked(GrammarLogitsProcessor):
    """Compares each row's mask with that of a matcher that has accepted its text from the beginning."""

    def __init__(self, grammars: Any, **options: Any) -> None:
        super().__init__(grammars, **options)
        self.grammars = grammars
        self.prompt: int | None = None
        self.calls: list[list[list[int]]] = []
        self.refused = 0

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        found = super().__call__(input_ids, scores)
        if self.prompt is None:
            self.prompt = input_ids.shape[1]
        each = len(input_ids) // len(self.grammars)
        self.calls.append(input_ids[:, self.prompt :].tolist())
        for row, text in enumerate(self.calls[-1]):
            allowed = self.allowed(self.grammars[row // each].matcher(), text)
            assert torch.isfinite(found[row]).nonzero().flatten().tolist() == allowed
        return found

    def allowed(self, matcher: ff.Matcher, text: list[int]) -> list[int]:
        for token in text:
            if matcher.is_terminated():
                return [END]
            if token >= TOK.vocab_size or not matcher.accept_token(token):
                self.refused += 1
                return list(range(SIZE))
        return [END] if matcher.is_terminated() else matcher.allowed_token_ids().tolist()


def prompts(count: int) -> list[list[int]]:
    choose = random.Random(count)
    return [[choose.randrange(250) for _ in range(choose.randint(1, 9))] for _ in range(count)]


def texts(model: Any, batch: list[list[int]], **options: Any) -> list[list[int]]:
    """The tokens of each text, up to its first end-of-text token."""
    width = max(map(len, batch))
    ids = torch.tensor([[PAD] * (width - len(row)) + row for row in batch])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in batch])
    options = {"do_sample": False, "max_new_tokens": 40, "pad_token_id": PAD, "eos_token_id": END, **options}
    out = model.generate(input_ids=ids, attention_mask=mask, **options)[:, width:].tolist()
    return [row[: row.index(END) + 1] if END in row else row for row in out]


def test_four_beams_for_each_of_16_grammars() -> None:
    """Beams are put in another order and copied, and rows finish at different steps."""
    model = tiny_model("llama", SIZE)
    batch = prompts(16)
    checked = Checked(GRAMMARS)
    found = texts(model, batch, num_beams=4, logits_processor=[checked])
    assert len({len(text) for text in found}) > 4
    for prompt, grammar, text in zip(batch, GRAMMARS, found, strict=True):
        matcher = grammar.matcher()
        assert matcher.accept_tokens(text) == len(text) and matcher.is_terminated()
        assert texts(model, [prompt], num_beams=4, logits_processor=[GrammarLogitsProcessor(grammar)]) == [text]
    moved = [
        any(row[:-1] != old for row, old in zip(new, before, strict=True)) for before, new in pairwise(checked.calls)
    ]
    assert sum(moved) > 5, "the beams have kept their order"


def test_all_beams_are_returned() -> None:
    """Each is a sentence, also where there are fewer sentences than beams."""
    model = tiny_model("llama", SIZE)
    few = ff.compile_regex("a|12", TOK)
    grammars = [few, *GRAMMARS[:2]]
    found = texts(model, prompts(3), num_beams=4, num_return_sequences=4, logits_processor=[Checked(grammars)])
    for row, text in enumerate(found):
        matcher = grammars[row // 4].matcher()
        assert matcher.accept_tokens(text) == len(text) and matcher.is_terminated()


def test_beams_that_are_sampled() -> None:
    """Where fewer tokens may come than beams are drawn, some are drawn that may not come, and drop out later."""
    model = tiny_model("llama", SIZE)
    refused = 0
    for seed in range(5):
        torch.manual_seed(seed)
        checked = Checked(GRAMMARS, drafts=True)
        found = texts(model, prompts(16), num_beams=4, do_sample=True, logits_processor=[checked])
        refused += checked.refused
        for grammar, text in zip(GRAMMARS, found, strict=True):
            matcher = grammar.matcher()
            assert matcher.accept_tokens(text) == len(text) and matcher.is_terminated()
    assert refused > 0


@pytest.mark.parametrize("assistant", ["another", "itself", "look-up"])
@pytest.mark.parametrize("number", [1, 3, 5, 6, 8, 13])
def test_drafts_change_no_text(assistant: str, number: int) -> None:
    """The state goes on along the drafts, and goes back to the last token that the model keeps."""
    model = tiny_model("llama", SIZE)
    (prompt,) = prompts(1)
    # The grammar's own words are in the prompt, for look-up to find them.
    prompt = [*prompt, *ENCODE("abc abc 12 yes aabb and cab no"), 97]
    (greedy,) = texts(model, [prompt], logits_processor=[GrammarLogitsProcessor(GRAMMARS[number])])
    options = {
        "another": lambda: {"assistant_model": tiny_model("gpt2", SIZE)},
        "itself": lambda: {"assistant_model": model},
        "look-up": lambda: {"prompt_lookup_num_tokens": 4},
    }[assistant]()
    checked = Checked([GRAMMARS[number]], drafts=True)
    assert texts(model, [prompt], logits_processor=[checked], **options) == [greedy]
    lengths = [len(rows[0]) for rows in checked.calls]
    assert any(new < old for old, new in pairwise(lengths)) or assistant == "look-up"
    sampled = Checked([GRAMMARS[number]], drafts=True)
    torch.manual_seed(number)
    (text,) = texts(model, [prompt], logits_processor=[sampled], do_sample=True, **options)
    matcher = GRAMMARS[number].matcher()
    assert matcher.accept_tokens(text) == len(text) and matcher.is_terminated()


def test_an_assistant_with_another_vocabulary() -> None:
    """Its ids are others, so the grammar cannot tell what it drafts."""
    processor = GrammarLogitsProcessor(GRAMMARS[0], drafts=True)
    processor(torch.zeros((1, 2), dtype=torch.long), torch.zeros((1, SIZE)))
    with pytest.raises(ff.UnsupportedError, match=f"with {SIZE} scores and with {SIZE + 64}: an assistant must have"):
        processor(torch.zeros((1, 2), dtype=torch.long), torch.zeros((1, SIZE + 64)))


def test_random_walks_of_beams_and_drafts() -> None:
    """16 grammars with 4 rows each: rows are copied from others of their grammar, end, and have tokens taken back. All
    rows have the masks of matchers of their own."""
    choose = random.Random(0)
    for _ in range(6):
        checked = Checked(GRAMMARS, drafts=True)
        prompt = torch.full((64, 3), 5)
        rows: list[list[int]] = [[] for _ in range(64)]
        for _ in range(14):
            found = checked(torch.cat([prompt, torch.tensor(rows, dtype=torch.long)], dim=1), torch.zeros(64, SIZE))
            rows = [rows[row // 4 * 4 + choose.randrange(4)] for row in range(64)]
            if rows[0] and choose.random() < 0.3:
                back = choose.randint(1, len(rows[0]))
                rows = [row[:-back] for row in rows]
                continue
            # (the scores are those of the row that was there before, so some tokens are refused)
            rows = [
                [*row, int(choose.choice(np.flatnonzero(np.isfinite(scores))))]
                for row, scores in zip(rows, found.numpy(), strict=True)
            ]
        assert checked.refused > 0
