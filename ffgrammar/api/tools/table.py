"""The formats of tool calls by name."""

from __future__ import annotations

from ffgrammar.api.tools import harmony
from ffgrammar.api.tools.argument_formats import ARGUMENT_FORMATS
from ffgrammar.api.tools.format import Format
from ffgrammar.api.tools.json_formats import JSON_FORMATS
from ffgrammar.core.errors import GrammarError

__all__ = ["FORMATS", "NAMES", "check_format"]

FORMATS: dict[str, Format] = {format.name: format for format in (*JSON_FORMATS, *ARGUMENT_FORMATS)}
NAMES = (*FORMATS, harmony.NAME)


def check_format(name: object) -> str:
    """The name of a format. Raises GrammarError if there is no such format."""
    if not isinstance(name, str) or name not in NAMES:
        raise GrammarError(f"there is no tool format {name!r}; there are {', '.join(NAMES)}")
    return name
