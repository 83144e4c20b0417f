"""Forced tokens: what is forced must be what the tokenizer itself would write, whatever follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ffgrammar as ff
from ffgrammar_cli.bench.data import compact, load_schemas, spaced
from oracle.forced import common_tokens, forced_mismatches
from shared_data import encoding


def _pieces(tok: ff.Tokenizer, tokens: list[int]) -> list[str]:
    return [tok.token_bytes(token).decode() for token in tokens]


def _object(*names: str, required: tuple[str, ...] = ()) -> dict[str, Any]:
    properties = {name: {"type": "integer" if name == "age" else "string"} for name in names}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def test_does_not_force_what_is_one_token_with_what_may_follow(cl100k: ff.Tokenizer) -> None:
    matcher = ff.compile_json_schema(_object("orderId", "orderName"), cl100k).matcher()
    assert matcher.accept_tokens(cl100k.encode('{"')) == 1
    assert matcher.forced_bytes() == b"order"
    assert matcher.forced_tokens() == []
    matcher = ff.compile_json_schema(_object("orderId", "orderName", required=("orderId",)), cl100k).matcher()
    assert matcher.accept_tokens(cl100k.encode('{"')) == 1
    assert matcher.forced_bytes() == b'orderId"'
    assert _pieces(cl100k, matcher.forced_tokens()) == ["orderId"]


def test_holds_back_the_closing_quote(cl100k: ff.Tokenizer) -> None:
    schema = _object("name_of_the_person", "age", required=("name_of_the_person", "age"))
    matcher = ff.compile_json_schema(schema, cl100k).matcher()
    assert matcher.accept_tokens(cl100k.encode('{"')) == 1
    assert matcher.forced_bytes() == b'name_of_the_person"'
    assert _pieces(cl100k, matcher.forced_tokens()) == ["name", "_of", "_the", "_person"]


def test_forces_all_that_a_finished_text_needs(cl100k: ff.Tokenizer) -> None:
    matcher = ff.compile_choice(["The answer is forty-two."], cl100k).matcher()
    assert matcher.forced_tokens() == cl100k.encode("The answer is forty-two.")
    assert matcher.accept_tokens(matcher.forced_tokens()) == len(cl100k.encode("The answer is forty-two."))
    assert matcher.forced_tokens() == list(cl100k.eos_token_ids)
    assert matcher.forced_bytes() == b""


def test_joins_with_the_tokens_before(cl100k: ff.Tokenizer) -> None:
    """What is forced is tokenized with the text before it: a pre-token may begin there."""
    grammar = ff.compile_lark('start: "{\\"id\\":" /[0-9]+/ "}"', cl100k)
    matcher = grammar.matcher()
    tokens = cl100k.encode('{"id":')
    for place, token in enumerate(tokens):
        forced = matcher.forced_tokens()
        assert forced == tokens[place : place + len(forced)]
        assert matcher.accept_token(token)


def test_goes_on_after_tokens_that_are_not_canonical(cl100k: ff.Tokenizer) -> None:
    """`{` and `"` are one token; after `{` alone the rest is forced as it would be by itself."""
    schema = _object("name_of_the_person", required=("name_of_the_person",))
    grammar = ff.compile_json_schema(schema, cl100k, whitespace="compact")
    for tokens in (cl100k.encode("{"), [*cl100k.encode("{"), *cl100k.encode('"')], cl100k.encode('{"')):
        matcher = grammar.matcher()
        assert matcher.accept_tokens(tokens) == len(tokens)
        forced = matcher.forced_tokens()
        text = cl100k.decode([*tokens, *forced])
        assert text == b'{"name_of_the_person' and matcher.accept_tokens(forced) == len(forced)
    # (not the one token for `"name`: the quote is in a pre-token with the brace)
    apart = [*cl100k.encode('"'), *cl100k.encode("name")]
    assert cl100k.tokenize_partial(b'"name_of', cl100k.encode("{")) == (apart, b"_of")
    tokens, left = cl100k.tokenize_partial(b"llo world and", cl100k.encode("he"))
    assert cl100k.decode(tokens) + left == b"llo world and" and cl100k.encode(" world")[0] in tokens


@pytest.mark.parametrize(
    "sentences",
    [
        ["nneo", "nneresp", "nnels"],
        ["b b4ncovasion", "b b4nco_o5Sl", "b b4nco"],
        [' ?>"> darfiipzig', ' ?>"> darfivea', ' ?>"> darfivet'],
        ["a  b", "a   b", "a \n b"],
        ["don't", "don'tell", "don'"],
        ["x1234", "x12345", "x123456"],
        ["été", "étude", "é"],
        ["中文", "中国", "中"],
        ["a\n\n\nb", "a\n\nb", "a\n "],
        ["  7", "  "],
        ["'s\t\t_6", "'s\t\t"],
        ["'re   ", "'re   23"],
        ["or\u2028  \xa0\xa0 re", "or\u2028  \xa0\xa0,n"],
        ["国,0\u3000\u3000!", "国,0\u3000\u3000中"],
        [" \x85 Pen", " \x85.ce", " \x85def"],
    ],
    ids=lambda sentences: repr(sentences[0]),
)
def test_choices_with_a_common_beginning(cl100k: ff.Tokenizer, sentences: list[str]) -> None:
    assert _wrong_forced(cl100k, sentences) == []


def _wrong_forced(tok: ff.Tokenizer, sentences: list[str]) -> list[str]:
    """Along each sentence, where forced tokens are not a prefix of all canonical ways on."""
    grammar = ff.compile_choice(sentences, tok)
    wrong = []
    for sentence in sentences:
        matcher = grammar.matcher()
        tokens = tok.encode(sentence)
        for place, token in enumerate(tokens):
            forced, expected = matcher.forced_tokens(), common_tokens(sentences, tok.encode, tokens[:place])
            assert expected is not None
            if forced != expected[: len(forced)]:
                wrong.append(f"{sentence!r} at {place}: {_pieces(tok, forced)}, {_pieces(tok, expected)}")
            assert matcher.accept_token(token)
    return wrong


# What makes merges and pre-tokens shift: letters of common tokens; digits, spaces, line ends, apostrophes, capitals.
LETTERS = st.text("adefilnorst", min_size=1, max_size=6)
WORDS = ["a", "ne", "or", "order", "Id", "Name", "_of", " the", "ing", "ING", "tion", "é", "É", "ß", "中", "文", "🙂"]
MARKS = ["'", "'s", "'ll", '"', '":', "{", "}", "--", "==", "//", ".", "...", ",", "1", "23", "456"]
SPACES = [" ", "  ", "\n", "\r\n", "\t", "\x85", "\xa0", "\u3000", "\u2028"]
PARTS = st.sampled_from(WORDS) | st.sampled_from(MARKS) | st.sampled_from(SPACES)
TEXTS = LETTERS | st.lists(PARTS, min_size=1, max_size=6).map("".join)


@settings(max_examples=4 * settings.default.max_examples)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=5))
def test_random_choices(cl100k: ff.Tokenizer, common: str, ends: list[str]) -> None:
    assert _wrong_forced(cl100k, sorted({common + end for end in ends})) == []


@pytest.mark.parametrize("spelling", [spaced, compact])
def test_along_documents(
    cl100k: ff.Tokenizer,
    shared_dir: Path,
    covered: Callable[[str], None],
    spelling: Callable[[Any], str],
) -> None:
    pytest.importorskip("tiktoken")
    encode = encoding("cl100k_base", shared_dir).encode_ordinary
    runs = 0
    wrong = []
    for schema in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz", sample=150, seed=2):
        try:
            whitespace = "compact" if spelling is compact else "flexible"
            grammar = ff.compile_json_schema(schema.schema, cl100k, whitespace=whitespace)
        except ff.FFGrammarError:
            continue
        for instance in schema.instances:
            if instance.valid:
                # A document with its keys in another order than the schema's is not accepted.
                found = forced_mismatches(grammar.matcher(), encode(spelling(instance.data)))
                if found is not None:
                    runs += 1
                    wrong += [f"{schema.id}: {one}" for one in found]
    covered(f"{runs} documents, {spelling.__name__}: what is forced comes")
    assert runs > 100
    assert wrong == []
