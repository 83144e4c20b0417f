"""The front-end for choices: a sentence is one of the listed texts. All texts together are one lexeme, a trie."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.core.path_hint import path_hint
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lexemes import one_lexeme
from ffgrammar.grammar.source_text import check_source_text
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["build", "read"]


def build(choices: str | Iterable[str | bytes], store: ExprStore, limits: Limits) -> GrammarIR:
    """The grammar of exactly these texts.

    Args:
        choices: the texts; or one str that lists them, see `read`.
        store: where their expression is made.
        limits: bounds on its cost; `source_bytes` is for all choices together.

    Raises:
        GrammarError: `choices` is neither a list nor a str, has no text, has an element that is not a text (`pointer`
            says which), or is a str that `read` refuses.
        LimitError: a bound was reached.
    """
    if isinstance(choices, (bytes, bytearray)) or not isinstance(choices, Iterable):
        raise GrammarError(f"choices are a list of texts, or one str that lists them, not {type(choices).__name__}")
    texts: list[bytes] = []
    size = 0
    for number, choice in enumerate(read(choices, limits) if isinstance(choices, str) else choices):
        text = _encoded(choice, number)
        size += len(text)
        if size > limits.source_bytes:
            raise LimitError("source_bytes", limits.source_bytes, "the choices are too long")
        texts.append(text)
    if not texts:
        raise GrammarError("there are no choices")
    hint = path_hint(choices) if isinstance(choices, str) else ""
    warnings = [f"there is only one choice{hint}"] if hint else []
    return one_lexeme(store, limits, store.literals(texts), "choice", warnings)


def read(text: str, limits: Limits) -> list[str | bytes]:
    """The choices that a text lists: as a JSON list if it begins with `[`, else one on each line that is not empty.

    White space and a byte order mark may stand before the `[`.

    Raises:
        GrammarError: it begins with `[` but is no JSON list.
        LimitError: it is too long.
    """
    check_source_text(text, "the list of choices", limits)
    if not text.lstrip("\ufeff \t\r\n").startswith("["):
        return [line for line in text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n") if line]
    try:
        listed = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        message = f"a list of choices that begins with '[' is read as JSON: {error.msg}"
        raise GrammarError(message, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise GrammarError("a list of choices is a list of texts, not of lists", pointer="/0") from None
    return list(listed)


def _encoded(choice: object, number: int) -> bytes:
    if isinstance(choice, (bytes, bytearray)):
        return bytes(choice)
    if not isinstance(choice, str):
        raise GrammarError(f"a choice must be a text, not {type(choice).__name__}", pointer=f"/{number}")
    try:
        return choice.encode()
    except UnicodeEncodeError:
        raise GrammarError("a choice cannot have half of a surrogate pair", pointer=f"/{number}") from None
