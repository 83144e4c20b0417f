"""Names that a notation accepts, each given once."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["Names", "dashed_name", "lower_name", "upper_name"]

MAX_LENGTH = 60


class Names:
    """Gives names.

    Args:
        fitted: makes of any text a name that the notation accepts; an empty text if there is none.
        taken: names that are not given.
    """

    def __init__(self, fitted: Callable[[str], str], *taken: str) -> None:
        self._fitted = fitted
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def name(self, wanted: str, otherwise: str) -> str:
        """A name that is not taken: `wanted` if it can be, or one that resembles it.

        Args:
            wanted: any text.
            otherwise: the name for a text of which none can be made.
        """
        base = self._fitted(wanted[:MAX_LENGTH]) or otherwise
        name, number = base, self._next.get(base, 1)
        while name in self._taken:
            number += 1
            name = self._fitted(f"{base}_{number}")
        self._next[base] = number
        self._taken.add(name)
        return name


def lower_name(text: str) -> str:
    """A name of a rule in Lark's notation."""
    found = re.sub(r"[^a-z0-9_]+", "_", text.lower())
    return found if re.fullmatch(r"_*[a-z][a-z0-9_]*", found) else ""


def upper_name(text: str) -> str:
    """A name of a terminal in Lark's notation."""
    found = re.sub(r"[^A-Z0-9_]+", "_", text.upper())
    return found if re.fullmatch(r"_*[A-Z][A-Z0-9_]*", found) else ""


def dashed_name(text: str) -> str:
    """A name of a rule in GBNF."""
    found = re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")
    return found if found[:1].isalpha() else ""
