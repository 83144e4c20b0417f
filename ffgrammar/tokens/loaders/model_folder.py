"""The tokenizer's file in a model's folder."""

from __future__ import annotations

import os

from ffgrammar.core.errors import TokenizerError

__all__ = ["find_path"]

# The files that are looked for in a model's folder, in this order. The first says most about a tokenizer.
NAMES = ("tokenizer.json", "tekken.json", "tokenizer.model")


def find_path(path: str | os.PathLike[str]) -> str:
    """The path itself or, if it is that of a model's folder, the path of the tokenizer in this folder.

    Raises:
        TokenizerError: the folder has no tokenizer.
        TypeError: `path` is no path.
    """
    # (no pathlib: it takes as long to load as a fourth of a vocabulary)
    given = os.fspath(path) or "."
    if not isinstance(given, str):
        raise TypeError(f"a path must be a str or an os.PathLike of one, not {type(given).__name__}")
    # (a path that the system does not accept is no folder; reading it says what is wrong)
    if not os.path.isdir(given):
        return given
    found = [os.path.join(given, name) for name in NAMES if os.path.exists(os.path.join(given, name))]
    if not found:
        raise TokenizerError(
            f"{given}: this folder has none of {', '.join(NAMES)}; of another file, such as a GGUF or a list of words, "
            "give the path itself"
        )
    return found[0]
