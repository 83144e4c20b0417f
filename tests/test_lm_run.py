"""Programs for many rows: each state is the one that its row has alone, and the model is asked about all together."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar import lm
from oracle.lm import small_tokenizer, toy_model


@pytest.fixture(scope="module")
def tok() -> ff.Tokenizer:
    pytest.importorskip("tiktoken")
    return small_tokenizer()[0]


def random_program(rng: Random) -> lm.Program:
    made = lm.Program.of(rng.choice(["", "x ", "ab", "1"]))
    for number in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.35:
            made += lm.gen(f"h{number}", regex=rng.choice(["[ab]{1,3}", "[0-9]{1,2}", "(ab|c)+"]), log_probs=True)
        elif kind < 0.55:
            made += lm.select(f"h{number}", rng.sample(["a", "ab", "c", "1"], 3), temperature=rng.choice([0, 1.0]))
        elif kind < 0.75:
            made += lm.gen(f"h{number}", regex="[a-c]*", max_tokens=rng.randint(1, 4), temperature=0.5)
        else:
            made += lm.gen(f"h{number}", stop=["b", " "], max_tokens=5)
        made += rng.choice([". ", "- and ", "z"])
    return made


def seen(state: lm.State) -> Any:
    """All that a state says."""
    found: list[Any] = [state.text, state.tokens, state.calls]
    for name in state:
        found.append((name, state[name]))
        for more in (state.log_probs, state.scores):
            try:
                found.append(more(name))
            except ff.MatcherError as error:
                found.append(str(error))
    return [one if not isinstance(one, lm.Scores) else (one.options, one.log_probs.tolist()) for one in found]


@pytest.mark.parametrize("seed", range(15))
def test_a_batch_writes_what_its_rows_write_alone(tok: ff.Tokenizer, seed: int) -> None:
    rng = Random(seed)
    programs = [random_program(rng) for _ in range(rng.randint(1, 12))]
    size = rng.choice([1, 3, 16, 1000])
    asked: list[list[list[int]]] = []
    states = lm.run(
        lm.Model.of(toy_model(tok.vocab_size, 1, asked), tok),
        programs.__getitem__,
        range(len(programs)),
        seed=seed,
        batch_size=size,
    )
    assert max(map(len, asked)) <= size
    assert all(len({tuple(one) for one in batch}) == len(batch) for batch in asked)
    model = lm.Model.of(toy_model(tok.vocab_size, 1), tok)
    for number, (state, program) in enumerate(zip(states, programs, strict=True)):
        alone = model.state(seed=seed + number) + program
        assert seen(state) == seen(alone)
        assert state.error is None
        # and both go on in the same way
        more = " " + lm.gen("more", regex="[ab]{2}") + "."
        assert seen(state + more) == seen(alone + more)


def test_the_model_is_called_as_often_as_for_the_longest_row(tok: ff.Tokenizer) -> None:
    def program(count: int) -> lm.Program:
        return "x " + lm.gen("y", regex=f"[0-9a]{{{count}}}") + "."

    asked: list[list[list[int]]] = []
    states = lm.run(lm.Model.of(toy_model(tok.vocab_size, 3, asked), tok), program, range(1, 17), seed=0)
    alone: list[list[list[int]]] = []
    model = lm.Model.of(toy_model(tok.vocab_size, 3, alone), tok)
    longest = 0
    for number in range(16):
        before = len(alone)
        assert (model.state(seed=number) + program(number + 1)).text == states[number].text
        longest = max(longest, len(alone) - before)
    # (at first each row weighs several coverings, and they fill more than one batch)
    assert longest <= len(asked) < longest + 5 < len(alone) / 4


def test_equal_rows_are_asked_about_once(tok: ff.Tokenizer) -> None:
    asked: list[list[list[int]]] = []
    model = lm.Model.of(toy_model(tok.vocab_size, 3, asked), tok)
    states = lm.run(model, lambda row: "x " + lm.gen("y", regex="[ab]{3}", temperature=0) + ".", range(50))
    assert len({state.text for state in states}) == 1
    assert sum(map(len, asked)) == states[0].calls


def test_a_row_that_fails_stops_no_other(tok: ff.Tokenizer) -> None:
    model = lm.Model.of(toy_model(tok.vocab_size, 3), tok)
    patterns = ["[ab]{2}", "(", "b+", "[ab]{9}"]
    states = lm.run(model, lambda row: "x" + lm.gen("y", regex=row, max_tokens=2), patterns, seed=1)
    assert [type(state.error) for state in states] == [type(None), ff.GrammarError, type(None), ff.MatcherError]
    assert len(states[0]["y"]) == 2
    for _ in range(2):
        with pytest.raises(ff.GrammarError):
            states[1].text  # noqa: B018
        with pytest.raises(ff.MatcherError, match="max_tokens"):
            states[3]["y"]


def test_a_row_that_cannot_be_laid_out_stops_no_other(tok: ff.Tokenizer) -> None:
    model = lm.Model.of(toy_model(tok.vocab_size, 3), tok)
    programs = [lm.user("a"), lm.Program.of("ab")]
    states = lm.run(model, programs.__getitem__, range(2), seed=1)
    assert [type(state.error) for state in states] == [ff.UnsupportedError, type(None)]
    assert states[1].text == "ab"


def test_rows_of_a_template(tok: ff.Tokenizer) -> None:
    model = lm.Model.of(toy_model(tok.vocab_size, 3), tok)
    filled = lm.template("{{noun}} {{#each items}}{{gen 'y' regex='[ab]{2}'}}{{this}}{{/each}}.")
    rows = [
        {"noun": "a", "items": [1, 2]},
        {"noun": "{{noun}}", "items": []},
        {"items": [3]},
        {"noun": "c", "items": [4]},
    ]
    states = lm.run(model, filled, rows, seed=5)
    for number, (state, row) in enumerate(zip(states, rows, strict=True)):
        if number == 2:
            # A row without a value that the template needs stops no other, and stays an error whatever is added.
            assert isinstance(state.error, ff.GrammarError) and "no value 'noun'" in str(state.error)
            with pytest.raises(ff.GrammarError, match="no value 'noun'"):
                (state + "more").text  # noqa: B018
        else:
            assert seen(state) == seen(model.state(seed=5 + number) + filled(row))
    with pytest.raises(TypeError, match="a mapping"):
        lm.run(model, filled, ["a"])  # type: ignore[list-item]


def test_rows_before_a_program(tok: ff.Tokenizer) -> None:
    model = lm.Model.of(toy_model(tok.vocab_size, 3), tok)
    program = lm.gen("y", regex="[ab]{2}") + "."
    rows: list[Any] = ["x ", "ab", lm.gen("before", regex="[0-9]") + " "]
    states = lm.run(model, program, rows, seed=5)
    for number, (state, row) in enumerate(zip(states, rows, strict=True)):
        assert seen(state) == seen(model.state(seed=5 + number) + row + program)
    with pytest.raises(TypeError, match="added to a program"):
        lm.run(model, program, [{"noun": "a"}])  # type: ignore[list-item]


def test_no_rows(tok: ff.Tokenizer) -> None:
    def never(sequences: list[list[int]]) -> Any:
        raise AssertionError("there is nothing to ask")

    model = lm.Model.of(never, tok)
    assert lm.run(model, lambda row: "x", []) == []
    # texts alone ask nothing
    assert [state.text for state in lm.run(model, str, [1, 2])] == ["1", "2"]


def test_wrong_arguments(tok: ff.Tokenizer) -> None:
    model = lm.Model.of(toy_model(tok.vocab_size, 3), tok)
    with pytest.raises(TypeError, match="function from a row"):
        lm.run(model, "x", [1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="batch_size"):
        lm.run(model, str, [1], batch_size=1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch_size"):
        lm.run(model, str, [1], batch_size=0)
    with pytest.raises(ValueError, match="seed"):
        lm.run(model, str, [1], seed=-1)
    with pytest.raises(TypeError, match="added to a program"):
        lm.run(model, lambda row: row, [1])  # type: ignore[arg-type, return-value]
    wrong = lm.Model.of(lambda sequences: np.zeros((len(sequences), 3)), tok)
    with pytest.raises(ff.MatcherError, match="shape"):
        lm.run(wrong, lambda row: "x" + lm.gen("y", regex="[ab]{2}"), [1, 2])
