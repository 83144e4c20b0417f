"""Random compositions on small vocabularies."""

from __future__ import annotations

import random

import ffgrammar as ff

__all__ = ["Parts", "vocabulary"]

ALPHABET = b"ab1 "
SCHEMAS = [
    {"type": "integer"},
    {"enum": [1, 11, "a"]},
    {"type": "array", "items": {"enum": [1, 11]}},
    {"enum": ["a", "ab"]},
]
NAMES = ("<|x|>", "<|y|>")
LARKS = [
    'start: A B?\nA: /a+/\nB: "b" | "ab"',
    'start: W+\nW: /[ab]+/\n%ignore " "',
    'start: "a" start "b" | "1"',
    'start: (A|B)*\nA: "a" | "ab"\nB: /b1?/',
    "start: A\nA[lazy]: /a+b?/",
    'start: start start | "a" | "ab"',
    'start: x "1"?\nx: | A x\nA: /a/ | /ab/\n%ignore / +/',
    'start: "a" "b" "bb"? | "b" X\nX: /b+a?/',
    'start: "a"? "1" "aa"? start | "b"',
    'start: A "b" | "a" <|x|>? A\nA: /a+/\n%ignore " "',
]
STOPS: list[tuple[str, ...]] = [(), ("1",), ("ab",), ("b", "aa"), ("b", "aa"), ("ab1", "b1a"), ("a", "ba", "1b")]
PATTERNS = ["a+", "(ab)*", "a?b?1?", "[ab]{2,3}", "1|11|111a"]


def vocabulary(rng: random.Random) -> ff.Tokenizer:
    tokens = [bytes([byte]) for byte in ALPHABET + b'["],\xc3\xa9']
    for _ in range(30):
        tokens.append(bytes(rng.choice(ALPHABET) for _ in range(rng.randint(2, 5))))
    tokens = list(dict.fromkeys(tokens))
    count = len(tokens)
    names = ("<|end|>", "<|x|>", "<|y|>")
    return ff.Tokenizer.from_tokens(
        tokens + [b""] * 3, eos_token_id=count, special_tokens={name: count + i for i, name in enumerate(names)}
    )


class Parts:
    """Random parts, and the grammars in them.

    Args:
        rng: where the random numbers come from.
        tokenizer: the vocabulary.
        captured: how many parts of a hundred get a name.
    """

    def __init__(self, rng: random.Random, tokenizer: ff.Tokenizer, captured: int = 0) -> None:
        self.captured = captured
        self.rng = rng
        self.tokenizer = tokenizer
        self.grammars: list[ff.Grammar] = []

    def grammar(self, made: ff.Grammar) -> ff.Grammar:
        self.grammars.append(made)
        return made

    def leaf(self) -> object:
        rng, tok = self.rng, self.tokenizer
        kind = rng.randrange(8)
        if kind == 0:
            return self.grammar(
                ff.compile_json_schema(rng.choice(SCHEMAS), tok, whitespace=rng.choice(["compact", "flexible", 1]))
            )
        if kind in (1, 2):
            return self.grammar(ff.compile_lark(rng.choice(LARKS), tok, lexing=rng.choice(["longest", "any"])))
        if kind == 3:
            return self.grammar(ff.compile_regex(rng.choice(PATTERNS), tok))
        if kind == 4:
            return self.text()
        if kind == 5:
            return ff.special_token(*[tok.special_tokens[name] for name in NAMES[: rng.randint(1, 2)]])
        return "".join(rng.choice("ab1 ") for _ in range(rng.randint(0, 3)))

    def text(self) -> ff.Part:
        """A free text. Several often have the same stops."""
        rng = self.rng
        stops = list(rng.choice(STOPS))
        ends = [one for one in stops if rng.random() < 0.5]
        # (what is in an end cannot be excluded)
        others = [one for one in stops if not any(one in end for end in ends)]
        return ff.text(
            until=ends or None,
            excluding=others or None,
            max_chars=rng.randint(0, 3) if rng.random() < 0.2 else None,
        )

    def part(self, depth: int) -> object:
        made = self.unnamed(depth)
        if self.captured and self.rng.randrange(100) < self.captured:
            return ff.capture(self.rng.choice("pqr"), made)
        return made

    def unnamed(self, depth: int) -> object:
        rng = self.rng
        kind = rng.randrange(6) if depth else 5
        if kind in (0, 1):
            return ff.sequence(*[self.part(depth - 1) for _ in range(rng.randint(1, 3))])
        if kind == 2:
            return ff.choice_of(*[self.part(depth - 1) for _ in range(rng.randint(1, 3))])
        if kind == 3:
            return ff.optional(self.part(depth - 1))
        if kind == 4:
            least = rng.randint(0, 2)
            return ff.repeat(self.part(depth - 1), least, rng.choice([None, least, least + 1]))
        return self.leaf()
