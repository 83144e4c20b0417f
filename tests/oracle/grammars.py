"""Small random grammars that are hard on a lexer and a parser, and a toy vocabulary to run over them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from hypothesis import strategies as st

__all__ = ["ALPHABET", "LEXEMES", "SKIPS", "SPECIAL", "TOKENS", "Description", "build", "descriptions"]

ALPHABET = b"ab(,)x "

# One-byte tokens, so that every text has tokens; all pairs; longer ones that end in the middle of lexemes; two ids for
# the same bytes, and a token without bytes.
TOKENS: tuple[bytes, ...] = (
    *(bytes([byte]) for byte in ALPHABET),
    *(bytes(pair) for pair in product(ALPHABET, repeat=2)),
    *(bytes(triple) for triple in product(b"ab,", repeat=3)),
    b"(x)",
    b"(xx",
    b"x) ",
    b"aaaa",
    b"abab",
    b"ababab",
    b"a, a, ",
    b"  a  ",
    b"xxxxx",
    b"zz",
    b"ab",
    b"",
)

Lexeme = tuple[str, Callable[[Any], int], bool]


def _class(members: bytes, lo: int, hi: int | None) -> Callable[[Any], int]:
    return lambda s: s.repeat(s.byte_set(members), lo, hi)


def _no_bb(s: Any) -> int:
    any_text = s.repeat(s.byte_set(bytes(range(256))), 0, None)
    return s.intersect([_class(b"ab", 1, None)(s), s.complement(s.concat([any_text, s.literal(b"bb"), any_text]))])


# (what it is, expression in a store, lazy)
LEXEMES: tuple[Lexeme, ...] = (
    ("a", lambda s: s.literal(b"a"), False),
    ("b", lambda s: s.literal(b"b"), False),
    ("ab", lambda s: s.literal(b"ab"), False),
    ("(", lambda s: s.literal(b"("), False),
    (")", lambda s: s.literal(b")"), False),
    (",", lambda s: s.literal(b","), False),
    ("x", lambda s: s.literal(b"x"), False),
    ("a+", _class(b"a", 1, None), False),
    ("[ab]+", _class(b"ab", 1, None), False),
    ("[ab]*", _class(b"ab", 0, None), False),
    ("a*b", lambda s: s.concat([_class(b"a", 0, None)(s), s.literal(b"b")]), False),
    ("(ab)+", lambda s: s.repeat(s.literal(b"ab"), 1, None), False),
    ("a|aba", lambda s: s.union([s.literal(b"a"), s.literal(b"aba")]), False),
    ("x{2,4}", _class(b"x", 2, 4), False),
    ("no bb", _no_bb, False),
    ("x[^x]", lambda s: s.concat([s.literal(b"x"), s.byte_set(bytes(set(range(256)) - {0x78}))]), False),
    ("lazy [abx]*b", lambda s: s.concat([_class(b"abx", 0, None)(s), s.literal(b"b")]), True),
    ("lazy x+", _class(b"x", 1, None), True),
    ("lazy a(ba)?", lambda s: s.union([s.literal(b"a"), s.literal(b"aba")]), True),
    ("nothing", lambda s: s.union([]), False),
    ("empty", lambda s: s.literal(b""), False),
)
SKIPS: tuple[Lexeme, ...] = (
    (" +", _class(b" ", 1, None), False),
    (" ", lambda s: s.literal(b" "), False),
    ("(x*)", lambda s: s.concat([s.literal(b"("), _class(b"x", 0, None)(s), s.literal(b")")]), False),
    ("b", lambda s: s.literal(b"b"), False),
    ("[ab]+", _class(b"ab", 1, None), False),
)

# Lexemes that are special tokens, whose ids come after those of TOKENS. The last one is the end of text.
SPECIAL = tuple(
    tuple(len(TOKENS) + number for number in numbers) for numbers in ((0,), (1,), (0, 1), (1, 2), (0, 1, 2, 3), (3,))
)

# A description has the lexemes and the skips, by their places in the tables above (SPECIAL counts on from LEXEMES); for
# each nonterminal, its bodies; and whether single_skip is on. A symbol is ("t", i) for lexeme i, or ("n", i) for
# nonterminal i.
Symbol = tuple[str, int]
Description = tuple[list[int], list[int], list[list[list[Symbol]]], bool]


@st.composite
def descriptions(draw: st.DrawFn, simple: bool = False, special: bool = False) -> Description:
    """A grammar of up to four nonterminals. `simple`: lexemes are different single bytes, and there are no skips.
    `special`: some lexemes are special tokens."""
    pool = [0, 1, 3, 4, 5, 6] if simple else range(len(LEXEMES))
    lexemes = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=5, unique=True))
    if special:
        pool = range(len(LEXEMES), len(LEXEMES) + len(SPECIAL))
        lexemes += draw(st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True))
    skips = [] if simple else draw(st.lists(st.sampled_from(range(len(SKIPS))), max_size=2, unique=True))
    count = draw(st.integers(1, 4))
    symbol = st.one_of(
        st.tuples(st.just("t"), st.integers(0, len(lexemes) - 1)),
        st.tuples(st.just("n"), st.integers(0, count - 1)),
    )
    body = st.lists(symbol, max_size=4)
    rules = draw(st.lists(st.lists(body, min_size=1, max_size=3), min_size=count, max_size=count))
    # single_skip is drawn only with skips that no lexeme can spell: bytes that are a skip and a lexeme need two rows.
    return lexemes, skips, rules, set(skips) in ({0}, {1}) and draw(st.booleans())


def build(description: Description, store: Any, builder: Any) -> Any:
    """The grammar of a description, built by a GrammarBuilder on the store."""
    lexemes, skips, rules, single_skip = description
    count = len(LEXEMES)
    terminals = [
        builder.terminal(LEXEMES[i][1](store), LEXEMES[i][0], lazy=LEXEMES[i][2])
        if i < count
        else builder.special(SPECIAL[i - count], f"special {i - count}")
        for i in lexemes
    ]
    nonterminals = [builder.nonterminal(f"n{number}") for number in range(len(rules))]
    for nonterminal, bodies in zip(nonterminals, rules, strict=True):
        for body in bodies:
            builder.add(nonterminal, [terminals[i] if kind == "t" else nonterminals[i] for kind, i in body])
    for i in skips:
        builder.skip(SKIPS[i][1](store), SKIPS[i][0])
    return builder.finish(nonterminals[0], kind="test", single_skip=single_skip)
