"""Masks on the real vocabulary, along real documents, against trying every token by its bytes."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.grammar import json_schema
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar_cli.bench.data import load_schemas, spaced
from long_checks.masks import mask_of, vocabulary_tree
from oracle.masks import ByteTree, brute_force_mask
from thoroughness import fewer

DOCUMENTS = fewer(30)
# How many positions of a long document are looked at: the first, the last, and others drawn at random.
POSITIONS = 8


@pytest.fixture(scope="module")
def tree(cl100k: ff.Tokenizer) -> ByteTree:
    return vocabulary_tree(cl100k)


def _compare(matcher: Any, bitmask: Any, tree: ByteTree, tok: ff.Tokenizer, where: str) -> None:
    matcher.fill_bitmask(bitmask)
    found = mask_of(bitmask[0])
    expected = brute_force_mask(matcher, tree, tok.eos_token_ids)
    if found != expected:
        more, less = sorted(found - expected)[:5], sorted(expected - found)[:5]
        pytest.fail(f"{where}: allowed but should not be {more}, should be but is not {less}")


@pytest.mark.slow
def test_masks_along_documents(
    cl100k: ff.Tokenizer, tree: ByteTree, shared_dir: Path, covered: Callable[[str], None]
) -> None:
    chance = random.Random(1)
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    schemas = load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz", sample=4 * DOCUMENTS, seed=5)
    walked = masks = 0
    for schema in schemas:
        if walked == DOCUMENTS:
            break
        if not schema.instances:
            continue
        try:
            matcher = ff.compile_json_schema(schema.schema, cl100k).matcher()
        except ff.FFGrammarError:
            continue
        walked += 1
        tokens = cl100k.encode(spaced(chance.choice(schema.instances).data))
        inner = range(1, len(tokens))
        chosen = {0, len(tokens), *chance.sample(inner, min(POSITIONS - 2, len(inner)))}
        for place, token in enumerate([*tokens, None]):
            if place in chosen:
                _compare(matcher, bitmask, tree, cl100k, f"{schema.id} token {place}")
                masks += 1
            if token is None or not matcher.accept_token(token):
                break
    assert walked == DOCUMENTS
    covered(f"{masks} masks along {walked} documents equal brute force")


def test_json_lexemes_are_delimited(cl100k: ff.Tokenizer, shared_dir: Path, covered: Callable[[str], None]) -> None:
    """The JSON front-end vouches that longest match loses no text, so the engine does not search for completions."""
    bitmask = ff.allocate_bitmask(2, cl100k.vocab_size)
    masks = 0
    for schema in load_schemas(shared_dir / "maskbench" / "dev.jsonl.gz", sample=60, seed=8):
        try:
            ir = json_schema.build(schema.schema, ExprStore(), ff.Limits())
        except ff.FFGrammarError:
            continue
        assert ir.delimited
        if ir.checks:
            # with checks, no two texts are alike to a search for a completion, so it may have no end
            continue
        searching = ff.Grammar(dataclasses.replace(ir, delimited=False), cl100k, ff.Limits())
        trusting = ff.compile_json_schema(schema.schema, cl100k)
        for instance in schema.instances[:2]:
            matchers = [trusting.matcher(), searching.matcher()]
            for token in cl100k.encode(spaced(instance.data)):
                for index, matcher in enumerate(matchers):
                    matcher.fill_bitmask(bitmask, index)
                masks += 1
                assert (bitmask[0] == bitmask[1]).all(), schema.id
                accepted = [matcher.accept_token(token) for matcher in matchers]
                assert accepted[0] == accepted[1]
                if not accepted[0]:
                    break
    covered(f"{masks} masks are the same with and without a search for completions")


GRAMMARS: dict[str, tuple[str, list[str]]] = {
    "arithmetic": (
        'start: sum\nsum: product (("+" | "-") product)*\nproduct: atom (("*" | "/") atom)*\n'
        'atom: NUMBER | NAME | "(" sum ")"\nNUMBER: /[0-9]+(\\.[0-9]+)?/\nNAME: /[a-z_]+/\n%ignore /[ \\t\\n]+/',
        ["", "1", "1 + ", "(foo *", "12.", "a_b\n", "((1) "],
    ),
    "quoted text or code": (
        'start: (STRING | COMMENT | WORD | ";")+\n'
        'STRING: /"([^"\\\\]|\\\\.)*"/\nCOMMENT[lazy]: /\\/\\*(.|\\n)*\\*\\//\n'
        "WORD: /[\\p{L}\\p{N}_]+/\n%ignore / +/",
        ["", '"', '"abc\\', "/*", "/* a *", "w", "wörd ", "/**/;"],
    ),
    "characters of many bytes": (
        'start: WORD ("，" WORD)*\nWORD: /[一-鿿]{1,4}|[а-яё]+/',
        ["", "中", "中文，", "при", "中文中文"],
    ),
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_masks_of_grammars(cl100k: ff.Tokenizer, tree: ByteTree, name: str) -> None:
    lark, prefixes = GRAMMARS[name]
    grammar = ff.compile_lark(lark, cl100k)
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    for prefix in prefixes:
        matcher = grammar.matcher()
        assert matcher.accept_bytes(prefix.encode()) == len(prefix.encode())
        _compare(matcher, bitmask, tree, cl100k, repr(prefix))


def test_mask_inside_a_character(cl100k: ff.Tokenizer, tree: ByteTree) -> None:
    grammar = ff.compile_regex("[一-鿿]+|é+", cl100k)
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    for prefix in (b"\xe4", b"\xe4\xb8", "中".encode() + b"\xe6", b"\xc3", b"\xc3\xa9\xc3"):
        matcher = grammar.matcher()
        assert matcher.accept_bytes(prefix) == len(prefix)
        _compare(matcher, bitmask, tree, cl100k, repr(prefix))


def test_all_and_nothing_left(cl100k: ff.Tokenizer, tree: ByteTree) -> None:
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    anything = ff.compile_regex("(?s).*", cl100k).matcher()
    _compare(anything, bitmask, tree, cl100k, "anything")
    done = ff.compile_choice(["yes"], cl100k).matcher()
    assert done.accept_bytes(b"yes") == 3
    done.fill_bitmask(bitmask)
    assert mask_of(bitmask[0]) == set(cl100k.eos_token_ids)
    assert done.accept_token(cl100k.eos_token_ids[0])
    done.fill_bitmask(bitmask)
    assert mask_of(bitmask[0]) == set()


def test_other_rows_of_a_batch_and_padding(cl100k: ff.Tokenizer) -> None:
    """A model's vocabulary may be larger: the surplus is never allowed, and other rows stay as they are."""
    matcher = ff.compile_regex("[a-z]+", cl100k).matcher()
    narrow = ff.allocate_bitmask(1, cl100k.vocab_size)
    wide = ff.allocate_bitmask(3, cl100k.vocab_size + 1000)
    matcher.fill_bitmask(narrow)
    matcher.fill_bitmask(wide, 1)
    words = narrow.shape[1]
    assert (wide[1, :words] == narrow[0]).all()
    assert not wide[1, words:].any()
    assert (wide[[0, 2]] == -1).all()
