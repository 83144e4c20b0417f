"""The formats of tool calls by name."""

from __future__ import annotations

from ffgrammar.api.tools import harmony
from ffgrammar.api.tools.argument_formats import ARGUMENT_FORMATS
from ffgrammar.api.tools.format import Format
from ffgrammar.api.tools.json_formats import JSON_FORMATS
from ffgrammar.core.errors import GrammarError
from ffgrammar.grammar.names import did_you_mean, shown

__all__ = ["FORMATS", "NAMES", "check_format"]

FORMATS: dict[str, Format] = {format.name: format for format in (*JSON_FORMATS, *ARGUMENT_FORMATS)}
NAMES = (*FORMATS, harmony.NAME)


def check_format(name: object) -> str:
    """The name of a format. Raises GrammarError if there is no such format."""
    if not isinstance(name, str) or name not in NAMES:
        hint = _meant(name) if isinstance(name, str) else ""
        raise GrammarError(f"there is no tool format {shown(name)}{hint}; there are {', '.join(NAMES)}")
    return name


def _meant(name: str) -> str:
    """The formats that models of such a name write, or the one with a name like this, as a part of a message."""
    family = name.lower().strip("-_ ")
    found = [one for one in FORMATS.values() if family and family in one.models.lower()]
    if not found:
        return did_you_mean(name, NAMES)
    return "; did you mean " + ", or ".join(f"{one.name!r} ({one.models})" for one in found) + "?"
