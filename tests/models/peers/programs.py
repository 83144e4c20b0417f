"""Programs of texts, holes and selections, and a check of what was written."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["PROGRAMS", "Piece", "is_right"]


@dataclass(frozen=True)
class Piece:
    """A text, if it has no name; else a hole with a pattern, or a selection.

    Attributes:
        text: the text.
        name: what has the text that is written.
        regex: the pattern of a hole.
        options: the options of a selection.
    """

    text: str = ""
    name: str = ""
    regex: str = ""
    options: tuple[str, ...] = ()


def _program(topic: str) -> list[Piece]:
    return [
        Piece(f"A note about {topic}. Name: "),
        Piece(name="name", regex="[A-Z][a-z]{2,9}"),
        Piece(". It is "),
        Piece(name="size", options=("small", "large", "largely unknown")),
        Piece(" and "),
        Piece(name="age", regex="[0-9]{1,3}"),
        Piece(" years old. Seen on "),
        Piece(name="date", regex="20[0-9]{2}-(0[1-9]|1[0-2])-[0-2][0-9]"),
        Piece(", in "),
        Piece(name="where", options=("a garden", "a house", "the sea", "the air")),
        Piece(".\n"),
    ]


PROGRAMS = [
    _program(topic) for topic in ("a cat", "a whale", "a robin", "an ant", "a bear", "a crab", "an owl", "a mole")
]


def is_right(program: list[Piece], values: dict[str, str], text: str) -> bool:
    """Whether each name has what it may have, and the text is that of the program."""
    written = "".join(values.get(one.name, "") if one.name else one.text for one in program)
    return text == written and all(
        values[one.name] in one.options if one.options else re.fullmatch(one.regex, values[one.name]) is not None
        for one in program
        if one.name
    )
