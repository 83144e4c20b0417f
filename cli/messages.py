"""The library's messages in the words of the shell, with flags in place of keyword arguments."""

from __future__ import annotations

import re

__all__ = ["in_flags"]

# The keyword arguments of the compile functions that are flags of the same name.
SCHEMA_OPTIONS = (
    "draft",
    "formats",
    "indent",
    "integer_spelling",
    "property_order",
    "registry",
    "separators",
    "whitespace",
)

# Patterns are compiled when there is a message, which most runs of a command never have.
_LIMIT = r"limits=Limits\((\w+)=\.\.\.\)"
_OPTION = rf"\b({'|'.join(SCHEMA_OPTIONS)})=(?:(['\"])([^'\"]*)\2)?"
_PHRASES = {
    "eos_token_ids=": "--eos IDS",
    "pattern=": "--pattern REGEX",
}


def _flag(match: re.Match[str]) -> str:
    name = "--" + match[1].replace("_", "-")
    return f"{name} {match[3]}" if match[3] else name


def in_flags(message: str) -> str:
    """A message of the library for a user of the shell.

    `limits=Limits(nesting=...)` becomes `--limit nesting=N`, `formats='annotation'` becomes `--formats annotation`.
    """
    message = re.sub(_LIMIT, r"--limit \1=N", message)
    message = re.sub(_OPTION, _flag, message)
    for argument, flag in _PHRASES.items():
        message = message.replace(argument, flag)
    return message
