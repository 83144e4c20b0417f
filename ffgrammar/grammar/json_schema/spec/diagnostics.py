"""Warnings: which keywords are not enforced, and where a text may run into a dead end."""

from __future__ import annotations

from ffgrammar.grammar.json_schema.spec.located import Located

__all__ = ["Warnings"]


class Warnings:
    """The warnings of one build.

    Attributes:
        lines: the messages in the order in which they arose; each names its position in the schema.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._said: set[str | tuple[str, str]] = set()

    def once(self, subschema: Located, word: str | None, message: str, *, anywhere: bool = False) -> None:
        """Warn about a subschema, unless the same warning was given before.

        Args:
            subschema: the subschema that the warning is about.
            word: the keyword in it; None: the subschema as a whole.
            message: the warning, without its position.
            anywhere: whether one warning is enough for the whole schema, rather than one for each position.
        """
        if anywhere and message in self._said:
            return
        pointer = subschema.pointer() if word is None else subschema.pointer(word)
        key = message if anywhere else (pointer, message)
        if key not in self._said:
            self._said.add(key)
            self.lines.append(f"at {pointer or '/ (the root)'}: {message}")
