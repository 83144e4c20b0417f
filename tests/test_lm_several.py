"""Several texts from one place: each is the one that it would be alone, and the model is asked about all together."""

from __future__ import annotations

import math
import re
from collections import Counter
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


OPTIONS: list[dict[str, Any]] = [
    {"regex": "[ab]{2,4}"},
    {"regex": "[ab ]{2,6}", "max_tokens": 3},
    {"stop": ["c", " "], "max_tokens": 8},
    {"max_tokens": 4},
    {"json": {"enum": ["ab", "abc", 12]}},
]


@pytest.mark.parametrize("options", OPTIONS, ids=[next(iter(one)) for one in OPTIONS])
@pytest.mark.parametrize("seed", range(5))
def test_the_program_goes_on_with_the_first(tok: ff.Tokenizer, seed: int, options: dict[str, Any]) -> None:
    model = lm.Model.of(toy_model(tok.vocab_size, 2), tok)
    after = " 12" + lm.gen("y", regex="[0-9]{2}") + lm.Program.of("!")
    one = model.state("Some ", seed=seed) + (lm.gen("x", log_probs=True, **options) + after)
    found = model.state("Some ", seed=seed) + (lm.gen("x", n=4, log_probs=True, **options) + after)
    several = found["x"]
    assert isinstance(several, list) and len(several) == 4
    assert found.text.startswith("Some " + several[0] + " 12") and found["y"] in found.text
    if "max_tokens" in options or "stop" in options:
        # (otherwise the hole without n is written together with the next one)
        assert (several[0], found.text) == (one["x"], one.text)
        assert found.log_probs("x") == one.log_probs("x")
    for number, text in enumerate(several):
        spelled = b"".join(tok.token_bytes(token) for token, _ in found.log_probs("x", number))
        assert text.encode() in spelled
        if "regex" in options:
            assert re.fullmatch(options["regex"], text)


def test_the_texts_are_drawn_independently(tok: ff.Tokenizer) -> None:
    """Their frequencies are those of single texts."""
    model = lm.Model.of(toy_model(tok.vocab_size, 2, spread=0.7), tok)
    program = lm.gen("x", regex="[abc]", n=16) + "."
    counts: list[Counter[str]] = [Counter(), Counter()]
    pairs: Counter[tuple[str, str]] = Counter()
    for seed in range(150):
        texts = (model.state("It is ", seed=seed) + program)["x"]
        assert isinstance(texts, list)
        counts[0][texts[0]] += 1
        counts[1].update(texts[1:])
        pairs.update(zip(texts[1:8], texts[8:15], strict=True))
    single = "It is " + lm.gen("x", regex="[abc]") + "."
    alone = Counter(str(state["x"]) for state in lm.run(model, lambda row: single, range(1500), seed=1000))
    for count in counts:
        # (chi-square of two samples, two degrees of freedom)
        ratio = math.sqrt(count.total() / alone.total())
        assert sum((count[one] / ratio - alone[one] * ratio) ** 2 / (count[one] + alone[one]) for one in "abc") < 16
    size = pairs.total()
    first, second = (Counter(pair[place] for pair in pairs.elements()) for place in (0, 1))
    expected = {(one, other): first[one] * second[other] / size for one in "abc" for other in "abc"}
    assert sum((pairs[pair] - more) ** 2 / more for pair, more in expected.items()) < 20


def test_the_model_is_asked_about_all_together(tok: ff.Tokenizer) -> None:
    asked: list[list[list[int]]] = []
    model = lm.Model.of(toy_model(tok.vocab_size, 2, asked), tok)
    state = model.state("x ", seed=1) + lm.gen("x", regex="[ab]{20}", n=8) + "."
    assert len(set(state["x"])) > 1
    # Eight texts of up to 20 tokens each; those that begin alike ask once.
    assert len(asked) <= 21
    assert all(len({tuple(one) for one in batch}) == len(batch) for batch in asked)
    assert sum(map(len, asked)) == state.calls
    same = model.state("x ", seed=1) + lm.gen("x", regex="[ab]{20}", n=8, temperature=0) + "."
    single = model.state("x ", seed=1) + lm.gen("x", regex="[ab]{20}", temperature=0) + "."
    assert same["x"] == [single["x"]] * 8 and same.calls == single.calls


