"""Programs and states: what is drawn, against its definition; spans, streams, forks; how often the model is asked."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar import lm
from ffgrammar.lm.runs import Chosen, Run, steps
from oracle.lm import small_tokenizer, toy_model, written

Encode = Callable[[str], list[int]]


@pytest.fixture(scope="module")
def small() -> tuple[ff.Tokenizer, Encode]:
    pytest.importorskip("tiktoken")
    return small_tokenizer()


@pytest.fixture(scope="module")
def model(cl100k: ff.Tokenizer) -> lm.Model:
    return lm.Model.of(toy_model(cl100k.vocab_size, 1), cl100k)


def assert_drawn(drawn: Counter[str], expected: dict[str, float]) -> None:
    """Pearson's test: with fixed seeds it either always fails or never does."""
    count = sum(drawn.values())
    assert sum(expected.values()) == pytest.approx(1)
    assert all(expected[one] > 0 for one in drawn)
    often = {one: share for one, share in expected.items() if share * count >= 5}
    statistic = sum((drawn[one] - share * count) ** 2 / (share * count) for one, share in often.items())
    freedom = len(often)
    # (about 4.5 standard deviations, by the approximation of Wilson and Hilferty)
    bound = freedom * (1 - 2 / (9 * freedom) + 4.5 * math.sqrt(2 / (9 * freedom))) ** 3
    assert statistic < bound


CASES: list[tuple[str, list[str], dict[str, float]]] = [
    ("", ["a", "b", "ab", "abc"], {}),
    ("ab", ["c", "ca", "b", " ab"], {}),
    ("x a", ["b", "bc", "bca", "c"], {}),
    ("x a", ["b", "bc", "bca", "c"], {"temperature": 0.5}),
    ("x a", ["b", "bc", "bca", "c", "bcab", " "], {"top_p": 0.6}),
    ("1", ["2", "23", " 2", ""], {"temperature": 2.0, "top_p": 0.9}),
    ("y", ["es", "e", "essa"], {}),
]


@pytest.mark.parametrize(("prompt", "texts", "options"), CASES)
def test_texts_are_drawn_as_often_as_they_should(
    small: tuple[ff.Tokenizer, Encode], prompt: str, texts: list[str], options: dict[str, Any]
) -> None:
    tok, encode = small
    rows = toy_model(tok.vocab_size, 11, spread=1.0)
    model = lm.Model.of(rows, tok)
    expected = written(tok, encode, rows, prompt, texts, **options)
    program = lm.gen("x", ff.compile_choice(texts, tok), **options)
    states = [model.state(prompt, seed=seed) + program for seed in range(600)]
    assert all(state.text == prompt + state["x"] for state in states)
    assert_drawn(Counter(str(state["x"]) for state in states), expected)
    # What follows is known: the same texts, as what a hole and the text after it have together.
    ends = [one for one in texts if one.endswith("c")]
    if ends and not options:
        cut = lm.gen("x", ff.compile_choice([one[:-1] for one in ends], tok)) + "c"
        joined = Counter((model.state(prompt, seed=seed) + cut).text[len(prompt) :] for seed in range(600))
        assert_drawn(joined, written(tok, encode, rows, prompt, ends))


