"""Special tokens, EOS ids and the size of a vocabulary: what a caller or a file says of them, checked.

A special token is an id with a name and no bytes: no text contains it. An id that ends a text is always special. If it
has no name, it gets one here. All checks raise TokenizerErrors that say what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from ffgrammar.core.errors import TokenizerError

__all__ = [
    "EosIds",
    "Special",
    "SpecialNames",
    "add_eos_names",
    "check_eos",
    "check_id",
    "check_no_text",
    "check_special_tokens",
    "check_vocab_size",
    "default_eos",
    "unknown_eos",
]

EosIds = int | Iterable[int] | None

# What the names of tokens that end a text, or a turn, have in them; and how many such names an error tells.
LIKELY_EOS = re.compile(r"(?i)</s>|eos|eot|eom|end|stop|\[sep\]")
MAX_NAMED = 8

# How the name of a special token in a text is read: as ordinary text, or as that token.
Special = Literal["text", "allow"]


class SpecialNames:
    """Finds the names of special tokens in texts. If several names begin at one place, the longest counts.

    Args:
        special_tokens: id by name.
    """

    def __init__(self, special_tokens: Mapping[str, int]) -> None:
        names = sorted(special_tokens, key=len, reverse=True)
        self._ids: dict[str | bytes, int] = {}
        for name, number in special_tokens.items():
            self._ids[name] = self._ids[name.encode("utf-8", "surrogatepass")] = number
        pattern = "|".join(map(re.escape, names)) or "(?!)"
        self._text = re.compile(pattern)
        self._bytes = re.compile(pattern.encode("utf-8", "surrogatepass"))

    def first(self, text: str | bytes) -> str | None:
        """The first name in a text; None if there is none."""
        found = self._text.search(text) if isinstance(text, str) else self._bytes.search(text)
        if found is None:
            return None
        return found[0] if isinstance(found[0], str) else found[0].decode("utf-8", "surrogatepass")

    def split(self, text: str | bytes) -> list[tuple[str | bytes, int | None]]:
        """For each name in a text, a pair (the text between the name before it and this name, the id of this name). The
        last pair is (the rest of the text, None)."""
        parts: list[tuple[str | bytes, int | None]] = []
        at = 0
        for found in self._text.finditer(text) if isinstance(text, str) else self._bytes.finditer(text):
            parts.append((text[at : found.start()], self._ids[found[0]]))
            at = found.end()
        return [*parts, (text[at:], None)]


def check_vocab_size(vocab_size: int | None, needed: int) -> int:
    """`vocab_size`, or `needed` if it is None. Raises TokenizerError if it is less than `needed`, or no int."""
    if vocab_size is None:
        return needed
    if not isinstance(vocab_size, int) or isinstance(vocab_size, bool):
        raise TokenizerError(f"vocab_size must be an int, not {type(vocab_size).__name__}")
    if vocab_size < needed:
        raise TokenizerError(f"vocab_size is {vocab_size}, but the tokenizer has ids up to {needed - 1}")
    return vocab_size


def check_id(number: Any, what: str) -> int:
    """An id as int. Raises TokenizerError if it is not an int or is negative; the message begins with `what`."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TokenizerError(f"{what}: expected an int, not {type(number).__name__}")
    index: int = number.__index__()
    if index < 0:
        raise TokenizerError(f"{what}: id {index} is negative")
    return index


def check_special_tokens(special_tokens: dict[str, int]) -> None:
    """Checks special tokens, and makes ints of their ids in place. Raises TokenizerError if a name is empty or not a
    str, an id is negative or not an int, or an id has two names."""
    names: dict[int, str] = {}
    for text, number in special_tokens.items():
        if not isinstance(text, str) or not text:
            raise TokenizerError(f"special token {text!r}: a name must be a string that is not empty")
        number = check_id(number, f"special token {text!r}")
        if number in names:
            raise TokenizerError(f"special tokens {names[number]!r} and {text!r} have the same id {number}")
        names[number] = text
        special_tokens[text] = number


def check_eos(eos_token_ids: EosIds, vocab_size: int) -> tuple[int, ...]:
    """The EOS ids as a tuple without repeats. Raises TokenizerError if one is not an int or out of range."""
    if eos_token_ids is None:
        listed: list[Any] = []
    elif isinstance(eos_token_ids, Iterable):
        listed = list(eos_token_ids)
    else:
        listed = [eos_token_ids]
    found: dict[int, None] = {}
    for item in listed:
        number = check_id(item, "eos_token_ids")
        if number >= vocab_size:
            raise TokenizerError(f"eos_token_ids: {number} is out of range: ids are below {vocab_size}")
        found[number] = None
    return tuple(found)


def check_no_text(eos: Iterable[int], token_bytes: Callable[[int], bytes | None], name: str) -> None:
    """Raises TokenizerError if an EOS id is a token of ordinary text."""
    for number in eos:
        text = token_bytes(number)
        if text:
            raise TokenizerError(f"eos_token_ids: {number} is an ordinary token of {name}: {text!r}")


def add_eos_names(special_tokens: dict[str, int], eos: tuple[int, ...], tokens: Sequence[bytes | None]) -> None:
    """Makes special tokens of the EOS ids that are not special yet, named by their bytes where they have some."""
    known = set(special_tokens.values())
    for number in eos:
        if number in known:
            continue
        text = tokens[number] if number < len(tokens) else None
        name = text.decode("utf-8", "replace") if isinstance(text, bytes) else ""
        name = name or f"<|eos_{number}|>"
        while name in special_tokens:
            name = f"{name}#{number}"
        special_tokens[name] = number


def unknown_eos(place: str, special_tokens: Mapping[str, int]) -> TokenizerError:
    """The error for a tokenizer that does not say which token ends a text. It names special tokens that may be the
    one: those whose names say so, or any."""
    likely = [text for text in special_tokens if LIKELY_EOS.search(text)] or list(special_tokens)
    named = ", ".join(f"{text!r} ({special_tokens[text]})" for text in likely[:MAX_NAMED])
    more = "" if len(likely) <= MAX_NAMED else f" and {len(likely) - MAX_NAMED} more"
    candidates = f" (candidates: {named}{more})" if named else ""
    return TokenizerError(f"{place}: which token ends a text is not known; give eos_token_ids={candidates}")


def default_eos(special_tokens: dict[str, int], names: tuple[str, ...], tokenizer: str) -> tuple[int, ...]:
    """The ids of those `names` that are special tokens. Raises TokenizerError if none is."""
    found = tuple(special_tokens[name] for name in names if name in special_tokens)
    if not found:
        raise unknown_eos(f"tokenizer {tokenizer!r}", special_tokens)
    return found
