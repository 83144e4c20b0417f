"""Parametric nonterminals: productions that depend on a set of bits and on counters, against plain Python."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.ir import ANY_COUNT, GrammarIR
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.lower.lowering import compile_regex


def keys_in_any_order(
    names: list[str], required: set[str], lowest: int, highest: int | None, delimited: bool
) -> GrammarIR:
    """`{a,b,x}`: each name at most once, x any number of times; in all, at least `lowest` and at most `highest`."""
    store = ExprStore()
    builder = GrammarBuilder(store)

    def text(literal: str) -> int:
        return builder.terminal(store.literal(literal.encode()), literal)

    need = sum(1 << names.index(name) for name in required)
    room = (0, None if highest is None else highest - 1)
    first = builder.parametric(len(names), "first")
    more = builder.parametric(len(names), "more")
    enough = (lowest, None)
    for lhs, comma in ((first, []), (more, [text(",")])):
        builder.add_template(lhs, [], need=need, counts=(enough, ANY_COUNT))
        for bit, name in enumerate(names):
            builder.add_template(lhs, [*comma, text(name)], more, bit=bit, counts=(room, ANY_COUNT), add=(1, 0))
        builder.add_template(lhs, [*comma, text("x")], more, counts=(room, ANY_COUNT), add=(1, 0))
    return builder.finish(builder.seq([text("{"), first, text("}")]), delimited=delimited)


def sentences(names: list[str], required: set[str], lowest: int, highest: int | None, longest: int) -> Iterator[str]:
    for length in range(longest + 1):
        for keys in product([*names, "x"], repeat=length):
            known = [key for key in keys if key != "x"]
            if len(set(known)) == len(known) and required <= set(known) and lowest <= length:
                if highest is None or length <= highest:
                    yield "{" + ",".join(keys) + "}"


@pytest.mark.parametrize("delimited", [True, False], ids=["delimited", "checked"])
@pytest.mark.parametrize(
    ("names", "required", "lowest", "highest"),
    [
        (["a", "b", "c"], set(), 0, None),
        (["a", "b", "c"], {"a", "c"}, 0, None),
        (["a", "b", "c"], {"b"}, 2, 3),
        (["a", "ab", "abc"], {"ab"}, 0, 4),
        ([], set(), 1, 2),
    ],
)
def test_bits_and_counters(
    cl100k: ff.Tokenizer, names: list[str], required: set[str], lowest: int, highest: int | None, delimited: bool
) -> None:
    grammar = Grammar(keys_in_any_order(names, required, lowest, highest, delimited), cl100k, Limits())
    valid = set(sentences(names, required, lowest, highest, 4))
    for length in range(5):
        for keys in product([*names, "x"], repeat=length):
            text = "{" + ",".join(keys) + "}"
            matcher = grammar.matcher()
            accepted = matcher.accept_bytes(text.encode()) == len(text) and matcher.is_accepting()
            assert accepted == (text in valid), text


@pytest.mark.parametrize("cache_bytes", [Limits().cache_bytes, 1_500_000], ids=["kept", "dropped"])
def test_256_keys_in_any_order(cl100k: ff.Tokenizer, cache_bytes: int) -> None:
    names = [f"k{number:03}" for number in range(256)]
    ir = keys_in_any_order(names, set(names), 0, None, True)
    grammar = Grammar(ir, cl100k, Limits(cache_bytes=cache_bytes))
    chance = random.Random(1)
    for _ in range(2):
        chance.shuffle(names)
        text = ("{" + ",".join(names) + "}").encode()
        matcher = grammar.matcher()
        assert matcher.accept_bytes(text) == len(text)
        assert matcher.is_accepting()
        matcher = grammar.matcher()
        assert matcher.accept_bytes(("{" + ",".join(names[:100])).encode()) == 5 * 100
        assert matcher.accept_bytes(f",{names[7]}".encode()) < 5
        matcher.reset()
        assert matcher.accept_bytes(("{" + ",".join(names[:255]) + "}").encode()) == 5 * 255
    assert (grammar.stats()["cache_drops"] > 0) == (cache_bytes == 1_500_000)


def test_masks_along_every_order(cl100k: ff.Tokenizer) -> None:
    grammar = Grammar(keys_in_any_order(["a", "b", "c"], {"b"}, 0, 3, True), cl100k, Limits())
    fresh = keys_in_any_order(["a", "b", "c"], {"b"}, 0, 3, False)
    for keys in permutations("abc"):
        matcher = grammar.matcher()
        other = Grammar(fresh, cl100k, Limits()).matcher() if keys == ("a", "b", "c") else None
        for byte in ("{" + ",".join(keys) + "}").encode():
            if other is not None:
                assert matcher.allowed_token_ids().tolist() == other.allowed_token_ids().tolist()
                assert other.accept_bytes(bytes([byte])) == 1
            assert matcher.accept_bytes(bytes([byte])) == 1
        assert matcher.is_accepting()


def test_bits_that_are_set_and_settled(cl100k: ff.Tokenizer) -> None:
    """Random templates against what `Template` says of them, with bits in several words."""
    for seed in range(60):
        chance = random.Random(seed)
        store = ExprStore()
        builder = GrammarBuilder(store)
        words = chance.choice([1, 2])
        places = [*range(3), *range(32 * words - 2, 32 * words)]

        def some(chance: random.Random = chance, places: list[int] = places, words: int = words) -> int:
            chosen = chance.sample(places, chance.randrange(3))
            return sum(1 << place + 32 * words * chance.randrange(2) for place in chosen)

        first = builder.parametric(64 * words, "first")
        low = (1 << 32 * words) - 1
        for letter in "abcde":
            symbol = builder.terminal(store.literal(letter.encode()), letter)
            bit = chance.choice([None, *places])
            conditions: Any = {"need": some() if chance.random() < 0.3 else 0, "settled": (some() & low, 32 * words)}
            builder.add_template(first, [symbol], first, bit=bit, sets=some(), **conditions)
        builder.add_template(first, [], need=some() if chance.random() < 0.3 else 0, settled=(some() & low, 32 * words))
        ir = builder.finish(builder.seq([builder.terminal(store.literal(b"<")), first]), delimited=True)
        ends = [one for one in ir.templates if one.again is None]
        by_letter = dict(zip("abcde", [one for one in ir.templates if one.again is not None], strict=True))

        def holds(text: str, by_letter: Any = by_letter, ends: Any = ends) -> bool:
            bits = 0
            for letter in text:
                if not by_letter[letter].holds(bits, (0, 0)):
                    return False
                bits = by_letter[letter].bits_after(bits)
            return any(one.holds(bits, (0, 0)) for one in ends)

        texts = ["".join(letters) for length in range(5) for letters in product("abcde", repeat=length)]
        try:
            grammar = Grammar(ir, cl100k, Limits())
        except ff.GrammarError:
            assert not any(map(holds, texts))
            continue
        for text in texts:
            matcher = grammar.matcher()
            whole = ("<" + text).encode()
            accepted = matcher.accept_bytes(whole) == len(whole) and matcher.is_accepting()
            assert accepted == holds(text), (seed, text)


def words_that_cover(patterns: list[str], least: int, delimited: bool) -> GrammarIR:
    """`[ab,c]`: words, so that each pattern matches a word, and there are at least `least`."""
    store = ExprStore()
    builder = GrammarBuilder(store)

    def text(literal: str) -> int:
        return builder.terminal(store.literal(literal.encode()), literal)

    bits = (1 << len(patterns)) - 1
    first = builder.parametric(len(patterns), "first", joined=True)
    more = builder.parametric(len(patterns), "more", joined=True)
    word = builder.terminal(compile_regex(store, "[a-c]{1,3}"), "word")
    for lhs, before in ((first, text("[")), (more, text(","))):
        builder.add_template(lhs, [before, word], more, add=(1, 0))
        for bit, pattern in enumerate(patterns):
            builder.add_template(
                lhs, [before, builder.terminal(compile_regex(store, pattern))], more, bit=bit, add=(1, 0)
            )
    builder.add_template(more, [text("]")], need=bits, counts=((least, None), ANY_COUNT))
    return builder.finish(first, delimited=delimited)


@pytest.mark.parametrize("delimited", [True, False], ids=["delimited", "checked"])
@pytest.mark.parametrize(
    "patterns", [["a", "b"], ["[ab]*a[ab]*", "b+"], ["a[bc]?", "[ac]?b", "[abc]{2}", "c{2}"], ["a|b"] * 2]
)
def test_joined_bits(cl100k: ff.Tokenizer, patterns: list[str], delimited: bool) -> None:
    grammar = Grammar(words_that_cover(patterns, 2, delimited), cl100k, Limits())
    words = ["".join(letters) for length in (1, 2, 3) for letters in product("abc", repeat=length)]
    random_words = random.Random(len(patterns))
    bitmask = ff.allocate_bitmask(1, cl100k.vocab_size)
    for _ in range(300):
        chosen = [random_words.choice(words) for _ in range(random_words.randrange(1, 5))]
        covered = all([any([re.fullmatch(pattern, word) for word in chosen]) for pattern in patterns])
        text = f"[{','.join(chosen)}]".encode()
        matcher = grammar.matcher()
        assert matcher.accept_bytes(text[:-1]) == len(text) - 1
        matcher.fill_bitmask(bitmask)
        ending = cl100k.encode("]")[0]
        assert (bitmask[0, ending >> 5] >> (ending & 31) & 1) == (covered and len(chosen) >= 2), (text, patterns)
        fork = matcher.fork()
        assert fork.accept_bytes(b",a,b,ab,cc]") == 11 and fork.is_accepting()
        assert (matcher.accept_bytes(b"]") == 1 and matcher.is_accepting()) == (covered and len(chosen) >= 2)
