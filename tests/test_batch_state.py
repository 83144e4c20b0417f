"""`BatchState` on random histories, against a matcher of its own for each row in each step."""

from __future__ import annotations

import importlib
import random
import re
import sys
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar.integrations.batch_state import BatchState
from oracle.grammars import ALPHABET

TEXTS = {"words": "(ab|a|b,|x)*", "short": "a{1,3}b?", "list": r"\((a(,a)*)?\)"}


@pytest.fixture(scope="module")
def grammars(toy: ff.Tokenizer) -> list[Any]:
    """Grammars, a matcher that has begun, one with a budget, and no grammar."""
    words, short, lists = (ff.compile_regex(source, toy) for source in TEXTS.values())
    begun = words.matcher()
    assert begun.accept_bytes(b"ab") == 2
    return [words, short, lists, begun, lists.matcher(max_tokens=6), None]


def _start(grammar: Any) -> Any:
    return None if grammar is None else grammar.fork() if isinstance(grammar, ff.Matcher) else grammar.matcher()


def expected(
    grammar: Any, text: list[int], tok: ff.Tokenizer, vocab_size: int
) -> tuple[np.ndarray[Any, Any], int | None]:
    """The mask after a text, by a matcher of its own; and the place of the first token that is refused, or None."""
    mask = ff.allocate_bitmask(1, vocab_size)
    matcher = _start(grammar)
    if matcher is None:
        return mask[0], None
    for place, token in enumerate(text):
        if matcher.is_terminated():
            break
        if not 0 <= token < tok.vocab_size or not matcher.accept_token(token):
            return mask[0], place
    if matcher.is_terminated():
        mask[0] = 0
        for token in tok.eos_token_ids:
            mask.view(np.uint32)[0, token >> 5] |= np.uint32(1 << (token & 31))
    else:
        matcher.fill_bitmask(mask)
    return mask[0], None


def grown(choose: random.Random, grammar: Any, text: list[int], tok: ff.Tokenizer, wrong: bool) -> list[int]:
    """A text with some tokens more: mostly allowed ones, and any after its end."""
    matcher = _start(grammar)
    if matcher is not None:
        matcher.accept_tokens([token for token in text if 0 <= token < tok.vocab_size])
    text = text.copy()
    for _ in range(choose.choice([0, 1, 1, 1, 2, 5])):
        allowed = [] if matcher is None or matcher.is_terminated() else matcher.allowed_token_ids().tolist()
        if not allowed or (wrong and choose.random() < 0.1):
            text.append(choose.choice([choose.randrange(tok.vocab_size), 0, -1, 10**6]))
            continue
        text.append(choose.choice(allowed))
        matcher.accept_token(text[-1])
    return text


def changed(choose: random.Random, rows: list[tuple[int, list[int]]]) -> list[tuple[int, list[int]]]:
    """Rows in another order, copied, dropped, or with tokens taken back."""
    kind = choose.randrange(6)
    if kind == 0:
        rows = choose.sample(rows, len(rows))
    elif kind == 1:
        rows = choose.choices(rows, k=choose.randrange(1, 9))
    elif kind == 2:
        rows = [(source, text[: choose.randrange(len(text) + 1)]) for source, text in rows]
    elif kind == 3:
        rows = [*rows[: choose.randrange(1, len(rows) + 1)], (choose.randrange(6), [])]
    return rows


@pytest.mark.parametrize("drafts", [False, True])
@pytest.mark.parametrize("as_array", [False, True])
def test_random_histories(toy: ff.Tokenizer, grammars: list[Any], drafts: bool, as_array: bool) -> None:
    choose = random.Random(11)
    vocab_size = toy.vocab_size + 40
    ended = refused = 0
    for _ in range(60):
        state = BatchState(grammars, vocab_size, drafts=drafts)
        rows: list[tuple[int, list[int]]] = [(choose.randrange(6), []) for _ in range(5)]
        for _ in range(12):
            rows = changed(choose, rows)
            rows = [(source, grown(choose, grammars[source], text, toy, drafts)) for source, text in rows]
            if as_array:
                # an array has rows of one length: the shortest one's
                length = min(len(text) for _, text in rows)
                rows = [(source, text[:length]) for source, text in rows]
            starts = [choose.randrange(4)] * len(rows) if as_array else [choose.randrange(4) for _ in rows]
            histories: Any = [[7] * start + text for start, (_, text) in zip(starts, rows, strict=True)]
            if as_array:
                histories = np.array(histories, choose.choice([np.int64, np.int32])).reshape(len(rows), -1)
            got = state(histories, starts[0] if as_array else starts, [source for source, _ in rows])
            for number, (source, text) in enumerate(rows):
                mask, place = expected(grammars[source], text, toy, vocab_size)
                assert got[number].tolist() == mask.tolist()
                matcher = state.matchers[number]
                ended += matcher is not None and matcher.is_terminated()
                refused += place is not None
    assert ended > 100 and (refused > 100) == drafts


