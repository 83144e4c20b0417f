"""What a BPE model of a tokenizer.json works on: GPT-2's letters for bytes, or characters.

One character may stand for the space. Models for which this cannot be known exactly are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.records import Record
from ffgrammar.tokens.loaders.name_table import NameTable
from ffgrammar.tokens.vocabulary.packed_tokens import PackedTokens

__all__ = ["RARE", "Units", "byte_alphabet", "bytes_of_letters", "read_units"]

# The bytes that occur in UTF-8
USED_BYTES = [value for value in range(256) if value not in (0xC0, 0xC1) and value < 0xF5]
# Control characters, and the first bytes of characters from U+40000 on. A pattern that does not name such a character
# treats it like some character that does have tokens. So a text with that other character has the same pre-tokens, and
# what may follow a token sequence is the same without tokens for these bytes. RARE matches in the patterns and added
# tokens that name such a character. (It is seldom needed, and to compile it takes half a millisecond.)
RARE_BYTES = [*range(0x09), *range(0x0B, 0x0D), *range(0x0E, 0x20), 0x7F, *range(0xF1, 0x100)]
RARE = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\U00040000-\U0010ffff]|\\[vf]"


class Units(Record):
    """What a model works on: bytes written as letters, or characters. With letters `byte_tokens` and `space` are None.
    With characters nothing is `missing`."""

    byte_tokens: list[int | None] | None
    space: str | None
    secondary: set[int]
    missing: frozenset[int] = frozenset()


def read_units(
    model: Mapping[str, Any],
    steps: Mapping[str, list[dict[str, Any]]],
    tokens: Sequence[bytes | None],
    byte_level: bool,
) -> Units:
    vocabulary: Mapping[str, int] = model["vocab"]
    if byte_level:
        return Units(None, None, *_check_letters(vocabulary, tokens, steps))
    space = _space(steps)
    byte_tokens = [vocabulary.get(f"<0x{value:02X}>") for value in range(256)]
    secondary = _check_characters(vocabulary, tokens, byte_tokens, space)
    if not model.get("byte_fallback"):
        raise TokenizerError("the model has no tokens for some characters")
    if any(step["type"] == "ByteLevel" for step in steps["pre_tokenizer"]):
        raise TokenizerError("the pre-tokenizer works on bytes, and the model does not")
    return Units(byte_tokens, space, secondary)


def bytes_of_letters(name: str) -> bytes | None:
    letters = byte_alphabet()
    return bytes([letters[one] for one in name]) if all(one in letters for one in name) else None


@cache
def byte_alphabet() -> Mapping[str, int]:
    """GPT-2's characters for the 256 bytes: printable Latin-1 stands for itself, the others are U+0100 and up."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [value for value in range(256) if value not in plain]
    return {chr(value): value for value in plain} | {chr(256 + k): value for k, value in enumerate(others)}


def _check_letters(
    vocabulary: Mapping[str, int], tokens: Sequence[bytes | None], steps: Mapping[str, list[dict[str, Any]]]
) -> tuple[set[int], frozenset[int]]:
    """Checks that the model works on letters. Returns two sets: the tokens that it cannot make, because their names
    have other characters; and the bytes that are no token."""
    before = steps["pre_tokenizer"]
    if steps["normalizer"] or not before or before[-1]["type"] != "ByteLevel":
        raise TokenizerError("the text is normalized, or its bytes do not become letters")
    letters = byte_alphabet()
    missing = set()
    for letter, value in letters.items():
        number = vocabulary.get(letter)
        if value in RARE_BYTES and number is None:
            missing.add(value)
        elif value in USED_BYTES and (number is None or tokens[number] != bytes([value])):
            raise TokenizerError(f"the byte {value:#04x} is no token")
    if isinstance(vocabulary, NameTable):
        unmade = {number for number in vocabulary.not_in_letters() if tokens[number]}
    else:
        others = re.compile("[^" + re.escape("".join(letters)) + "]")
        unmade = {number for name, number in vocabulary.items() if tokens[number] and others.search(name)}
    return unmade, frozenset(missing)


def _check_characters(
    vocabulary: Mapping[str, int],
    tokens: Sequence[bytes | None],
    byte_tokens: Sequence[int | None],
    space: str | None,
) -> set[int]:
    """Checks that the model works on characters. Returns the tokens that it never makes, or makes only if no other
    token has these bytes."""
    for value in USED_BYTES:
        number = byte_tokens[value]
        if number is None and (value >= 0x80 or chr(value) not in vocabulary):
            raise TokenizerError(f"the byte {value:#04x} is no token")
        if number is not None and tokens[number] != bytes([value]):
            raise TokenizerError(f"the token of the byte {value:#04x} is special")
    if space is not None and space not in vocabulary:
        raise TokenizerError("the space is no token")
    secondary = {number for number in byte_tokens if number is not None}
    if isinstance(vocabulary, NameTable) and isinstance(tokens, PackedTokens):
        suspects, spaced = vocabulary.of_one_byte(tokens), vocabulary.with_space()
    else:
        suspects = [(name, number) for name, number in vocabulary.items() if len(name) == 6]
        spaced = {number for name, number in vocabulary.items() if " " in name}
    for name, number in suspects:
        if len(tokens[number] or b"") == 1 and number not in secondary:
            raise TokenizerError(f"{name!r} is another token for a byte")
    return secondary if space is None else secondary | spaced


def _space(steps: Mapping[str, list[dict[str, Any]]]) -> str | None:
    """The character that stands for the space, if there is one. Checks that the decoder makes a space of this
    character, and of nothing else."""
    normalizers, before = steps["normalizer"], steps["pre_tokenizer"]
    found: list[str] = []
    for step in normalizers:
        if step["type"] != "Replace" or step["pattern"] != {"String": " "}:
            raise TokenizerError(f"normalizer {step['type']} is not read here")
        found.append(step["content"])
    found += [step.get("replacement", "\u2581") for step in before if step["type"] == "Metaspace"]
    back = []
    for step in steps["decoder"] or before:
        if step["type"] == "Metaspace":
            back.append((step.get("replacement", "\u2581"), " "))
        elif step["type"] == "Replace":
            back.append((step["pattern"].get("String"), step["content"]))
    if set(back) != {(one, " ") for one in found} or len(set(found)) > 1 or any(len(one) != 1 for one in found):
        raise TokenizerError("what stands for the space, by the normalizer and by the decoder, is not one character")
    return found[0] if found else None
