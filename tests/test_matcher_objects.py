"""Matchers, grammars and tokenizers as Python objects: copies, pickles, representations, wrong arguments. A matcher
with a prompt or of canonical tokens is a `Matcher` like the others."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ffgrammar as ff

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def mask(matcher: ff.Matcher) -> list[int]:
    return list(matcher.allowed_token_ids())


@pytest.fixture(scope="module")
def grammar(cl100k: ff.Tokenizer) -> ff.Grammar:
    return ff.compile_json_schema(SCHEMA, cl100k)


MATCHERS: dict[str, Callable[[ff.Grammar], ff.Matcher]] = {
    "plain": lambda grammar: grammar.matcher(),
    "canonical": lambda grammar: grammar.matcher(canonical=True),
    "prompt": lambda grammar: grammar.matcher(prompt="value:"),
    "both": lambda grammar: grammar.matcher(canonical=True, prompt="value: "),
}


def test_one_class_of_matchers(grammar: ff.Grammar) -> None:
    assert ff.CanonicalMatcher is ff.Matcher
    plain = grammar.matcher()
    assert type(plain) is type(grammar.matcher(canonical=True)) is ff.Matcher
    assert (plain.canonical, plain.prompt_tokens, plain.prompt_rest) == (False, (), b"")
    both = MATCHERS["both"](grammar)
    assert both.canonical and grammar.tokenizer.decode(both.prompt_tokens) + both.prompt_rest == b"value: "
    assert both.prompt_rest == b" "


@pytest.mark.parametrize("make", MATCHERS.values(), ids=MATCHERS)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_a_copy_is_a_fork(
    grammar: ff.Grammar, make: Callable[[ff.Grammar], ff.Matcher], copied: Callable[[ff.Matcher], ff.Matcher]
) -> None:
    matcher = make(grammar)
    assert matcher.accept_bytes(matcher.prompt_rest + b'{"na')
    other = copied(matcher)
    assert other.engine is matcher.engine and other.tokens() == matcher.tokens()
    assert other.prompt_tokens == matcher.prompt_tokens and other.canonical == matcher.canonical
    assert mask(other) == mask(matcher)
    before = mask(matcher)
    assert other.accept_bytes(b'me": ""}') and other.is_accepting()
    assert mask(matcher) == before and not matcher.is_accepting()
    other.reset()
    assert other.prompt_rest == make(grammar).prompt_rest


def test_grammars_and_tokenizers_are_their_own_copies(grammar: ff.Grammar) -> None:
    assert copy.copy(grammar) is copy.deepcopy(grammar) is grammar
    assert copy.copy(grammar.tokenizer) is copy.deepcopy(grammar.tokenizer) is grammar.tokenizer


def test_pickling_says_what_to_do_instead(grammar: ff.Grammar) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match=r"Matcher cannot be pickled.*pickle its grammar.*accept_tokens"):
            pickle.dumps(grammar.matcher(), protocol)


def test_repr_tells_where_a_matcher_is(grammar: ff.Grammar) -> None:
    matcher = grammar.matcher()
    assert repr(matcher) == "<ffgrammar.Matcher json-schema on cl100k_base: 0 steps, 0 bytes, not accepting>"
    matcher.accept_bytes(b'{"name": "')
    matcher.accept_bytes(b'x"}')
    assert repr(matcher) == "<ffgrammar.Matcher json-schema on cl100k_base: 2 steps, 13 bytes, accepting>"
    matcher.accept_token(grammar.tokenizer.eos_token_ids[0])
    assert repr(matcher) == "<ffgrammar.Matcher json-schema on cl100k_base: 3 steps, 13 bytes, terminated>"
    both = MATCHERS["both"](grammar)
    assert repr(both).startswith(
        "<ffgrammar.Matcher canonical json-schema on cl100k_base: 0 steps, 0 bytes, 1 bytes of"
    )


def test_a_terminated_matcher(grammar: ff.Grammar) -> None:
    eos = grammar.tokenizer.eos_token_ids[0]
    for make in MATCHERS.values():
        matcher = make(grammar)
        matcher.accept_bytes(matcher.prompt_rest + b'{"name":""}')
        # nothing but white space and the end of text may come, and neither is forced
        assert eos in mask(matcher) and matcher.forced_tokens() == []
        assert matcher.accept_token(eos) and matcher.is_terminated()
        assert mask(matcher) == [] and matcher.forced_tokens() == [] and matcher.forced_bytes() == b""
        matcher.rollback(1)
        assert not matcher.is_terminated() and eos in mask(matcher)
    only = ff.compile_choice(["x"], grammar.tokenizer).matcher()
    only.accept_bytes(b"x")
    assert mask(only) == [eos] and only.forced_tokens() == [eos]


@pytest.mark.parametrize("prompt", ['{"name":', "value: "])
def test_draft_masks_are_the_masks_along_the_drafts(cl100k: ff.Tokenizer, prompt: str) -> None:
    """Once the prompt is spelled the masks are the grammar's own, in drafts as well."""
    grammar = ff.compile_regex(r' ?"[a-z ]*"', cl100k)
    whole = cl100k.encode(prompt + ' "hello you"')
    matchers = [grammar.matcher(prompt=prompt), grammar.matcher(canonical=True, prompt=prompt), grammar.matcher()]
    drafts = [whole[len(matcher.prompt_tokens) :] for matcher in matchers]
    drafts[2] = cl100k.encode(' "hello you"')
    sizes = [len(draft) + 1 for draft in drafts]
    bitmask = ff.allocate_bitmask(sum(sizes), cl100k.vocab_size)
    assert ff.fill_draft_bitmasks(matchers, drafts, bitmask) == [len(draft) for draft in drafts]
    row = 0
    for matcher, draft in zip(matchers, drafts, strict=True):
        alone = ff.allocate_bitmask(len(draft) + 1, cl100k.vocab_size)
        assert matcher.fill_draft_bitmasks(draft, alone) == len(draft)
        ahead = matcher.fork()
        for number in range(len(draft) + 1):
            one = ff.allocate_bitmask(1, cl100k.vocab_size)
            ahead.fill_bitmask(one)
            assert np.array_equal(alone[number], one[0]), (matcher, number)
            assert np.array_equal(bitmask[row], one[0]), (matcher, number)
            row += 1
            assert number == len(draft) or ahead.accept_token(draft[number])
    assert row == sum(sizes)