def test_a_token_that_is_refused_is_named(toy: ff.Tokenizer, grammars: list[Any]) -> None:
    a, b = (ALPHABET.index(letter) for letter in b"ab")
    state = BatchState([grammars[1]])
    with pytest.raises(ff.MatcherError, match=rf"row 1: .* the token {b} at place 3 of the history, after 0 tokens"):
        state([[5, 5, 5, a], [5, 5, 5, b, a]], 3)
    # what comes next does not depend on the call that failed
    mask, _ = expected(grammars[1], [a, a], toy, toy.vocab_size)
    assert (state([[a, a]]) == mask).all()
    with pytest.raises(ff.MatcherError, match=r"row 0: .* the token 1000000 at place 2"):
        state(np.array([[a, a, 1000000]]))


def test_rows_are_shared_out_among_grammars(toy: ff.Tokenizer, grammars: list[Any]) -> None:
    state = BatchState(grammars[:2])
    got = state(np.zeros((6, 0), np.int64))
    masks = [expected(grammar, [], toy, toy.vocab_size)[0].tolist() for grammar in grammars[:2]]
    assert got.tolist() == [masks[0]] * 3 + [masks[1]] * 3


def test_matchers_that_were_given_are_not_moved(toy: ff.Tokenizer, grammars: list[Any]) -> None:
    start = grammars[0].matcher()
    state = BatchState([start])
    state([[0, 0]])
    assert start.num_steps == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda state: state([[], [], []]), "3 rows cannot be shared out evenly among 2 grammars"),
        (lambda state: state([[]], 0, [2]), r"row 0: grammar 2 is not in 0..1"),
        (lambda state: state([[], []], 0, [0]), "1 sources for 2 rows"),
        (lambda state: state([[], [0]], 1), "row 0: the prompt has 1 tokens, and the history 0"),
        (lambda state: state([[], []], [0]), "1 starts for 2 rows"),
        (lambda state: state(np.zeros((2, 1), np.int64), 2), r"starts 0\.\.columns, not \[2, 1\] and 2"),
        (lambda state: state(np.zeros((2, 1), np.int64), -1), r"starts 0\.\.columns"),
    ],
)
def test_what_does_not_fit_together(toy: ff.Tokenizer, grammars: list[Any], call: Any, message: str) -> None:
    with pytest.raises(ff.MatcherError, match=message):
        call(BatchState(grammars[:2]))


def test_something_else_than_a_grammar(toy: ff.Tokenizer) -> None:
    with pytest.raises(TypeError, match="grammar 1 must be a Grammar, a Matcher or None, not str"):
        BatchState([None, "a"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("module", "missing", "wanted"),
    [
        ("transformers", "torch", "'ffgrammar[transformers]'"),
        ("llama_cpp", "llama_cpp.llama_speculative", "'ffgrammar[llama-cpp]'"),
        ("sglang", "sglang", "'ffgrammar[sglang]'"),
        ("outlines", "outlines", "'ffgrammar[outlines]'"),
        ("genlm", "genlm", "'ffgrammar[genlm]'"),
        ("mlx_lm", "mlx", "'ffgrammar[mlx-lm]'"),
        ("exllamav3", "torch", "'ffgrammar[exllamav3]'"),
        ("tensorrt_llm", "torch", "'ffgrammar[tensorrt-llm]'"),
    ],
)
def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, module: str, missing: str, wanted: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, f"ffgrammar.integrations.{module}", raising=False)
    with pytest.raises(ImportError, match=f"needs .*pip install {re.escape(wanted)}"):
        importlib.import_module(f"ffgrammar.integrations.{module}")


def test_a_vocabulary_that_is_too_small(toy: ff.Tokenizer, grammars: list[Any]) -> None:
    with pytest.raises(ff.MatcherError, match="vocab_size 1: grammar 0 has"):
        BatchState(grammars[:1], vocab_size=1)


def test_one_grammar_is_no_batch(cl100k: ff.Tokenizer) -> None:
    for wrong in (ff.compile_regex("a", cl100k), ff.compile_regex("a", cl100k).matcher(), None, 1):
        with pytest.raises(TypeError, match="for each text"):
            BatchState(wrong)  # type: ignore[arg-type]
