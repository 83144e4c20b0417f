"""Quotations in Lark grammars (`%regex {"substring_words": ...}`), beside all runs of chunks."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import ffgrammar as ff
from ffgrammar.grammar import lark
from ffgrammar.regex.expr.store import ExprStore


def expression(chunks: list[str]) -> tuple[ExprStore, int]:
    limits = ff.Limits()
    store = ExprStore(limits)
    grammar = lark.build(f"start: Q\nQ: %regex {json.dumps({'substring_chunks': chunks})}", store, limits)
    (lexeme,) = grammar.lexemes
    return store, lexeme.expr


def runs(chunks: list[str]) -> set[str]:
    ends = range(len(chunks) + 1)
    return {"".join(chunks[first:end]) for first, end in itertools.combinations_with_replacement(ends, 2)}


def test_the_pieces_are_the_runs_of_chunks() -> None:
    rng = random.Random(7)
    for _ in range(300):
        words = ["".join(rng.choice("ab") for _ in range(rng.randint(0, 3))) for _ in range(3)]
        chunks = [rng.choice(words) for _ in range(rng.randint(0, 7))]
        store, expr = expression(chunks)
        expected = runs(chunks)
        for length in range(6):
            for letters in itertools.product("ab", repeat=length):
                text = "".join(letters)
                assert store.matches(expr, text.encode()) == (text in expected), (chunks, text)
        for text in expected:
            assert store.matches(expr, text.encode()), (chunks, text)


def test_the_expression_grows_linearly() -> None:
    rng = random.Random(1)
    sizes = []
    for count in (1000, 4000):
        store, _ = expression([rng.choice("abcd") for _ in range(count)])
        sizes.append(len(store))
    assert sizes[1] < 5 * sizes[0]


def test_words_and_characters(cl100k: Any) -> None:
    def accepts(grammar: Any, text: str) -> bool:
        matcher = grammar.matcher()
        data = text.encode()
        return bool(matcher.accept_bytes(data) == len(data) and matcher.is_accepting())

    source = json.dumps("The quick  fox's naïve\tend...")
    words = ff.compile_lark(f'start: "<" %regex {{"substring_words": {source}}} ">"', cl100k)
    for piece in ("", "The", "quick  fox", " quick", "'s naïve\tend", "...", "The quick  fox's naïve\tend..."):
        assert accepts(words, f"<{piece}>"), piece
    for piece in ("Th", "quick ", "na", "end.", "fox The"):
        assert not accepts(words, f"<{piece}>"), piece
    chars = ff.compile_lark('start: "<" Q ">"\nQ: %regex {"substring_chars": "naïve}"} "!"?', cl100k)
    for piece in ("", "!", "aïv", "e}!"):
        assert accepts(chars, f"<{piece}>"), piece
    for piece in ("nï", "!a"):
        assert not accepts(chars, f"<{piece}>"), piece
    assert not accepts(chars, "<\xc3>")
