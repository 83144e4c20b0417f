"""Random sentences of a grammar, derived from its productions: texts and special tokens, one for each lexeme."""

from __future__ import annotations

import functools
from random import Random
from typing import Any

__all__ = ["Derivations", "is_utf8", "mutated", "random_text"]

# The bytes that are tried first, and all others. (A text needs many of its own letters to be telling.)
LIKELY = [*b"abcxyz019_", *b" \n\"'\\/#.,;:=+-*()[]{}<>"]
BYTES = [*LIKELY, *(byte for byte in range(256) if byte not in LIKELY)]


class Derivations:
    """Derives random sentences.

    Args:
        grammar: the grammar. Its lexemes need not be told apart by the lexer, so a text may be none of its sentences.
        rng: what is random.
    """

    def __init__(self, grammar: Any, rng: Random) -> None:
        self.grammar = grammar
        self.rng = rng
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, body in grammar.productions:
            self.bodies.setdefault(head, []).append(body)
        self.depths = self._depths()

    def _depths(self) -> dict[int, int]:
        """By nonterminal, how deep its least derivation is."""
        depths: dict[int, int] = {}
        changed = True
        while changed:
            changed = False
            for head, bodies in self.bodies.items():
                for body in bodies:
                    inner = [depths.get(symbol >> 1) if symbol & 1 else 0 for symbol in body]
                    if None not in inner:
                        depth = 1 + max([one for one in inner if one is not None], default=0)
                        if depth < depths.get(head, 1 << 30):
                            depths[head] = depth
                            changed = True
        return depths

    def lexemes(self, most: int = 60) -> list[int]:
        """The numbers of the lexemes of a random sentence of about this length at most."""
        found: list[int] = []
        stack = [self.grammar.start]
        steps = 0
        while stack:
            symbol = stack.pop()
            if not symbol & 1:
                found.append(symbol >> 1)
                continue
            bodies = [body for body in self.bodies[symbol >> 1] if self._depth(body) is not None]
            steps += 1
            if steps > most or len(stack) > most:
                least = min(self._depth(body) or 0 for body in bodies)
                bodies = [body for body in bodies if self._depth(body) == least]
            stack.extend(reversed(self.rng.choice(bodies)))
        return found

    def _depth(self, body: tuple[int, ...]) -> int | None:
        inner = [self.depths.get(symbol >> 1) if symbol & 1 else 0 for symbol in body]
        return None if None in inner else max([one for one in inner if one is not None], default=0)

    def sentence(self, most: int = 60) -> list[bytes | int]:
        """A random sentence: the bytes of lexemes, and the ids of special tokens."""
        store = self.grammar.store
        found: list[bytes | int] = []
        for number in self.lexemes(most):
            lexeme = self.grammar.lexemes[number]
            found.append(self.rng.choice(lexeme.tokens) if lexeme.tokens else random_text(store, lexeme.expr, self.rng))
        return found


def random_text(store: Any, expr: int, rng: Random, length: int = 6) -> bytes:
    """A random text of an expression, mostly of about this length at most."""
    text = bytearray()
    for _ in range(rng.randint(0, length)):
        following = _next(store, expr)
        if not following:
            break
        likely = [one for one in following if one[0] in LIKELY]
        byte, expr = rng.choice(likely if likely and rng.random() < 0.95 else following)
        text.append(byte)
    return bytes(text) + _shortest(store, expr)


@functools.lru_cache(maxsize=20_000)
def _next(store: Any, expr: int) -> list[tuple[int, int]]:
    found = [(byte, store.derivative(expr, byte)) for byte in BYTES]
    return [(byte, after) for byte, after in found if not store.is_nothing(after)]


@functools.lru_cache(maxsize=20_000)
def _shortest(store: Any, expr: int) -> bytes:
    queue = [(expr, b"")]
    seen = {expr}
    for one, text in queue:
        if store.is_nullable(one):
            return text
        for byte, after in _next(store, one):
            if after not in seen:
                seen.add(after)
                queue.append((after, text + bytes([byte])))
    raise AssertionError("the expression matches nothing")


def mutated(text: bytes, rng: Random) -> bytes:
    """A text with one byte more, less or other."""
    at = rng.randint(0, len(text))
    new = bytes([rng.choice(text or b"a")]) if rng.random() < 0.7 else rng.choice([b"a", b" ", b"(", b"1", b"x"])
    return rng.choice([text[:at] + new + text[at:], text[:at] + text[at + 1 :], text[:at] + new + text[at + 1 :]])


def is_utf8(text: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