UNTYPED: Any = ff
WRONG: dict[str, tuple[Callable[[Any, ff.Tokenizer], object], str]] = {
    "regex": (lambda _, tok: UNTYPED.compile_regex(5, tok), "compile_regex: pattern must be a str, not int"),
    "regex bytes": (lambda _, tok: UNTYPED.compile_regex(b"a", tok), "pattern must be a str, not bytes"),
    "lark": (lambda _, tok: UNTYPED.compile_lark(None, tok), "compile_lark: text must be a str, not NoneType"),
    "lark start": (lambda _, tok: UNTYPED.compile_lark("a: X", tok, start=5), "start must be a str, not int"),
    "choice": (lambda _, tok: UNTYPED.compile_choice(5, tok), "choices must be a str or a list of texts, not int"),
    "choice map": (lambda _, tok: UNTYPED.compile_choice({"a": 1}, tok), "a str or a list of texts, not dict"),
    "limits": (lambda _, tok: UNTYPED.compile_regex("a", tok, limits={}), "limits must be Limits, not dict"),
    "load": (lambda _, tok: UNTYPED.load(5.5, tok), "load: source must be a path or bytes, not float"),
    "load tokenizer": (lambda *_: UNTYPED.load(b"", "cl100k_base"), "must be a Tokenizer, not str"),
    "load limits": (lambda _, tok: UNTYPED.load(b"", tok, limits=5), "limits must be Limits, not int"),
    "heal": (lambda _, tok: UNTYPED.heal(tok, 5), "heal: prompt must be a str, bytes or token ids, not int"),
    "heal tokenizer": (lambda *_: UNTYPED.heal("x", "y"), "must be a Tokenizer, not str"),
    "prefix": (lambda _, tok: UNTYPED.CharacterPrefix(tok, 5), "prefix must be a str or bytes, not int"),
    "prefix tokenizer": (lambda *_: UNTYPED.CharacterPrefix("x", "y"), "must be a Tokenizer, not str"),
    "prefix matcher": (lambda _, tok: UNTYPED.CharacterPrefix(tok, "a", 5), "matcher must be a Matcher, not int"),
    "bytes": (lambda m, _: m.accept_bytes("x"), "data must be bytes or another bytes-like object, not str"),
    "token": (lambda m, _: m.accept_token("x"), "a token id must be an int, not str"),
    "tokens": (lambda m, _: m.accept_tokens([0.5]), "a token id must be an int, not float"),
    "bitmask": (lambda m, _: m.fill_bitmask([0]), "bitmask must be an int32 array .*, not list"),
    "bitmask index": (lambda m, _: m.fill_bitmask(ff.allocate_bitmask(1, 9), "x"), "index must be an int, not str"),
    "rollback": (lambda m, _: m.rollback(1.5), "n must be an int, not float"),
    "batch": (lambda m, _: UNTYPED.fill_bitmask(m, None), "a list of matchers is expected"),
    "batch item": (lambda m, _: UNTYPED.fill_bitmask([m, 5], None), "matcher 1 must be a Matcher, not int"),
}


@pytest.mark.parametrize(("call", "words"), WRONG.values(), ids=WRONG)
def test_wrong_types_are_named(grammar: ff.Grammar, call: Callable[[Any, ff.Tokenizer], object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call(grammar.matcher(), grammar.tokenizer)


def test_one_str_is_a_list_of_lines(cl100k: ff.Tokenizer) -> None:
    for listed, texts in (("abc", [b"abc"]), ("abc\nd", [b"abc", b"d"]), ('["abc"]', [b"abc"])):
        grammar = ff.compile_choice(listed, cl100k)
        for text in (b"abc", b"a", b"d"):
            matcher = grammar.matcher()
            assert (matcher.accept_bytes(text) == len(text) and matcher.is_accepting()) == (text in texts)


def test_a_bitmask_of_no_size(cl100k: ff.Tokenizer) -> None:
    for sizes in ((-1, 5), (1, -5)):
        with pytest.raises(ValueError, match="negative"):
            ff.allocate_bitmask(*sizes)


def test_bytes_come_from_any_buffer_of_bytes(cl100k: ff.Tokenizer) -> None:
    grammar = ff.compile_regex("a+", cl100k)
    for data in (
        b"aa",
        bytearray(b"aa"),
        memoryview(b"aa"),
        memoryview(b"axax")[::2],
        np.frombuffer(b"aa", dtype=np.uint8),
    ):
        assert grammar.matcher().accept_bytes(data) == 2
    with pytest.raises(TypeError, match="bytes-like"):
        grammar.matcher().accept_bytes("aa")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="elements of 4 bytes"):
        grammar.matcher().accept_bytes(memoryview(np.zeros(2, dtype=np.int32)))
