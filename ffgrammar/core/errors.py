"""The exceptions that ffgrammar raises on purpose. They are on the lowest floor because every floor raises them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "CompiledFileError",
    "FFGrammarError",
    "GrammarError",
    "LimitError",
    "MatcherError",
    "TokenizerError",
    "UnsupportedError",
    "located",
]

# How many characters an error shows of a text's beginning and of its end, if the text is longer. A name in a grammar
# may have a million characters.
MAX_BEFORE, MAX_AFTER = 1500, 500


class FFGrammarError(Exception):
    """Base of every error that ffgrammar raises on purpose."""

    def __repr__(self) -> str:
        # (by default it has the arguments, which lack the place)
        return f"{type(self).__name__}({str(self)!r})"


class GrammarError(FFGrammarError, ValueError):
    """A grammar, schema or regex is wrong.

    Attributes:
        message: what is wrong, without the place. The middle of a very long one is left out.
        line, column: the position in the text, both from 1 on, or None. Columns count code points.
        pointer: JSON pointer into the schema ("" is the root), or None.
        file: the file that the text imports and that has the error; None if it is in the text itself.
        excerpt: the line that has the error, and below it a line with a caret at the column; or None.
    """

    def __init__(
        self,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        pointer: str | None = None,
        file: str | None = None,
        excerpt: str | None = None,
    ) -> None:
        self.message = message = _shortened(message)
        self.line = line
        self.column = column
        self.file = file
        self.excerpt = excerpt
        # (a key of a dict may have a lone surrogate, which could not be printed)
        self.pointer = None if pointer is None else pointer.encode("utf-8", "backslashreplace").decode()
        super().__init__(message)

    def place(self) -> str:
        """Where the error is, as a phrase: "line 3, column 7", "at /properties/a", or "" if it is unknown."""
        parts = [] if self.file is None else [self.file]
        if self.pointer is not None:
            parts.append(f"at {_shortened(self.pointer) or '/ (the root)'}")
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.column is not None:
            parts.append(f"column {self.column}")
        return ", ".join(parts)

    def __str__(self) -> str:
        place = self.place()
        told = f"{place}: {self.message}" if place else self.message
        return told if self.excerpt is None else f"{told}\n{self.excerpt}"


def _shortened(text: str) -> str:
    """A text, without its middle if it is very long."""
    return text if len(text) <= MAX_BEFORE + MAX_AFTER else f"{text[:MAX_BEFORE]}[...]{text[-MAX_AFTER:]}"


class UnsupportedError(GrammarError):
    """A grammar is valid, but cannot be enforced exactly. The message says what to do instead."""


class LimitError(FFGrammarError):
    """A limit was reached.

    Attributes:
        limit: the field of `Limits` that was reached.
        value: the value that this limit has.
        detail: what reached the limit, in words; may be empty.
        where: the nearest place that is known, as a phrase: "at /properties/a" in a schema, "in the terminal A" in a
            grammar, "after 7 bytes of the text, in /a/0, in string" while a text is read; "" if none is known.
        advice: what to do, where it is not only to raise the limit; else "".
    """

    def __init__(self, limit: str, value: int, detail: str = "", where: str = "", advice: str = "") -> None:
        self.limit = limit
        self.value = value
        self.detail = detail
        self.where = where
        self.advice = advice
        super().__init__(self._message())

    def _message(self) -> str:
        what = " ".join([part for part in (self.detail, self.where) if part])
        told = f"{what}: " if what else ""
        advice = self.advice or self._how_to_raise()
        return f"{told}limit {self.limit}={self.value} reached; {advice}"

    def _how_to_raise(self) -> str:
        from ffgrammar.core.limits import Limits

        if self.value == getattr(Limits, self.limit, None):
            return f"raise it with limits=Limits({self.limit}=...)"
        # (the caller has limits already, and should not lose the other ones)
        return f"raise it with the same limits and {self.limit}=..."

    def locate(self, where: str) -> None:
        """Add the place, unless a nearer one is known."""
        if not self.where:
            self.where = where
            self.args = (self._message(),)

    def __reduce__(self) -> tuple[Any, ...]:
        # Process pools send errors by pickle. By default an exception is unpickled by a call with its `args`. Here they
        # hold the message, which is not what the constructor takes.
        fields = (self.limit, self.value, self.detail, self.where, self.advice)
        return _limit_error, (type(self), fields, self.args)


def _limit_error(kind: type[LimitError], fields: tuple[str, int, str, str, str], args: tuple[Any, ...]) -> LimitError:
    error = kind(*fields)
    error.args = args
    return error


class located:
    """Add a place to a LimitError that is raised inside the `with` block, unless a nearer one is known.

    Args:
        place: returns the place in words. It is called only after an error.
    """

    # (a generator with `contextmanager` takes three times as long, and each compiled schema enters a block)
    __slots__ = ("_place",)

    def __init__(self, place: Callable[[], str]) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, LimitError):
            error.locate(self._place())


class TokenizerError(FFGrammarError, ValueError):
    """A vocabulary cannot be loaded, a token id is not in it, or the tokenizer cannot do what was asked of it."""


class CompiledFileError(FFGrammarError, ValueError):
    """A compiled grammar file cannot be used.

    It is truncated, damaged, malformed, of another version, for another vocabulary, or over a limit.
    """


class MatcherError(FFGrammarError, ValueError):
    """A matcher is used wrongly: say, a rollback past the start, or a bitmask of the wrong shape or type."""
