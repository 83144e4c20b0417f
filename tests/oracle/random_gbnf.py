"""Random grammars over characters, in the notation that GBNF and EBNF share, with recursion of every kind."""

from __future__ import annotations

from random import Random

import ffgrammar as ff
from sentences import writing_all

__all__ = ["mutated", "random_gbnf", "vocabulary"]

ALPHABET = "ab1 éà"
ATOMS = ['"a"', '"b"', '"ab"', '"b1"', '"1"', '""', '" "', '"é"', '"aà"', "[ab]", "[^a]", "[a-b1]", "[é-ü]", "[^éb]"]
REPEATS = ["", "", "", "", "", "?", "*", "+", "{2}", "{0,2}", "{1,}", "{1,3}"]


def random_gbnf(rng: Random, tokens: tuple[str, ...] = ()) -> str:
    """A grammar of at most five rules. `tokens` are names of special tokens, or any number of tokens but one."""
    atoms = [*ATOMS, *tokens]
    names = ["root", *(f"r{number}" for number in range(rng.randint(0, 4)))]

    def atom(depth: int) -> str:
        kind = rng.random()
        if kind < 0.55:
            found = rng.choice(atoms)
            if found.startswith("!"):
                return found
        elif kind < 0.85 or depth == 0:
            found = rng.choice(names)
        else:
            found = f"({body(depth - 1)})"
        return found + rng.choice(REPEATS)

    def body(depth: int) -> str:
        ways = [" ".join(atom(depth) for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 3))]
        return " | ".join(ways)

    return "\n".join(f"{name} ::= {body(2)}" for name in names)


def vocabulary(rng: Random, special: tuple[str, ...] = ()) -> ff.Tokenizer:
    """A few tokens, among them all single bytes of the alphabet."""
    tokens = [bytes([byte]) for byte in sorted(set(ALPHABET.encode()))]
    for _ in range(25):
        tokens.append("".join(rng.choice(ALPHABET) for _ in range(rng.randint(2, 4))).encode())
    tokens += [b"\xa9a", b"b\xc3", b"\xe2\x82", b"\xa0\xa0"]
    tokens = list(dict.fromkeys(tokens))
    names = {name: len(tokens) + number for number, name in enumerate(("<end>", *special))}
    made = [*tokens, *[b""] * len(names)]
    return writing_all(ff.Tokenizer.from_tokens(made, eos_token_id=names["<end>"], special_tokens=names))


def mutated(rng: Random, text: str, alphabet: str) -> str:
    """A text with some characters left out, put in, doubled or moved."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        kind = rng.random()
        if kind < 0.35:
            text = text[:at] + text[at + rng.randint(1, 2) :]
        elif kind < 0.7:
            text = text[:at] + rng.choice(alphabet) + text[at:]
        elif kind < 0.85:
            text = text[:at] + text[at : at + 3] + text[at:]
        else:
            to = rng.randint(0, len(text))
            text = text[:at] + text[to : to + 4] + text[at + 1 :]
    return text
