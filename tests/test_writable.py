"""Vocabularies that cannot write every text: a grammar says so when it is compiled, and leaves out what they cannot."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.tokens.vocabulary.characters import characters
from ffgrammar.tokens.vocabulary.trie import TokenTrie
from oracle.trained import some_texts

FEW = [b"a", b"b", b"ab", b"{", b'"', b":", b"}", b"\xc3\xa9", b" ", b"x1"]


@pytest.fixture(scope="module")
def few() -> ff.Tokenizer:
    return ff.Tokenizer.from_tokens(FEW, name="few")


def texts_of(grammar: ff.Grammar, seed: int) -> str:
    """A text that random tokens of the masks spell; no mask on the way may be empty."""
    random = Random(seed)
    matcher = grammar.matcher()
    ids: list[int] = []
    while not matcher.is_accepting() or (len(ids) < 20 and len(matcher.allowed_token_ids()) and random.random() < 0.8):
        allowed = matcher.allowed_token_ids()
        assert len(allowed), ids
        ids.append(int(random.choice(allowed)))
        assert matcher.accept_token(ids[-1])
        if len(ids) > 500:
            break
    return grammar.tokenizer.decode(ids).decode()


def test_characters(cl100k: ff.Tokenizer, few: ff.Tokenizer) -> None:
    assert cl100k.characters is None
    assert few.characters == {b"a", b"b", b"{", b'"', b":", b"}", b"\xc3\xa9", b" ", b"x", b"1"}
    assert characters(TokenTrie([bytes([value]) for value in range(0xF5) if value not in (0xC0, 0xC1)])) is None
    assert characters(TokenTrie([])) == frozenset()


def test_what_cannot_be_written_is_left_out_with_a_warning(few: ff.Tokenizer) -> None:
    grammar = ff.compile_choice(["ab", "a-b", "\u00e9", "\u00ea"], few)
    message = "the vocabulary of few has no tokens for '-' (in 'choice'): texts with them are left out"
    assert grammar.warnings == (message,)
    assert {texts_of(grammar, seed) for seed in range(30)} == {"ab", "\u00e9"}
    assert ff.compile_choice(["ab", "x1"], few).warnings == ()
    grammar = ff.compile_lark('start: "a" | B\nB: /c+/', few)
    assert "'c' (in 'B')" in grammar.warnings[0] and texts_of(grammar, 0) == "a"
    # nothing is said of what the start symbol does not lead to
    assert ff.compile_lark('start: "a"\nother: "c"', few).warnings == ()


def test_a_source_of_which_no_text_can_be_written_is_refused(few: ff.Tokenizer) -> None:
    with pytest.raises(GrammarError, match=r"no tokens for '-', 'c' .*it can write no text of the grammar"):
        ff.compile_choice(["a-b", "c"], few)
    with pytest.raises(GrammarError, match="some characters"):
        ff.compile_choice(["\u00ea"], few)
    with pytest.raises(GrammarError, match=r"no tokens for ',', '\[', '\]'"):
        ff.compile_json_schema({"type": "array"}, few)


def test_schemas_lead_to_no_dead_end(few: ff.Tokenizer) -> None:
    schemas: list[Any] = [
        {"type": "object", "properties": {"a": {"enum": ["b", "c"]}, "c": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"c": {}, "ab": {"pattern": "^[a-z]+$", "maxLength": 3, "type": "string"}}},
        {"enum": ["\u00e9", "\u00ea", "a b", {"a": "b"}, ["a"]]},
    ]
    for schema in schemas:
        grammar = ff.compile_json_schema(schema, few, whitespace="compact", separators=None)
        assert len(grammar.warnings) == 1 and grammar.warnings[0].startswith("the vocabulary of few has no tokens for")
        oracle = ff.compile_json_schema(schema, ff.Tokenizer.from_tiktoken("cl100k_base"), whitespace="compact")
        for seed in range(20):
            text = texts_of(grammar, seed)
            matcher = oracle.matcher()
            assert matcher.accept_bytes(text.encode()) == len(text.encode()) and matcher.is_accepting(), text
    with pytest.raises(UnsupportedError, match="counts or remembers"):
        ff.compile_json_schema(
            {"type": "object", "properties": {"a": {"const": "b"}, "c": {"const": "b"}}, "additionalProperties": False},
            few,
            property_order="any",
        )


def test_a_unigram_model_without_byte_fallback() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.Tokenizer(tokenizers.models.Unigram())
    model.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    model.decoder = tokenizers.decoders.Metaspace()
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=400, special_tokens=["<unk>", "</s>"], unk_token="<unk>", show_progress=False
    )
    texts = [text.replace("{", "").replace("}", "") for text in some_texts(100_000)]
    model.train_from_iterator([text for text in texts if text.isascii()], trainer)
    tok = ff.Tokenizer.from_huggingface(model)
    assert tok.characters is not None and b"{" not in tok.characters and b"a" in tok.characters
    with pytest.raises(GrammarError, match=r"no tokens for '{'"):
        ff.compile_json_schema({"type": "object"}, tok)
    grammar = ff.compile_json_schema({"type": "array", "items": {"type": "string", "maxLength": 4}}, tok)
    assert any("texts with them are left out" in warning for warning in grammar.warnings)
    for seed in range(10):
        assert "{" not in texts_of(grammar, seed)
