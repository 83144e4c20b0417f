"""A hint in messages about a source that looks like the path of a file. A front-end expects the text of the file."""

from __future__ import annotations

from ffgrammar.core.errors import GrammarError

__all__ = ["path_hint", "with_path_hint"]

# How the files of the front-ends end, and how long a path is at most.
ENDINGS = (".lark", ".gbnf", ".ebnf", ".json", ".regex", ".choice")
MAX_PATH = 4096


def path_hint(text: str) -> str:
    """What a message about a source says at its end if the source looks like the path of a file; else ""."""
    if len(text) > MAX_PATH or "\n" in text or not text.lower().endswith(ENDINGS):
        return ""
    return "; this looks like a path: pass the text of the file, or call compile(pathlib.Path(...))"


def with_path_hint(error: GrammarError, text: str) -> GrammarError:
    """The error of a text, with a hint if the text looks like the path of a file."""
    hint = path_hint(text)
    if not hint:
        return error
    return type(error)(f"{error.message}{hint}", line=error.line, column=error.column, excerpt=error.excerpt)
