"""What the caller should know: what is not enforced, and where a text may find no way on."""

from __future__ import annotations

from ffgrammar.grammar.json_schema.documents.subschemas import Subschema

__all__ = ["Warnings"]


class Warnings:
    """The warnings of one build.

    Attributes:
        lines: the messages, each with its place, in the order in which they came up.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._said: set[str | tuple[str, str]] = set()

    def once(self, subschema: Subschema, word: str | None, message: str, *, anywhere: bool = False) -> None:
        """Say what comes up several times at a place, or a keyword of it; or, if `anywhere`, at several places."""
        if anywhere and message in self._said:
            return
        pointer = subschema.pointer() if word is None else subschema.pointer(word)
        key = message if anywhere else (pointer, message)
        if key not in self._said:
            self._said.add(key)
            self.lines.append(f"at {pointer or '/ (the root)'}: {message}")