def test_in_a_batch_a_template_and_a_chat(tok: ff.Tokenizer) -> None:
    model = lm.Model.of(
        toy_model(tok.vocab_size, 2),
        tok,
        chat_template=lambda turns: "".join(f"<s>{one['content']}<e>" for one in turns),
    )
    filled = lm.template("a {{gen 'x' regex='[ab]{3}' n=3}} {{noun}}")
    states = lm.run(model, filled, [{"noun": "b"}, {"noun": "c"}], seed=7)
    for number, (state, noun) in enumerate(zip(states, "bc", strict=True)):
        alone = model.state(seed=7 + number) + filled(noun=noun)
        assert state["x"] == alone["x"] and state.text == alone.text and len(state["x"]) == 3
    chat = model.state(seed=1) + lm.user("ab") + lm.assistant(lm.gen("x", regex="[ab]{3}", n=3))
    assert chat.text == f"<s>ab<e><s>{chat['x'][0]}<e>"


def test_events_and_traces(tok: ff.Tokenizer) -> None:
    model = lm.Model.of(toy_model(tok.vocab_size, 2), tok)
    state = model.state("x", seed=3) + lm.gen("x", regex="[ab]{9}", n=3) + "."
    trace: list[lm.TracedToken] = []
    events = list(state.stream(trace))
    texts = state["x"]
    assert isinstance(texts, list)
    closed = [number for number, event in enumerate(events) if event.kind == "closed"]
    assert [events[number].text for number in closed] == texts
    assert len(closed) == 3 and closed[0] > 2
    assert [event.kind for event in events[closed[0] + 1 :]] == ["opened", "grew", "closed"] * 2
    spelled = b"".join(tok.token_bytes(one.token) for one in trace).decode()
    assert all(text in spelled for text in texts)
    assert (model.state("x", seed=3) + lm.gen("x", regex="[ab]{9}", n=3) + ".")["x"] == texts


def test_an_error_of_one_is_an_error_of_all(tok: ff.Tokenizer) -> None:
    def log_probs(sequences: list[list[int]]) -> Any:
        return np.log(np.full((len(sequences), tok.vocab_size), 1 / tok.vocab_size))

    model = lm.Model.of(log_probs, tok)
    with pytest.raises(ff.MatcherError, match="max_tokens"):
        (model.state("x") + lm.gen("x", regex="[ab]{9}", n=2, max_tokens=1)).text  # noqa: B018
    state = model.state("x", seed=1) + lm.gen("x", regex="[ab]", n=2, log_probs=True)
    with pytest.raises(IndexError, match="from 0 to 1"):
        state.log_probs("x", 2)


@pytest.mark.parametrize(
    ("error", "message", "make"),
    [
        (ff.GrammarError, "n must be from 1 to 256", lambda: lm.gen("x", n=0)),
        (ff.GrammarError, "n must be from 1 to 256", lambda: lm.gen("x", n=257)),
        (ff.GrammarError, "n needs a name", lambda: lm.gen(regex="a", n=2)),
        (TypeError, "gen: n", lambda: lm.gen("x", n=2.0)),  # type: ignore[arg-type]
        (ff.GrammarError, "and n", lambda: lm.many("x", lm.gen("y", regex="a", n=2))),
    ],
)
def test_wrong_arguments(error: type[Exception], message: str, make: Any) -> None:
    with pytest.raises(error, match=message):
        make()


def test_what_follows_needs_a_text_between(tok: ff.Tokenizer) -> None:
    model = lm.Model.of(toy_model(tok.vocab_size, 2), tok)
    with pytest.raises(ff.GrammarError, match="directly follows"):
        (model.state() + (lm.gen("x", regex="a", n=2) + lm.gen("y", regex="b"))).text  # noqa: B018
    with pytest.raises(ff.GrammarError, match="list of texts"):
        (model.state() + lm.template("{{gen 'x' regex='a' n=2}} {{x}}")()).text  # noqa: B018
