"""`score`: the probabilities of options against a sum over every token sequence, and how often the model is asked."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff
from ffgrammar import lm
from oracle.lm import scores, small_tokenizer, toy_model

Encode = Callable[[str], list[int]]

CASES = [
    ("", ["a", "b", "1"], ""),
    ("", ["", "a", "ab"], ""),
    ("a", ["b", "c", "bc"], ""),
    ("ab", ["c", "ca", "b", " a"], ""),
    ("x ab", ["c", "b", ""], ""),
    ("ab ", ["ab", "abc", "12"], ""),
    ("ab", ["c", "ca", "cab"], "a"),
    ("1", ["2", "23", " 2"], ""),
    ("ab", ["c", "ca", ""], None),
    ("x ab", ["", "c", "ca"], None),
    ("y", ["es", "e", "a"], " a"),
    ("caf", ["é", "e"], ""),
]


@pytest.fixture(scope="module")
def small() -> tuple[ff.Tokenizer, Encode]:
    pytest.importorskip("tiktoken")
    return small_tokenizer()


@pytest.mark.parametrize(("prompt", "options", "then"), CASES)
def test_canonical_scores_are_those_of_all_sequences(
    small: tuple[ff.Tokenizer, Encode], prompt: str, options: list[str], then: str | None
) -> None:
    tok, encode = small
    for seed in (1, 2):
        rows = toy_model(tok.vocab_size, seed)
        expected = scores(tok, encode, rows, (), (), prompt, options, then)
        found = lm.score(lm.Model.of(rows, tok), prompt, options, then=then)
        assert found.options == tuple(options)
        assert all(abs(found.probabilities[one] - expected[one]) < 1e-9 for one in options)
        assert expected[found.best] == max(expected.values())


@pytest.mark.parametrize(("prompt", "options", "then"), CASES)
def test_scores_of_all_tokenizations(
    small: tuple[ff.Tokenizer, Encode], prompt: str, options: list[str], then: str | None
) -> None:
    tok, _ = small
    rows = toy_model(tok.vocab_size, 3)
    # The tokens of the prompt that canonical texts with any of the options have.
    texts = [(prompt + one + (then or "")).encode() for one in options]
    if then is None:
        every = [tuple(tok.encode(text)) for text in texts]
    else:
        every = [(*one.kept, -1) for text in texts for one in tok.coverings(text)]
    start: list[int] = []
    for place in range(min(map(len, every), default=0)):
        column = {one[place] for one in every}
        token = column.pop()
        if column or token < 0 or not prompt.encode().startswith(tok.decode([*start, token])):
            break
        start.append(token)
    expected = scores(tok, None, rows, (), start, prompt, options, then)
    found = lm.score(lm.Model.of(rows, tok), prompt, options, then=then, canonical=False)
    assert all(abs(found.probabilities[one] - expected[one]) < 1e-9 for one in options)


def test_random_scores(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, encode = small
    random = Random(5)

    def drawn(most: int) -> str:
        return "".join(
            random.choice(["a", "b", "c", "a", "b", "c", " ", "1", "2", "\u00e9"])
            for _ in range(random.randrange(most + 1))
        )

    for seed in range(40):
        prompt, then = drawn(3), random.choice(["", "", drawn(2), None])
        options = list(dict.fromkeys(drawn(3) for _ in range(random.randrange(1, 5))))
        rows = toy_model(tok.vocab_size, seed)
        for own in (encode, None):
            if own is None and (prompt or then is None):
                # (which tokens of a prompt stay is the subject of another test)
                continue
            expected = scores(tok, own, rows, (), (), prompt, options, then)
            found = lm.score(lm.Model.of(rows, tok), prompt, options, then=then, canonical=own is not None)
            assert all(abs(found.probabilities[one] - expected[one]) < 1e-9 for one in options)


def test_tokens_of_a_prompt(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, encode = small
    rows = toy_model(tok.vocab_size, 4)
    model = lm.Model.of(rows, tok)
    special = tok.special_tokens["<s>"]
    # After a special token a text begins.
    expected = scores(tok, encode, rows, (7, special), (), "ab", ["c", "b"], "")
    found = lm.score(model, [7, special, *tok.encode("ab")], ["c", "b"]).probabilities
    assert all(abs(found[one] - expected[one]) < 1e-9 for one in expected)
    named = lm.score(model, tok.decode([7]) + b"<s>ab", ["c", "b"], special="allow").probabilities
    assert named == found
    # The tokenizer writes "ab" as one token, so these two stay as they are.
    apart = [97, 98]
    assert tok.decode(apart) == b"ab" and tok.encode("ab") != apart
    texts = {"c": np.exp(rows([apart])[0][99]), "12": np.exp(rows([apart])[0][tok.encode("12")[0]])}
    found = lm.score(model, apart, ["c", "12"], then=None).probabilities
    ends = {one: rows([[*apart, *tok.encode(one)]])[0][tok.eos_token_ids[0]] for one in texts}
    whole = {one: texts[one] * np.exp(ends[one]) for one in texts}
    assert all(abs(found[one] - whole[one] / sum(whole.values())) < 1e-9 for one in texts)


def test_the_model_is_asked_once_and_no_more_than_it_must(cl100k: ff.Tokenizer) -> None:
    asked: list[list[list[int]]] = []
    model = lm.Model.of(toy_model(cl100k.vocab_size, 1, asked), cl100k)
    prompt = "Two and two is four. The capital of France is"
    found = lm.score(model, prompt, [" Paris", " Lyon", " London"])
    spellings = [one.kept for option in found.options for one in cl100k.coverings(prompt + option)]
    shared = next(size for size in range(99) if len({one[: size + 1] for one in spellings if len(one) > size}) != 1)
    shared = min(shared, *map(len, spellings))
    assert shared >= 10
    questions = {one[:size] for one in spellings for size in range(shared, len(one) + 1)}
    assert len(asked) == 1 and {tuple(one) for one in asked[0]} == questions
    assert len(asked[0]) == len(questions) == found.calls
    # One option needs no comparison, but is asked about all the same; its probability is 1.
    assert lm.score(model, prompt, [" Paris"]).probabilities == {" Paris": 1.0}


def test_a_prompt_that_ends_inside_a_token(cl100k: ff.Tokenizer) -> None:
    """However a text is divided into prompt and options, the probabilities are the same."""
    model = lm.Model.of(toy_model(cl100k.vocab_size, 6), cl100k)
    whole = lm.score(model, "I bought some", [" apples.", " apple pie", " appetizers"]).log_probs
    for begun in (" ", " ap", " app", " appe"):
        rest = [one[len(begun) :] for one in (" apples.", " apple pie", " appetizers")]
        if all(one.startswith(begun) for one in (" apples.", " apple pie", " appetizers")):
            found = lm.score(model, "I bought some" + begun, rest).log_probs
            assert np.allclose(found, whole, atol=1e-9, rtol=0)


def test_models_are_checked(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, _ = small

    class Own:
        tokenizer = tok
        log_probs = staticmethod(toy_model(tok.vocab_size, 1))

    model = lm.Model.of(Own())
    assert lm.Model.of(model) is model
    assert model.log_probs([[1], []]).shape == (2, tok.vocab_size)
    with pytest.raises(TypeError, match="tokenizer of its own"):
        lm.Model.of(Own(), tok)
    with pytest.raises(TypeError, match="tokenizer must be a Tokenizer"):
        lm.Model.of(Own.log_probs)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="not int"):
        lm.Model.of(3, tok)  # type: ignore[arg-type]
    padded = lm.Model.of(toy_model(tok.vocab_size + 5, 1), tok)
    with pytest.raises(ff.MatcherError, match="vocab_size="):
        lm.score(padded, "a", ["b", "c"])
    broken = lm.Model.of(lambda sequences: np.full((len(sequences), tok.vocab_size), np.nan), tok)
    with pytest.raises(ff.MatcherError, match="NaN"):
        lm.score(broken, "a", ["b", "c"])
    imaginary = lm.Model.of(lambda sequences: np.zeros((len(sequences), tok.vocab_size), np.complex128), tok)
    with pytest.raises(ff.MatcherError, match="complex128, not of real numbers"):
        lm.score(imaginary, "a", ["b", "c"])
    with pytest.raises(ff.MatcherError, match="did not return an array"):
        lm.score(lm.Model.of(lambda sequences: [[0.0], [0.0, 1.0]], tok), "a", ["b", "c"])
    with pytest.raises(ff.TokenizerError, match="token ids"):
        imaginary.state([0.5])
    silent = lm.Model.of(lambda sequences: np.full((len(sequences), tok.vocab_size), -np.inf), tok)
    with pytest.raises(ff.MatcherError, match="probability 0"):
        lm.score(silent, "a", ["b", "c"])


def test_wrong_arguments(small: tuple[ff.Tokenizer, Encode]) -> None:
    tok, _ = small
    model = lm.Model.of(toy_model(tok.vocab_size, 1), tok)
    wrong: list[tuple[type[Exception], tuple[Any, ...], dict[str, Any]]] = [
        (TypeError, ("a", "bc"), {}),
        (TypeError, ("a", 3), {}),
        (TypeError, ("a", [b"b"]), {}),
        (TypeError, ("a", ["b"]), {"then": 3}),
        (ff.GrammarError, ("a", []), {}),
        (ff.GrammarError, ("a", ["b", "b"]), {}),
        (ff.GrammarError, ("a", ["\ud800"]), {}),
        (ff.TokenizerError, ("\ud800", ["b"]), {}),
        (ff.TokenizerError, ([10**6], ["b"]), {}),
        (ff.TokenizerError, (3, ["b"]), {}),
        (ff.MatcherError, ("a", ["b" * 40, "c"]), {"canonical": False}),
    ]
    for error, arguments, options in wrong:
        with pytest.raises(error):
            lm.score(model, *arguments, **options)
    with pytest.raises(TypeError, match=r"Model\.of makes"):
        lm.score(toy_model(tok.vocab_size, 1), "a", ["b"])  # type: ignore[arg-type]
    # Without rules the option is encoded by itself.
    words = ff.Tokenizer.from_tokens(
        [b"a", b"b", b"ab", b""], eos_token_id=3, encode=lambda text: [2] if text in ("ab", b"ab") else [0]
    )
    bare = lm.Model.of(toy_model(4, 1), words)
    rows = toy_model(4, 1)
    found = lm.score(bare, "a", ["a", "ab"], then=None).probabilities
    expected = {one: rows([[0]])[0][t] + rows([[0, t]])[0][3] for one, t in (("a", 0), ("ab", 2))}
    assert abs(found["a"] / found["ab"] - np.exp(expected["a"] - expected["ab"])) < 1e-9
    with pytest.raises(ff.TokenizerError, match="coverings"):
        lm.score(bare, "a", ["a", "ab"])
