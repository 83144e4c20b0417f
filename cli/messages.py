"""The library's messages in the words of the shell, with flags in place of keyword arguments."""

from __future__ import annotations

import re

__all__ = ["in_flags", "told"]

# Keyword arguments of the library that are flags of the same name.
OPTIONS = (
    "draft",
    "formats",
    "indent",
    "integer_spelling",
    "lexing",
    "max_tokens",
    "property_order",
    "registry",
    "separators",
    "whitespace",
)

# Patterns are compiled when there is a message, which most runs of a command never have.
_LIMIT = r"limits=Limits\((\w+)=\.\.\.\)"
_SAME_LIMITS = r"the same limits and (\w+)=\.\.\."
_OPTION = rf"\b({'|'.join(OPTIONS)})=(?:(['\"])([^'\"]*)\2|(\d+))?"
_PHRASES = {
    "base=": "a grammar in a file",
    "give it with grammars={...}": "write it in place of the name, with %lark or %json",
    "import_paths=": "--import-path FOLDER",
    "eos_token_ids=": "--eos IDS",
    "pattern=": "--pattern REGEX",
    "start=": "--start RULE",
    "pass the object that tiktoken.get_encoding returns, or use Tokenizer.from_file(path)": (
        "give the path of a tokenizer's file or of a model's folder"
    ),
}


def _flag(match: re.Match[str]) -> str:
    name = "--" + match[1].replace("_", "-")
    value = match[3] or match[4]
    return f"{name} {value}" if value else name


def in_flags(message: str) -> str:
    """A message of the library for a user of the shell.

    `limits=Limits(nesting=...)` becomes `--limit nesting=N`, `formats='annotation'` becomes `--formats annotation`.
    """
    message = re.sub(_LIMIT, r"--limit \1=N", message)
    message = re.sub(_SAME_LIMITS, r"--limit \1=N", message)
    message = re.sub(_OPTION, _flag, message)
    for argument, flag in _PHRASES.items():
        message = message.replace(argument, flag)
    return message


def told(error: Exception) -> str:
    """An error of the library for a user of the shell. The line of the source that it shows stays as it is written."""
    excerpt = getattr(error, "excerpt", None)
    if excerpt is None:
        return in_flags(str(error))
    return f"{in_flags(str(error).removesuffix(excerpt))}{excerpt}"
