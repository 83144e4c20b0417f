"""The names of special tokens in a text or a prompt are read as ordinary text, or as these tokens."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.vocabulary.special import SpecialNames
from oracle.trained import make

CHAT = "<|user|>Hello<|endoftext|><|user|>Answer: "


def test_the_longest_name_is_found() -> None:
    names = SpecialNames({"<a>": 1, "<a>b": 2, "b": 3})
    assert names.split("x<a>b<a>") == [("x", 2), ("", 1), ("", None)]
    assert names.split(b"b-") == [(b"", 3), (b"-", None)]
    assert names.first("--b") == names.first(b"--b") == "b" and names.first("--") is None
    assert SpecialNames({}).split("ab") == [("ab", None)]


def test_encoding_is_that_of_tokenizers() -> None:
    pytest.importorskip("tokenizers")
    hf, tok = make("gpt2")
    hf = type(hf).from_str(hf.to_str())
    for text in (CHAT, "<|user|>", "a<|user|", "<|user|><|user|>x", ""):
        assert tok.encode(text, special="allow") == hf.encode(text, add_special_tokens=False).ids
        assert tok.encode(text.encode(), special="allow") == tok.encode(text, special="allow")
        assert tok.decode(tok.encode(text)) == text.encode() and not any(map(tok.is_special, tok.encode(text)))
    with pytest.raises(TokenizerError, match="special must be 'text' or 'allow', not 'all'"):
        tok.encode("a", special="all")  # type: ignore[arg-type]
    with pytest.raises(TokenizerError, match="expected str or bytes, not int"):
        tok.encode(5, special="allow")  # type: ignore[arg-type]


def test_a_prompt_of_a_chat_template(cl100k: ff.Tokenizer) -> None:
    prompt = "<|endoftext|>Answer: "
    grammar = ff.compile_regex("[0-9]+|yes", cl100k)
    end = cl100k.special_tokens["<|endoftext|>"]
    for text in (prompt, prompt.encode()):
        matcher = grammar.matcher(prompt=text, special="allow")
        by_ids = grammar.matcher(prompt=[end, *cl100k.encode("Answer: ")])
        assert matcher.prompt_tokens == by_ids.prompt_tokens and matcher.prompt_tokens[0] == end
        assert matcher.prompt_rest == by_ids.prompt_rest == b" "
    healing = ff.heal(cl100k, prompt, grammar, special="allow")
    assert healing.tokens == by_ids.prompt_tokens and healing.taken_back == tuple(cl100k.encode(" "))


def test_a_prompt_that_looks_like_one_gives_a_warning(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_regex("[0-9]+", cl100k)
    with pytest.warns(UserWarning, match=r"'<\|endoftext\|>', which is spelled out as ordinary text; special='allow'"):
        matcher = grammar.matcher(prompt="<|endoftext|>Answer: ")
    assert matcher.prompt_tokens[0] == cl100k.encode("<|")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grammar.matcher(prompt="<|endoftext|>x: ", special="text").prompt_tokens[0] == matcher.prompt_tokens[0]
        grammar.matcher(prompt="Answer: ")


def test_the_warning_is_about_the_line_of_the_caller(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_regex("[0-9]+", cl100k)
    calls: list[Callable[[], Any]] = [
        lambda: grammar.matcher(prompt="<|endoftext|>"),
        lambda: ff.heal(cl100k, "<|endoftext|>", grammar),
    ]
    for call in calls:
        with pytest.warns(UserWarning, match="ordinary text") as found:
            call()
        assert [one.filename for one in found] == [__file__]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_any_kind_are_a_text(cl100k: ff.Tokenizer, kind: Callable[[bytes], Any]) -> None:
    grammar = ff.compile_regex("[0-9]+", cl100k)
    prompt = kind(b"<|endoftext|>x: ")
    ids = cl100k.encode("<|endoftext|>x: ", special="allow")
    for special in ("allow", "text"):
        tokens = grammar.matcher(prompt=prompt, special=special).prompt_tokens  # type: ignore[arg-type]
        healing = ff.heal(cl100k, prompt, grammar, special=special)  # type: ignore[arg-type]
        assert healing.tokens == tokens and (tokens[0] == ids[0]) == (special == "allow")
        grammar.matcher(prompt=[cl100k.special_tokens["<|endoftext|>"]])
    with pytest.raises(TokenizerError, match="special must be"):
        grammar.matcher(prompt="a", special=True)  # type: ignore[arg-type]


def test_strings_of_rules_that_look_like_one_give_a_warning(cl100k: ff.Tokenizer) -> None:
    told = "the string has '<|endofprompt|>', which is spelled out as ordinary text; "
    told += "{} without quotes is the special token"
    name = "<|endofprompt|>"
    token = told.format(name)
    lark = f'start: "x" A {name}\nA: "a{name}" | "{name}"'
    for grammar in (ff.compile_lark(lark, cl100k), ff.compile_lark(lark, cl100k, lexing="any")):
        assert grammar.warnings == (f"line 2, column 4: {token}",)
    assert ff.compile_gbnf(f'root ::= "a"\n  "{name}"', cl100k).warnings == (f"line 2, column 3: {token}",)
    ebnf = ff.compile_ebnf(f'root ::= "{name}"', cl100k)
    assert ebnf.warnings == (f"line 1, column 10: {told.format('Token(100276)')}",)
    assert ff.compile_lark(f"start: {name} // {name}", cl100k).warnings == ()
