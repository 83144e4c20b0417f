"""What users get: an explanation of a place in a text, which reads as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Literal

from ffgrammar.core.visible import in_quotes
from ffgrammar.draw.document import fragment
from ffgrammar.draw.tables import table
from ffgrammar.draw.text import Html, html, visible
from ffgrammar.draw.tokens import Chip, token_strip
from ffgrammar.engine.captures.capture import Capture

__all__ = ["ExpectedLexeme", "Explanation", "LiveLexeme", "Reason", "Refusal", "byte_name", "classes", "label"]

# How many entries of a list are shown, and how many bytes of a text.
SHOWN = 12
MAX_TEXT = 40
# In notebooks: how many bytes of the text are shown, and how many rows of a table.
MAX_HTML_TEXT = 200
MAX_ROWS = 20
# What a lexeme needs that cannot go on.
NOTHING_MORE = '""'

Reason = Literal["lexeme", "follow", "value", "dead end", "special token", "canonical", "budget", "prompt", "ended"]


@dataclass(frozen=True, slots=True)
class LiveLexeme:
    """A lexeme that is being read.

    Attributes:
        name: its name in the grammar; or what it matches, perhaps cut off, if it has no name.
        start: where it began, an offset in bytes; None if several of these lexemes began at different places.
        text: what was read of it; b"" if `start` is None.
        needs: what may still come in it, as a regular expression. It may be cut off, and then ends with `…`.
        may_end: whether it may end here.
        rules: the names of the rules that wait for it.
    """

    name: str
    start: int | None
    text: bytes
    needs: str
    may_end: bool
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExpectedLexeme:
    """A lexeme that may begin.

    Attributes:
        name: its name in the grammar.
        pattern: what it matches, as a regular expression or a string in quotes. It may be cut off, and then ends with
            `…`. A special token has its name here.
        rules: the names of the rules that wait for it.
        skip: whether it is skipped, as white space is.
    """

    name: str
    pattern: str
    rules: tuple[str, ...]
    skip: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why bytes or a token may not come.

    Attributes:
        offset: of the byte that is refused, or of the token.
        byte: the byte; None if the bytes fit, and the token is refused for another reason.
        token: the id of the token that was asked about, if it was a token.
        reason: "lexeme": no lexeme that is being read goes on with the byte, and none may end. "follow": nothing that
            may begin there begins with it. "value": items or keys of the text are compared, and do not allow it. "dead
            end": the rules allow it, but the lexer would then take what must follow, so no sentence goes on. "special
            token": no rule waits for this special token. "canonical", "budget", "prompt": the bytes fit, but the
            matcher wants other tokens, has too few tokens left, or must spell a prompt first. "ended": the text has
            ended.
        message: the reason in words.
    """

    offset: int
    byte: int | None
    token: int | None
    reason: Reason
    message: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """A place in a text under a grammar. `str` makes it readable.

    Attributes:
        text: the accepted text up to the place. If bytes were asked about, those of them that fit are part of it.
        line, column: the place, from 1 on; a column is a character.
        may_end: whether the text is a sentence.
        open: what has begun and goes on: the rules of a Lark grammar, values of a JSON text by their pointers, or named
            parts of a composition. Outer ones come first.
        ended: what ends exactly here, or may end here.
        reading: the lexemes that are being read.
        expected: the lexemes that may begin here. If lexemes are being read, these may follow them.
        next_bytes: the bytes that may come next, ascending, for any token. A matcher of canonical tokens or with
            `max_tokens` may allow fewer.
        refusal: why the bytes or the token that were asked about may not come; None if they may, or if none were.
    """

    text: bytes
    line: int
    column: int
    may_end: bool
    open: tuple[Capture, ...]
    ended: tuple[Capture, ...]
    reading: tuple[LiveLexeme, ...]
    expected: tuple[ExpectedLexeme, ...]
    next_bytes: bytes
    refusal: Refusal | None

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        end = "the text may end here" if self.may_end else "the text may not end here"
        yield f"at byte {len(self.text)}, line {self.line}, column {self.column}, after {_tail(self.text)}; {end}"
        yield from _listed(
            "open", [f"{names}, since byte {one.start}: {_tail(one.text)}" for names, one in _spans(self.open)]
        )
        yield from _listed(
            "ends here", [f"{names}, since byte {one.start}: {_tail(one.text)}" for names, one in _spans(self.ended)]
        )
        yield from _listed("being read", [_reading(one) for one in self.reading])
        title = "may follow" if self.reading else "may begin"
        yield from _listed(title, [f"{_shown(one)}{_for_rules(one)}" for one in self.expected])
        yield f"next byte: {classes(self.next_bytes) or 'none'}"
        if self.refusal is not None:
            yield f"refused: {self.refusal.message}"

    def _repr_html_(self) -> str:
        """The same as tables, for notebooks."""
        end = "may end here" if self.may_end else "may not end here"
        parts = [
            html(f"byte {len(self.text)}, line {self.line}, column {self.column}; the text {end}"),
            token_strip(
                [Chip(("\u2026" if len(self.text) > MAX_HTML_TEXT else "") + visible(self.text[-MAX_HTML_TEXT:]))]
            ),
        ]
        if self.open:
            names = [(one.name or "the whole value", f"since byte {one.start}") for one in self.open[:MAX_ROWS]]
            parts.append(table(["open", ""], names))
        if self.reading:
            rows = [(one.name, one.needs, "yes" if one.may_end else "no", ", ".join(one.rules)) for one in self.reading]
            parts.append(table(["being read", "needs", "may end", "for the rules"], rows[:MAX_ROWS]))
        if self.expected:
            title = "may follow" if self.reading else "may begin"
            lexemes = [(one.name, one.pattern, ", ".join(one.rules)) for one in self.expected[:MAX_ROWS]]
            parts.append(table([title, "matches", "for the rules"], lexemes))
        parts.append(Html(f"<p>next byte: {html(classes(self.next_bytes) or 'none')}</p>"))
        if self.refusal is not None:
            parts.append(token_strip([Chip(f"refused: {self.refusal.message}", "rejected")]))
        return fragment(*parts)

    def as_json(self) -> dict[str, Any]:
        """A value for `json.dumps`. Bytes are strings; bytes that are not UTF-8 are `\\x..` in them."""
        found = _for_json(asdict(self))
        assert isinstance(found, dict)
        return {**found, "offset": len(self.text), "next_bytes": ranges(self.next_bytes)}


