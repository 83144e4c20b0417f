"""The values of a JSON text that grows, shrinks and changes, by their JSON pointers (RFC 6901).

The text obeys a schema, so it is not checked again: the scanner only looks where values begin and end. After each token
it notes where it stands, and goes on from such a place when the text has grown or changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from ffgrammar.core.errors import MatcherError
from ffgrammar.core.pointers import escaped
from ffgrammar.engine.captures.capture import Capture
from ffgrammar.engine.captures.text import Special, common_prefix

__all__ = ["PointerReader"]

_SPACE = re.compile(rb"[ \t\n\r]*")
# A whole token. Only the byte after a number shows that it is whole.
_TOKEN = re.compile(
    rb'"[^"\\]*(?:\\.[^"\\]*)*" | [\[\]{},:] | true | false | null | -?[0-9][0-9.eE+-]*(?=[^0-9.eE+-])',
    re.VERBOSE | re.DOTALL,
)
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Container:
    """An open array or object.

    Attributes:
        outer: the container around it, or None.
        value: the number of its value.
        pointer: its own pointer.
        index: of the current item of an array; None in an object.
        member: the pointer of the current item or member; None before the key of a member.
    """

    outer: _Container | None
    value: int
    pointer: str
    index: int | None
    member: str | None


class _Value:
    __slots__ = ("capture", "end", "pointer", "start")

    def __init__(self, pointer: str, start: int) -> None:
        self.pointer = pointer
        self.start = start
        self.end: int | None = None
        self.capture: Capture | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the scanner stands after a token: the offset, the innermost open container, and how many values have begun
    and ended so far."""

    offset: int
    container: _Container | None
    begun: int
    ended: int


_START = _Place(0, None, 0, 0)


class PointerReader:
    """Reads the values of a JSON text."""

    def __init__(self) -> None:
        self._text = b""
        self._places = [_START]
        # The values that have begun, and the numbers of those that have ended, in the order of the text.
        self._values: list[_Value] = []
        self._ended: list[int] = []
        # The names that were asked for last, and a pattern of the pointers that they name.
        self._named: frozenset[str] | None = None
        self._match: re.Pattern[str]

    def copy(self) -> PointerReader:
        """A reader for a fork of the matcher, which reads the text anew."""
        return PointerReader()

    def read(self, text: bytes, special: list[Special], ended: bool, names: Set[str] | None) -> list[Capture]:
        """The captures of the values that some pointers name, or of all values, in the order of their starts.

        In a pointer, `*` stands for any key and any index.

        Raises:
            MatcherError: a name is not a JSON pointer.
        """
        pattern = None if names is None else self._pattern(frozenset(names))
        self._back(common_prefix(text, special, self._text, special))
        self._text = text
        for token in self._tokens():
            self._take(token)
        values = [*self._values, *self._last(ended)]
        if pattern is not None:
            values = [value for value in values if pattern.fullmatch(value.pointer)]
        return [self._capture(value) for value in values]

    def _pattern(self, names: frozenset[str]) -> re.Pattern[str]:
        """Which pointers some names name."""
        if self._named != names:
            for name in names:
                if not _POINTER.fullmatch(name):
                    raise MatcherError(f"{name!r} is not a JSON pointer: it must be empty or begin with /")
            self._named = names
            patterns = [
                "/".join("[^/]*" if part == "*" else re.escape(part) for part in name.split("/")) for name in names
            ]
            self._match = re.compile("|".join(patterns) if names else r"(?!)")
        return self._match

    def _back(self, keep: int) -> None:
        """Forget what depends on byte `keep` of the text or later ones."""
        places = self._places
        # (a token that ends at `keep` may have ended there because of the next byte)
        while len(places) > 1 and places[-1].offset >= keep:
            places.pop()
        for number in self._ended[places[-1].ended :]:
            self._values[number].end = self._values[number].capture = None
        del self._ended[places[-1].ended :]
        del self._values[places[-1].begun :]

    def _tokens(self) -> Iterator[re.Match[bytes]]:
        """The whole tokens from the last place on."""
        while token := _TOKEN.match(self._text, _after_space(self._text, self._places[-1].offset)):
            yield token

    def _take(self, token: re.Match[bytes]) -> None:
        """Go on by a token."""
        inside = self._places[-1].container
        written = token[0]
        if written == b",":
            assert inside is not None
            inside = _next(inside)
        elif written in (b"}", b"]"):
            assert inside is not None
            self._end(inside.value, token.end())
            inside = inside.outer
        elif written in (b"{", b"["):
            pointer = _pointer(inside)
            inside = _opened(inside, self._begin(pointer, token.start()), pointer, written == b"[")
        elif inside is not None and inside.member is None:
            inside = replace(inside, member=f"{inside.pointer}/{escaped(json.loads(written))}")
        elif written != b":":
            self._end(self._begin(_pointer(inside), token.start()), token.end())
        self._places.append(_Place(token.end(), inside, len(self._values), len(self._ended)))

    def _begin(self, pointer: str, start: int) -> int:
        """A new value. Returns its number."""
        self._values.append(_Value(pointer, start))
        return len(self._values) - 1

    def _end(self, number: int, end: int) -> None:
        self._values[number].end = end
        self._ended.append(number)

    def _last(self, ended: bool) -> list[_Value]:
        """The string, number or word at the end of the text that is not a whole token yet, if it is a value. A number
        is whole if the text has ended."""
        place = self._places[-1]
        start = _after_space(self._text, place.offset)
        if start == len(self._text) or (place.container is not None and place.container.member is None):
            return []
        value = _Value(_pointer(place.container), start)
        if ended:
            value.end = len(self._text)
        return [value]

    def _capture(self, value: _Value) -> Capture:
        if value.end is None:
            return Capture(value.pointer, value.start, None, self._text[value.start :])
        if value.capture is None:
            value.capture = Capture(value.pointer, value.start, value.end, self._text[value.start : value.end])
        return value.capture


def _after_space(text: bytes, at: int) -> int:
    """Where the white space ends that begins at an offset."""
    space = _SPACE.match(text, at)
    assert space is not None
    return space.end()


def _pointer(inside: _Container | None) -> str:
    """The pointer of the value that comes next in a container, or of the whole text."""
    if inside is None:
        return ""
    assert inside.member is not None
    return inside.member


def _opened(outer: _Container | None, value: int, pointer: str, is_array: bool) -> _Container:
    if is_array:
        return _Container(outer, value, pointer, 0, f"{pointer}/0")
    return _Container(outer, value, pointer, None, None)


def _next(inside: _Container) -> _Container:
    """A container after a comma."""
    if inside.index is None:
        return replace(inside, member=None)
    return replace(inside, index=inside.index + 1, member=f"{inside.pointer}/{inside.index + 1}")
