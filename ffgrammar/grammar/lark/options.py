"""The options of a grammar: `%llguidance {...}`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.lark.source import Scope
from ffgrammar.grammar.lark.texts import error_at
from ffgrammar.grammar.names import did_you_mean, one_of

if TYPE_CHECKING:
    from ffgrammar.grammar.lark.texts import Texts
    from ffgrammar.grammar.lark.tokens import Token

__all__ = ["read_options"]

_FLAGS = ("ignore_once", "allow_initial_skip", "no_forcing", "allow_invalid_utf8")
_KNOWN = (*_FLAGS, "skip_repetition")


def read_options(texts: Texts, token: Token, scope: Scope) -> list[str]:
    """Read the options of a grammar, and write them into its scope.

    Args:
        texts: where the text is.
        token: the JSON object.
        scope: what they are about.

    Returns:
        Messages about options that have no effect.

    Raises:
        GrammarError: this is not JSON, or a value is wrong.
        UnsupportedError: an option is unknown, or not supported.
    """
    try:
        found = json.loads(token.value)
    except (ValueError, RecursionError) as error:
        raise error_at(texts, token.offset, f"this is not JSON: {error}") from None
    warnings: list[str] = []
    for key, value in found.items():
        _check(texts, token, key, value)
        if key == "ignore_once":
            scope.once = value
        elif key == "skip_repetition":
            scope.once = value == "once"
        elif key == "allow_initial_skip":
            scope.initial = value
        elif key == "no_forcing" and value:
            warnings.append("no_forcing has no effect: forced tokens are found only where a program asks for them")
    return warnings


def _check(texts: Texts, token: Token, key: str, value: Any) -> None:
    if key not in _KNOWN:
        hint = did_you_mean(key, _KNOWN) or f"; there are {one_of(_KNOWN)}"
        raise error_at(texts, token.offset, f"%llguidance has no option {json.dumps(key)}{hint}", UnsupportedError)
    if key == "skip_repetition":
        if value not in ("once", "repeat"):
            raise error_at(texts, token.offset, 'skip_repetition is "once" or "repeat"')
    elif not isinstance(value, bool):
        raise error_at(texts, token.offset, f"{key} is true or false")
    elif key == "allow_invalid_utf8" and value:
        message = "allow_invalid_utf8 is not supported: a terminal matches UTF-8 only; leave the option out"
        raise error_at(texts, token.offset, message, UnsupportedError)