def _for_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, (list, tuple)):
        return [_for_json(one) for one in value]
    return {name: _for_json(one) for name, one in value.items()} if isinstance(value, dict) else value


def _listed(title: str, entries: list[str]) -> Iterator[str]:
    if entries:
        yield f"{title}:"
    for entry in entries[:SHOWN]:
        yield f"    {entry}"
    if len(entries) > SHOWN:
        yield f"    and {len(entries) - SHOWN} more"


def _spans(captures: tuple[Capture, ...]) -> Iterator[tuple[str, Capture]]:
    """Captures with their names; of those that begin at one place, a line has all names."""
    for _, group in groupby(captures, key=lambda one: one.start):
        found = list(group)
        names = [one.name or "the whole value" for one in found]
        if len(names) > SHOWN:
            names[4:-4] = ["…"]
        yield " > ".join(names), found[0]


def _reading(one: LiveLexeme) -> str:
    where = "" if one.start is None else f", since byte {one.start}: {_tail(one.text)}"
    needs = f"may end, or go on with {one.needs}" if one.may_end else f"needs {one.needs}"
    if one.needs == NOTHING_MORE:
        needs = "complete"
    return f"{one.name}{where}, {needs}{_for_rules(one)}"


def label(one: ExpectedLexeme) -> str:
    """A lexeme in a message: by its name, or by what it matches if it has none."""
    if not one.name or one.name[0] in '"/':
        return one.pattern
    return one.name


def _shown(one: ExpectedLexeme) -> str:
    name = label(one)
    return name if name == one.pattern else f"{name} {one.pattern}"


def _for_rules(one: LiveLexeme | ExpectedLexeme) -> str:
    if isinstance(one, ExpectedLexeme) and one.skip:
        return ", skipped"
    shown = [*one.rules[:3], *(["others"] if len(one.rules) > 3 else [])]
    return f", in {', '.join(shown)}" if shown else ""


def _tail(text: bytes) -> str:
    """The end of a text in quotes."""
    shown = text[-MAX_TEXT:].decode("utf-8", "backslashreplace")
    return f'"{"…" if len(text) > MAX_TEXT else ""}{in_quotes(shown)}"'


def ranges(members: bytes) -> list[tuple[int, int]]:
    """Some bytes, ascending, as inclusive ranges."""
    found: list[tuple[int, int]] = []
    for byte in members:
        if found and found[-1][1] == byte - 1:
            found[-1] = (found[-1][0], byte)
        else:
            found.append((byte, byte))
    return found


def classes(members: bytes) -> str:
    """Some bytes, ascending, for readers: ASCII characters in quotes, and other bytes by their numbers."""
    parts = []
    for low, high in ranges(members):
        if high <= low + 1:
            parts += [byte_name(byte) for byte in range(low, high + 1)]
        else:
            parts.append(f"{byte_name(low)} to {byte_name(high)}")
    return ", ".join([*parts[:SHOWN], *(["and others"] if len(parts) > SHOWN else [])])


def byte_name(byte: int) -> str:
    """A byte for readers."""
    if byte >= 0x80:
        return f"0x{byte:02x}"
    return f'"{in_quotes(chr(byte))}"'
