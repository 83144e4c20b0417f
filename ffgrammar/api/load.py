"""`load`: from a compiled file to a `Grammar`."""

from __future__ import annotations

import os

from ffgrammar.api.compiled_file import read_file
from ffgrammar.api.grammar import Grammar
from ffgrammar.core.arguments import expect
from ffgrammar.core.errors import CompiledFileError, FFGrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["load"]


def load(source: str | os.PathLike[str] | bytes, tokenizer: Tokenizer, *, limits: Limits | None = None) -> Grammar:
    """Read a compiled file, which `Grammar.save` wrote.

    Loading skips the front-end, which is most of the work for a large schema. The grammar begins with empty caches.

    Args:
        source: the path of the file, or its bytes.
        tokenizer: the vocabulary that the file was compiled for.
        limits: bounds on the cost; `source_bytes` bounds the unpacked file.

    Raises:
        CompiledFileError: the file is truncated, damaged, malformed, of another version, for another vocabulary, or
            over a limit.
        OSError: the file cannot be read.
        TypeError: an argument is of another type.
    """
    expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer")
    expect("limits", limits, (Limits, type(None)), "Limits")
    bounds = limits or Limits()
    expect("load: source", source, (str, os.PathLike, bytes, bytearray), "a path or bytes")
    if isinstance(source, (bytes, bytearray)):
        data = bytes(source)
    else:
        with open(source, "rb") as file:
            data = file.read()
    try:
        return Grammar(read_file(data, tokenizer, bounds), tokenizer, bounds)
    except CompiledFileError:
        raise
    except (FFGrammarError, ValueError) as error:
        # The file is well-formed, but what it says is no grammar, or a grammar beyond the limits.
        raise CompiledFileError(f"the compiled grammar is malformed: {error}") from error