def test_without_temperature_the_most_probable_is_taken(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, encode = small
    for seed in range(20):
        rows = toy_model(tok.vocab_size, seed)
        state = lm.Model.of(rows, tok).state("ab") + lm.gen(
            "x", ff.compile_choice(["c", "cb", "b", " a"], tok), temperature=0
        )
        # (as the temperature falls, the share of the other coverings and tokens does, too)
        cold = written(tok, encode, rows, "ab", ["c", "cb", "b", " a"], top_p=1e-9)
        assert cold[str(state["x"])] == pytest.approx(1)


def test_selections_are_drawn_by_their_scores(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, _ = small
    rows = toy_model(tok.vocab_size, 5, spread=1.0)
    model = lm.Model.of(rows, tok)
    options = ["c", "ca", "b"]
    program = "b" + lm.select("x", options) + "ab" + lm.gen("y", regex="[ab]")
    expected = lm.score(model, "ab", options, then="a").probabilities
    states = [model.state("a", seed=seed) + program for seed in range(600)]
    assert_drawn(Counter(str(state["x"]) for state in states), expected)
    assert states[0].scores("x").probabilities == expected
    best = model.state("ab") + lm.select("x", options, temperature=0)
    assert best["x"] == lm.score(model, "ab", options).best
    every = model.state("ab", seed=1) + lm.select("x", options, canonical=False) + "a"
    counted = lm.score(model, "ab", options, then="a", canonical=False)
    assert every.scores("x").probabilities == counted.probabilities != expected


def test_forced_tokens_cost_no_call(cl100k: ff.Tokenizer) -> None:
    asked: list[list[list[int]]] = []
    model = lm.Model.of(toy_model(cl100k.vocab_size, 1, asked), cl100k)
    schema = {"type": "object", "properties": {"temperature_in_celsius": {"enum": [1, 2]}}}
    schema |= {"required": ["temperature_in_celsius"], "additionalProperties": False}
    state = model.state("Reading: ", seed=1) + lm.gen("x", json=schema)
    assert json.loads(str(state["x"])) in ({"temperature_in_celsius": 1}, {"temperature_in_celsius": 2})
    # The opening ends in a blank, which `{"` may take. Then one digit is drawn.
    assert state.calls == sum(map(len, asked)) == len({tuple(one) for batch in asked for one in batch}) <= 3
    asked.clear()
    fixed = model.state("Yes", seed=1) + lm.gen("x", regex="abcdefghij") + "!"
    assert fixed.text == "Yesabcdefghij!" and not asked and fixed.calls == 0
    read = model.state("Yes", seed=1) + lm.gen("x", regex="abcdefghij", log_probs=True) + "!"
    logs = read.log_probs("x")
    assert cl100k.decode([token for token, _ in logs]).startswith(b"abc")
    assert len(asked) == 1 and len(asked[0]) == len(logs) == read.calls


def test_log_probs_are_the_models_own(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, _ = small
    rows = toy_model(tok.vocab_size, 2)
    model = lm.Model.of(rows, tok)
    for seed in range(30):
        program = " " + lm.gen("x", regex="[abc]{3}", temperature=0.7, top_p=0.9, log_probs=True) + " 12"
        state = model.state("ab", seed=seed) + program
        tokens = list(state.tokens)
        start = len("ab ")
        place, expected = 0, []
        for index, token in enumerate(tokens):
            size = len(tok.token_bytes(token))
            if place < start + 3 and place + size > start:
                expected.append((token, float(rows([tokens[:index]])[0][token])))
            place += size
        if tok.encode(state.text) == tokens:
            assert [one for one, _ in state.log_probs("x")] == [one for one, _ in expected]
            found = [one for _, one in state.log_probs("x")]
            assert np.allclose(found, [one for _, one in expected], atol=1e-9, rtol=0)


SCHEMAS: list[dict[str, Any]] = [
    {"type": "array", "items": {"type": "integer"}},
    {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    {"anyOf": [{"enum": ["a long text", True]}, {"type": "array", "minItems": 2, "items": {"type": "boolean"}}]},
    {"type": "object", "additionalProperties": {"type": "array"}, "minProperties": 1},
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_max_tokens_never_cuts_a_text_off(model: lm.Model, schema: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    tok = model.tokenizer
    grammar = ff.compile_json_schema(schema, tok, separators=(",", ":"))
    least = grammar.min_tokens().tokens
    for prompt in ("", "Answer:", "Answer: ", "It is \u00e9"):
        for more in (0, 1, 3, 10):
            for program in (
                lm.gen("x", grammar, max_tokens=least + more),
                lm.gen("x", grammar, max_tokens=least + more) + " .\n",
            ):
                state = model.state(prompt, seed=more) + program + "end"
                value = str(state["x"])
                assert jsonschema.Draft202012Validator(schema).is_valid(json.loads(value))
                assert state.text == prompt + value + (" .\n" if " .\n" in program.pieces else "") + "end"
        if least > 1:
            with pytest.raises(ff.MatcherError):
                (model.state(prompt) + lm.gen("x", grammar, max_tokens=least - 1)).text  # noqa: B018


def test_max_tokens_counts_the_tokens_that_end_in_the_hole(model: lm.Model) -> None:
    tok = model.tokenizer
    for seed in range(10):
        state = model.state("I have ", seed=seed) + lm.gen("x", regex="[a-z]+", max_tokens=2, log_probs=True) + " 1"
        assert 1 <= len(state.log_probs("x")) <= 2
        free = model.state("I have", seed=seed) + lm.gen("x", max_tokens=5, log_probs=True)
        assert len(free.log_probs("x")) <= 5
    one = model.state("I have ", seed=1) + lm.gen("x", regex="[0-9]", max_tokens=1) + " apples"
    assert one.text == f"I have {one['x']} apples" and tok.encode(one.text)


def test_no_more_tokens_than_max_tokens(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, _ = small
    model = lm.Model.of(toy_model(tok.vocab_size, 9), tok)
    random = Random(7)
    refused = 0
    for seed in range(300):
        pattern = random.choice(["[abc]{1,3}", "a+b?", "[0-9]{2}", " ?[ca]{2}", "[a-c ]{3,}!", '\\{"[a-z]*":[0-9]+\\}'])
        most = random.randrange(1, 12)
        prompt = random.choice(["", "a", "x ab", "1 ", "\u00e9", "ab  ", 'b "'])
        after = random.choice(["", " ", "b", "c a", "  x", "\u00e9", "\n\n"])
        state = model.state(prompt, seed=seed) + lm.gen("x", regex=pattern, max_tokens=most, log_probs=True) + after
        least = ff.compile_regex(pattern, tok).min_tokens().tokens
        if most < least:
            refused += 1
            with pytest.raises(ff.MatcherError):
                state.text  # noqa: B018
            continue
        value = str(state["x"])
        assert re.fullmatch(pattern, value) and state.text == prompt + value + after
        tokens = [token for token, _ in state.log_probs("x")]
        # The last token may end in the text after the hole; then it does not count.
        assert len(tokens) - (not tok.decode(tokens).endswith(value.encode())) <= most
    assert 0 < refused < 100


def test_stops(model: lm.Model) -> None:
    for seed in range(8):
        state = (
            model.state("Say: ", seed=seed)
            + lm.gen("x", stop=["e", "\n"], max_tokens=30)
            + "|"
            + lm.gen("y", regex="[01]")
        )
        value = str(state["x"])
        assert "e" not in value and "\n" not in value
        assert state.text == f"Say: {value}|{state['y']}"
        pattern = model.state("Say:", seed=seed) + lm.gen("x", stop_regex="[aeiou][a-z]+", max_tokens=30)
        assert not re.search("[aeiou][a-z]", str(pattern["x"])) and pattern.text == f"Say:{pattern['x']}"
        # Any text ends before the text that follows it.
        quoted = model.state('Say "', seed=seed) + lm.gen("x", max_tokens=20) + "e" + lm.gen("y", regex="[01]")
        assert "e" not in quoted["x"] and quoted.text == f'Say "{quoted["x"]}e{quoted["y"]}'


def test_a_stop_that_is_part_of_a_token(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, _ = small
    token = tok.encode("abca")[0]

    def rows(sequences: list[list[int]]) -> Any:
        found = np.full((len(sequences), tok.vocab_size), -50.0)
        found[:, token] = 0.0
        return found

    model = lm.Model.of(rows, tok)
    state = model.state("x", seed=1) + lm.gen("x", stop="ca", log_probs=True)
    assert (state["x"], state.text, state.tokens) == ("ab", "xab", tuple(tok.encode("xab")))
    assert [one for one, _ in state.log_probs("x")] == [token]
    state += "!" + lm.gen("y", stop=["bca", "c"])
    assert (state["y"], state.text) == ("ab", "xab!ab")
    blank = tok.encode("  ")[0]
    both = lm.Model.of(lambda sequences: np.eye(tok.vocab_size)[[blank] * len(sequences)] * 50 - 50, tok)
    assert (both.state("x ", seed=1) + lm.gen("x", stop=" ")).text == "x "


def test_many(model: lm.Model) -> None:
    for seed in range(5):
        item = lm.gen(regex="[a-c]{1,3}")
        state = model.state("Some: ", seed=seed) + lm.many("xs", item, ", ", 2, 4) + "." + lm.many("n", item, " ", 0, 1)
        assert isinstance(state["xs"], list) and 2 <= len(state["xs"]) <= 4
        assert isinstance(state["n"], list) and len(state["n"]) <= 1
        assert state.text == "Some: " + ", ".join(state["xs"]) + "." + "".join(state["n"])


def test_a_stream_tells_what_opens_grows_and_closes(model: lm.Model) -> None:
    program = (
        "A"
        + lm.gen("x", regex="[a-z ]{9,20}")
        + ":"
        + lm.select("s", ["b", "bc"])
        + "!"
        + lm.gen("y", stop=".", max_tokens=9)
    )
    state = model.state("", seed=4) + program
    events = list(state.stream())
    assert [one.name for one in events if one.kind == "opened"] == ["x", "s", "y"] == list(state)
    for name in state:
        own = [one for one in events if one.name == name]
        assert own[0].kind == "opened" and own[-1].kind == "closed" and own[-1].text == state[name]
        grown = [one.text for one in own if one.kind == "grew"]
        assert len(set(grown)) == len(grown) >= 1
    assert list(state.stream()) == []
    again = model.state("", seed=4) + program
    assert again.text == state.text and again.calls == state.calls


def test_states_fork(model: lm.Model) -> None:
    start = model.state("One, ", seed=3) + lm.gen("x", regex="[a-z]{3,5}") + ";"
    text = start.text
    left, right = start + lm.gen("l", regex="[0-9]{2}"), start + " b"
    assert left.text.startswith(text) and right.text == text + " b" and start.text == text
    assert "l" in left and "l" not in start and left["x"] == right["x"] == start["x"]
    # What is added before a state is read is one program with what was there.
    assert (model.state("One, ", seed=3) + (lm.gen("x", regex="[a-z]{3,5}") + ";")).text == text


def test_special_tokens_and_parts(model: lm.Model) -> None:
    tok = model.tokenizer
    end = tok.special_tokens["<|endofprompt|>"]
    prompt = [*tok.encode("Hi"), end, *tok.encode("The answer")]
    state = model.state(prompt, seed=1) + " is " + lm.gen("x", regex="[0-9]{2}") + ff.special_token(end) + "Bye"
    assert state.tokens.count(end) == 2 and state.tokens[:2] == tuple(prompt[:2])
    assert state.text == f"Hi<|endofprompt|>The answer is {state['x']}<|endofprompt|>Bye"
    with pytest.warns(UserWarning, match="endofprompt"):
        assert end not in model.state("Hi<|endofprompt|>").tokens
    assert end in model.state("Hi<|endofprompt|>", special="allow").tokens


def test_lark_and_any_text(model: lm.Model) -> None:
    state = model.state("Sum: ", seed=1) + lm.gen("x", lark='start: NUMBER "+" NUMBER\nNUMBER: /[0-9]{1,2}/') + "="
    left, right = str(state["x"]).split("+")
    assert left.isdigit() and right.isdigit() and state.text == f"Sum: {left}+{right}="
    words = ff.Tokenizer.from_tokens([b"a", b"b", b"ab", b""], eos_token_id=3, encode=lambda text: [0] * len(text))
    bare = lm.Model.of(toy_model(4, 1), words)
    assert (bare.state("a", seed=1) + lm.gen("x", regex="a*b")).tokens[0] == 0
    endless = ff.Tokenizer.from_tokens([b"a", b"b", b"ab"], encode=lambda text: [0] * len(text))
    found = lm.Model.of(toy_model(3, 1), endless).state("a", seed=1) + lm.gen("x", regex="a?b")
    assert str(found["x"]) in ("b", "ab")
    # Without an end-of-text token a text ends where nothing may follow.
    opened = lm.Model.of(toy_model(3, 1), endless).state("", seed=1) + lm.gen("x", regex="ba?")
    events = list(opened.stream())
    assert (opened["x"], opened.text) == ("ba", "ba") and events[-1] == lm.Event("closed", "x", "ba")


def test_a_run_is_as_long_as_it_can_be(model: lm.Model) -> None:
    number, cold = lm.gen("n", regex="[0-9]+"), lm.gen("c", regex="[0-9]+", temperature=0)
    assert cold.pieces[0].settings.temperature == 0  # type: ignore[union-attr]

    def shape(program: lm.Program) -> list[Any]:
        return [
            [one if isinstance(one, bytes) else one.name for one in step.pieces] if isinstance(step, Run) else step
            for step in steps(program.pieces)
            if not isinstance(step, Chosen)
        ]

    assert shape("a" + number + "b" + number + "c") == [b"a", ["n", b"b", "n", b"c"]]
    assert shape(number + "b" + cold + "c") == [["n", b"b"], ["c", b"c"]]
    assert shape(number + "b" + lm.gen("x") + "c" + number) == [["n", b"b"], ["x"], b"c", ["n"]]
    assert shape(number + "b" + lm.gen("x")) == [["n", b"b", "x"]]
    assert shape(lm.gen("m", regex="a", max_tokens=3) + "bc" + number) == [["m", b"b"], b"c", ["n"]]
    assert shape(ff.special_token("<|endoftext|>") + number + ff.text(until="a")) == [[None, "n", None]]
    assert shape(cold + lm.Program.of(ff.text(until="a")) + "b") == [["c", None, b"b"]]
    selections = lm.select("s", ["a"]) + "bc" + lm.select("t", ["a"])
    chosen = [one for one in steps(selections.pieces) if isinstance(one, Chosen)]
    assert [one.then for one in chosen] == ["b", ""]
    tiny = model.state("x", seed=1) + lm.gen("x", regex="[a-z]{3}", temperature=1e-6)
    assert tiny["x"] == (model.state("x", seed=2) + lm.gen("x", regex="[a-z]{3}", temperature=0))["x"]


def test_random_programs(small: tuple[ff.Tokenizer, Encode]) -> None:
    """Whatever the pieces: the text is theirs, holes have what they may have, and names their places."""
    tok, _ = small
    model = lm.Model.of(toy_model(tok.vocab_size, 8), tok)
    random = Random(3)
    patterns = ["[abc]{1,3}", "a+b?", "[0-9]{2}", "(ab|a|abc)", " ?[ca]{2}"]
    for seed in range(150):
        program, shape = lm.Program(()), ""
        holes: list[str] = []
        for _ in range(random.randrange(1, 6)):
            kind = random.randrange(4)
            if kind == 0 or shape.endswith(")"):
                text = "".join(random.choice("ab c1!") for _ in range(random.randrange(1, 4)))
                program, shape = program + text, shape + re.escape(text)
            elif kind == 3:
                program += lm.select(f"n{len(holes)}", ["a", "ab", "1"])
                holes.append("(a|ab|1)")
                shape += holes[-1]
            else:
                pattern = random.choice(patterns)
                bound = random.choice([None, None, 4])
                holes.append(f"({pattern.replace('(', '(?:')})")
                temperature = random.choice([1.0, 1.0, 0.0])
                program += lm.gen(
                    f"n{len(holes) - 1}", regex=pattern, max_tokens=bound, temperature=temperature, log_probs=True
                )
                shape += holes[-1]
        prompt = random.choice(["", "a", "x ab", "1 ", "\u00e9"])
        state = model.state(prompt, seed=seed) + program
        assert re.fullmatch(re.escape(prompt) + shape, state.text), state.text
        assert list(state) == [f"n{index}" for index in range(len(holes))]
        assert all(re.fullmatch(hole, str(state[f"n{index}"])) for index, hole in enumerate(holes))
        assert tok.decode(state.tokens).decode() == state.text
        again = model.state(prompt, seed=seed) + program
        events = list(again.stream())
        assert again.text == state.text and again.calls == state.calls
        # What was closed and withdrawn is closed again.
        closed = {one.name: one.text for one in events if one.kind == "closed"}
        assert closed == {name: state[name] for name in state}
        for name in state:
            kinds = [one.kind for one in events if one.name == name]
            assert kinds.count("opened") == kinds.count("withdrawn") + 1
            assert "withdrawn" not in kinds or kinds[kinds.index("withdrawn") + 1] == "opened"


def test_any_bytes_may_begin_a_text(model: lm.Model) -> None:
    tok = model.tokenizer
    # No text has this byte, so its tokens stay as they are.
    odd = model.state(b"a\xff", seed=1) + lm.gen("x", regex="[0-9]{2}") + "."
    assert tok.decode(odd.tokens) == b"a\xff" + str(odd["x"]).encode() + b"."
    for prompt in (b"a\xff", b"caf\xc3"):
        more = model.state(prompt, seed=1) + " b" + lm.gen("x", regex="[0-9]{2}") + "." + lm.select("y", ["c", "d"])
        assert tok.decode(more.tokens) == prompt + f" b{more['x']}.{more['y']}".encode()
    assert model.state("x").text == "x" and model.state("x").calls == 0 and list(model.state()) == []
    assert "2 bytes written, 1 pieces" in repr(model.state("ab") + "c")


def test_public_names_are_documented(repo_root: Path) -> None:
    page = (repo_root / "docs" / "lm.md").read_text(encoding="utf-8")
    for name in lm.__all__:
        assert (getattr(lm, name).__doc__ or "").strip() and f"`{name}`" in page


def test_wrong_programs(model: lm.Model) -> None:
    wrong: list[tuple[type[Exception], Callable[[], Any]]] = [
        (ff.GrammarError, lambda: lm.gen("x", regex="a", json={})),
        (ff.GrammarError, lambda: lm.gen("x", regex="a", stop="b")),
        (ff.GrammarError, lambda: lm.gen("x", stop="")),
        (ff.GrammarError, lambda: lm.gen("x", max_tokens=0)),
        (ff.GrammarError, lambda: lm.gen("x", temperature=-1)),
        (ff.GrammarError, lambda: lm.gen("x", temperature=math.nan)),
        (ff.GrammarError, lambda: lm.gen("x", temperature=1e-9)),
        (ff.GrammarError, lambda: lm.gen("x", top_p=0)),
        (ff.GrammarError, lambda: lm.select("x", [])),
        (ff.GrammarError, lambda: lm.many("x", lm.gen("y", stop="a"))),
        (ff.GrammarError, lambda: lm.many("x", lm.gen("y"), least=2, most=1)),
        (ff.GrammarError, lambda: lm.many("x", lm.gen("y"), most=0)),
        (ff.GrammarError, lambda: lm.gen("x") + "\ud800"),
        (TypeError, lambda: lm.gen(3)),  # type: ignore[arg-type]
        (TypeError, lambda: lm.gen("x") + 3),  # type: ignore[operator]
        (TypeError, lambda: lm.many("x", "a")),  # type: ignore[arg-type]
        (TypeError, lambda: model.state("a", seed="b")),  # type: ignore[arg-type]
        (ValueError, lambda: model.state("a", seed=-1)),
        (ff.TokenizerError, lambda: model.state(3)),  # type: ignore[arg-type]
    ]
    for error, call in wrong:
        with pytest.raises(error):
            call()
    state = model.state("a", seed=1)
    late: list[tuple[type[Exception], str, lm.Program]] = [
        (ff.GrammarError, "directly follows", lm.gen("x", regex="a") + lm.gen("y", regex="b", temperature=0)),
        (ff.GrammarError, "directly follows", lm.gen("x", regex="a") + lm.select("y", ["b"])),
        (ff.GrammarError, "max_tokens", lm.gen("x", regex="a", max_tokens=3) + lm.gen("y", regex="b")),
        (ff.GrammarError, "empty text", lm.gen("x", stop_regex="a*")),
        (ff.GrammarError, "column", lm.gen("x", regex="(")),
    ]
    for error, match, program in late:
        with pytest.raises(error, match=match):
            (state + program).text  # noqa: B018
    with pytest.raises(KeyError):
        state["x"]
    named = state + lm.gen("x", regex="[ab]")
    with pytest.raises(ff.MatcherError, match="log_probs=True"):
        named.log_probs("x")
    with pytest.raises(ff.MatcherError, match="not a selection"):
        named.scores("x")


def test_names_of_special_tokens_in_texts_give_a_warning(small: tuple[ff.Tokenizer, Encode]) -> None:
    model = lm.Model.of(toy_model(small[0].vocab_size, 1), small[0])
    with pytest.warns(UserWarning, match=r"special_token\('<s>'\)") as caught:
        model.state("a") + "b <s>"
    assert caught[0].filename == __file__


def test_a_text_is_no_part(small: tuple[ff.Tokenizer, Encode]) -> None:
    with pytest.raises(TypeError, match="regex="):
        lm.gen("x", "[ab]{3}")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="AutoTokenizer"):
        lm.Model.from_transformers(object(), small[0])


def test_a_name_that_does_not_exist(small: tuple[ff.Tokenizer, Encode]) -> None:
    model = lm.Model.of(toy_model(small[0].vocab_size, 1), small[0])
    state = model.state("a") + lm.gen("count", regex="[12]") + lm.gen("b", regex="c")
    with pytest.raises(KeyError, match="'cuont'; the names are 'count', 'b'"):
        state["cuont"]


def test_a_trace_is_a_list(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, _ = small
    state = lm.Model.of(toy_model(tok.vocab_size, 1), tok).state() + lm.gen("x", regex="[ab]{2}")
    with pytest.raises(TypeError, match="trace"):
        state.stream("x")  # type: ignore[arg-type]


def test_a_trace_has_the_tokens_of_holes(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, _ = small
    asked: list[list[list[int]]] = []
    rows = toy_model(tok.vocab_size, 1, asked)
    model = lm.Model.of(rows, tok)
    for seed in range(20):
        program = " " + lm.gen("x", regex="(abc|a[b1]{2})d") + "12" + lm.gen("y", regex="[ab]{2}")
        state = model.state("x", seed=seed) + program
        trace: list[lm.TracedToken] = []
        events = list(state.stream(trace))
        assert events == list((model.state("x", seed=seed) + program).stream())
        tokens = [one.token for one in trace if tok.token_bytes(one.token)]
        assert tokens == list(state.tokens[len(state.tokens) - len(tokens) :])
        assert {one.kind for one in trace} == {"prompt", "forced", "chosen"}
        for place, one in enumerate(trace):
            if one.kind != "chosen":
                assert one[2:] == (None, (), None)
                continue
            before = list(state.tokens[: len(state.tokens) - len(tokens) + place])
            row = rows([before])[0]
            assert one.log_prob == row[one.token]
            others = [log_prob for _, log_prob in one.others]
            assert others == [row[token] for token, _ in one.others] == sorted(others, reverse=True)
            assert one.token not in [token for token, _ in one.others] and len(others) <= 3
            if one.refused is None:
                assert row.max() in (one.log_prob, *others)
            else:
                assert one.refused[1] == row[one.refused[0]] > row[one.token]


def test_numbers_and_stops_of_holes_are_checked() -> None:
    for options, kind, message in [
        ({"temperature": 10**400}, ff.GrammarError, "temperature must be 0 or at least"),
        ({"temperature": "1"}, TypeError, "gen: temperature"),
        ({"top_p": "1"}, TypeError, "gen: top_p"),
        ({"stop": "a\ud800"}, ff.GrammarError, "surrogate"),
        ({"stop_regex": "a|)(?:b"}, ff.GrammarError, "column"),
        ({"stop_regex": "("}, ff.GrammarError, "column"),
    ]:
        with pytest.raises(kind, match=message):
            lm.gen("x", **options)  # type: ignore[arg-type]


def test_logits_are_no_log_probabilities(small: tuple[ff.Tokenizer, Encode]) -> None:
    model = lm.Model.of(lambda sequences: np.full((len(sequences), small[0].vocab_size), 0.5), small[0])
    with pytest.raises(ff.MatcherError, match="are these logits"):
        (model.state("a") + lm.gen("x", regex="[ab]")).text  # noqa: B018
