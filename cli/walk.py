"""Moves a matcher along a text, and says where and why the text leaves the grammar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .show import RED, bytes_as_json, complain, counted, emphasis, quote, write_json

if TYPE_CHECKING:
    from ffgrammar import Matcher, Tokenizer

    from .options import Prefix

__all__ = [
    "KEY_ORDER_ADVICE",
    "Allowed",
    "Rejection",
    "advance",
    "allowed_at",
    "allowed_bytes",
    "allowed_special_tokens",
    "feed_bytes",
    "feed_tokens",
    "rejection",
    "report_rejection",
]

MAX_RANGES = 12
# What is said of a text that would be accepted if its keys might stand in any order.
KEY_ORDER_ADVICE = "only the order of its keys is wrong: --property-order any allows every order"


@dataclass(frozen=True)
class Allowed:
    """What may come next: the bytes that must, the bytes that may, whether the text may end, and the names of the
    special tokens that a rule of the grammar asks for."""

    forced: bytes
    next_bytes: bytes
    end: bool
    special: tuple[str, ...] = ()

    def ranges(self) -> list[tuple[int, int]]:
        """The next bytes as inclusive ranges."""
        found: list[tuple[int, int]] = []
        for byte in self.next_bytes:
            if found and found[-1][1] == byte - 1:
                found[-1] = (found[-1][0], byte)
            else:
                found.append((byte, byte))
        return found

    def describe(self) -> str:
        """A phrase for people: several forced bytes, or else the next bytes."""
        parts = []
        if len(self.forced) > 1:
            parts.append(quote(self.forced))
        else:
            ranges = self.ranges()
            parts += [_range_name(low, high) for low, high in ranges[:MAX_RANGES]]
            if len(ranges) > MAX_RANGES:
                parts.append(counted(len(ranges) - MAX_RANGES, "more range") + " of bytes")
        parts += [f"the special token {name} (no text spells it)" for name in self.special[:MAX_RANGES]]
        if len(self.special) > MAX_RANGES:
            parts.append(counted(len(self.special) - MAX_RANGES, "more special token"))
        if self.end:
            parts.append("the end of the text")
        return ", ".join(parts) or "nothing"

    def as_json(self) -> dict[str, Any]:
        """A JSON object: forced bytes, inclusive ranges of next bytes, whether the text may end; and the names of
        special tokens, if any may come."""
        found = {"forced": bytes_as_json(self.forced), "next_bytes": self.ranges(), "end": self.end}
        return {**found, "special_tokens": list(self.special)} if self.special else found


@dataclass(frozen=True)
class Rejection:
    """Where a text leaves the grammar.

    Attributes:
        offset: in bytes.
        line, column: from 1; a column is a character.
        allowed: what may come there.
        at_end: whether the text is right so far, but ends too early.
        token: the index of the offending token, if the text was given as tokens.
        only_key_order: whether the text would be accepted if its keys might stand in any order.
    """

    offset: int
    line: int
    column: int
    allowed: Allowed
    at_end: bool = False
    token: int | None = None
    only_key_order: bool = False

    def describe(self, coloured: bool = True) -> str:
        """A phrase for people, with the verdict in colour at a terminal, unless the phrase is for a page."""
        token = f" (token {self.token})" if self.token is not None else ""
        verdict = "ends too early" if self.at_end else "rejected"
        verdict = emphasis(verdict, RED) if coloured else verdict
        advice = f"; {KEY_ORDER_ADVICE}" if self.only_key_order else ""
        return (
            f"{verdict} at byte {self.offset}{token}, line {self.line}, column {self.column}; "
            f"allowed there: {self.allowed.describe()}{advice}"
        )

    def as_json(self) -> dict[str, Any]:
        """A JSON object. It has a `token` if the text was given as tokens, and `only_key_order` if that holds."""
        found: dict[str, Any] = {"offset": self.offset, "line": self.line, "column": self.column}
        if self.token is not None:
            found["token"] = self.token
        if self.only_key_order:
            found["only_key_order"] = True
        return {**found, "at_end": self.at_end, "allowed": self.allowed.as_json()}


def _byte_name(byte: int) -> str:
    return quote(bytes([byte])) if byte < 128 else f"0x{byte:02x}"


def _range_name(low: int, high: int) -> str:
    return _byte_name(low) if low == high else f"{_byte_name(low)}-{_byte_name(high)}"


def allowed_bytes(matcher: Matcher) -> bytes:
    """Every byte that may come next, ascending. Each byte is tried, because a mask is about tokens and not bytes."""
    found = bytearray()
    for value in range(256):
        if matcher.accept_bytes(bytes((value,))):
            found.append(value)
            matcher.rollback(1)
    return bytes(found)


def allowed_special_tokens(matcher: Matcher, tokenizer: Tokenizer) -> tuple[str, ...]:
    """The names of the special tokens that a rule of the grammar asks for where the matcher stands."""
    allowed = set(matcher.allowed_token_ids().tolist())
    if matcher.is_accepting():
        # (they end the text)
        allowed -= set(tokenizer.eos_token_ids)
    return tuple(name for name, token in tokenizer.special_tokens.items() if token in allowed)


def allowed_at(matcher: Matcher, tokenizer: Tokenizer) -> Allowed:
    """What may follow where the matcher stands."""
    special = allowed_special_tokens(matcher, tokenizer)
    return Allowed(matcher.forced_bytes(), allowed_bytes(matcher), matcher.is_accepting(), special)


def rejection(
    matcher: Matcher, tokenizer: Tokenizer, text: bytes, *, at_end: bool = False, token: int | None = None
) -> Rejection:
    """The rejection of what comes after `text`. The matcher must stand at the end of `text`."""
    line_start = text.rfind(b"\n") + 1
    column = len(text[line_start:].decode("utf-8", "replace")) + 1
    return Rejection(len(text), text.count(b"\n") + 1, column, allowed_at(matcher, tokenizer), at_end, token)


def feed_bytes(matcher: Matcher, tokenizer: Tokenizer, data: bytes) -> Rejection | None:
    """Accepts a text as far as possible. Returns the rejection of the rest, if there is one."""
    accepted = matcher.accept_bytes(data)
    return None if accepted == len(data) else rejection(matcher, tokenizer, data[:accepted])


def feed_tokens(matcher: Matcher, tokenizer: Tokenizer, tokens: list[int] | tuple[int, ...]) -> Rejection | None:
    """Accepts tokens as far as possible. Returns the rejection of the first token that is not accepted, if there is
    one. The matcher then stands after those bytes of this token that fit."""
    accepted = matcher.accept_tokens(list(tokens))
    if accepted == len(tokens):
        return None
    text = tokenizer.decode(list(tokens[:accepted]))
    offending = tokenizer.token_bytes(tokens[accepted])
    fitting = matcher.accept_bytes(offending)
    return rejection(matcher, tokenizer, text + offending[:fitting], token=accepted)


def advance(matcher: Matcher, tokenizer: Tokenizer, prefix: Prefix) -> Rejection | None:
    """Accepts a prefix, given as bytes or as tokens. Returns its rejection, if it is rejected. Before a prefix of
    bytes, the pending bytes of a prompt are accepted."""
    if prefix.tokens is not None:
        return feed_tokens(matcher, tokenizer, prefix.tokens)
    if prefix.data:
        matcher.accept_bytes(matcher.prompt_rest)
    return feed_bytes(matcher, tokenizer, prefix.data)


def report_rejection(what: str, rejection: Rejection, as_json: bool) -> int:
    """Reports a rejection, as JSON on stdout or else on stderr. Returns the exit code of a clean no."""
    if as_json:
        write_json({"rejected": rejection.as_json()})
    else:
        complain(f"{what}: {rejection.describe()}")
    return 1
