"""What stands in brackets after the name of a definition: `name[lazy, capture="x"]: ...`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.grammar.lark.literals import regex, string, unescaped
from ffgrammar.grammar.lark.source import Attributes
from ffgrammar.grammar.lark.texts import error_at
from ffgrammar.grammar.names import did_you_mean, one_of

if TYPE_CHECKING:
    from ffgrammar.grammar.lark.tokens import Cursor, Token

__all__ = ["read_attributes"]

_KNOWN = ("lazy", "suffix", "stop", "capture", "stop_capture", "temperature", "max_tokens")
_NO_MAX_TOKENS = (
    "max_tokens cannot be enforced: what may come next depends on the text, not on how it is cut into tokens; bound "
    "the characters, as in /[a-z]{1,80}/, or the whole text with max_tokens="
)
_NO_EMPTY_STOP = (
    "stop='' cannot be enforced: it would end the rule with an end-of-text token, which ends the text here; "
    "end the rule with a special token or a text"
)


def read_attributes(at: Cursor, terminal: bool) -> Attributes:
    """Read attributes. The cursor is at the bracket that opens them.

    Args:
        at: the cursor.
        terminal: whether they are those of a terminal, which can only be lazy.

    Raises:
        GrammarError: they are malformed, or one is given twice.
        UnsupportedError: one is unknown, or cannot be enforced.
    """
    opener = at.step()
    found: dict[str, Any] = {}
    while True:
        name = at.take("rule", what="an attribute")
        key = "capture" if name.value == "capture_name" else name.value
        if key not in _KNOWN:
            hint = did_you_mean(key, _KNOWN) or f"; there are {one_of(_KNOWN)}"
            raise error_at(at.texts, name.offset, f"unknown attribute {key}{hint}", UnsupportedError)
        if terminal and key != "lazy":
            message = f"only rules can have {key}: write the name in lower case"
            raise error_at(at.texts, name.offset, message, UnsupportedError)
        if key in found:
            raise at.error(name.offset, f"{key} is given twice")
        found[key] = _value(at, name, key)
        if at.take(",", "]", what="',' or ']'").kind == "]":
            return _checked(at, Attributes(opener.offset, **found))


def _value(at: Cursor, name: Token, key: str) -> Any:
    if key == "max_tokens":
        raise error_at(at.texts, name.offset, _NO_MAX_TOKENS, UnsupportedError)
    if key == "lazy" or (key == "capture" and at.peek().kind != "="):
        return key == "lazy" or None
    at.take("=", what=f"'=' after {key}")
    if key == "temperature":
        return _temperature(at)
    token = at.take("string", "regex", "terminal", what=f"a text in quotes for {key}")
    if key == "suffix" and token.kind == "regex":
        return regex(at.texts, token)
    if token.kind != "string" or (token.value.endswith("i") and key != "suffix"):
        message = f"{key} must be a text in quotes; write another end into the rule and make the rule lazy"
        raise error_at(at.texts, token.offset, message, UnsupportedError)
    text = unescaped(at.texts, token)
    if not text:
        if key == "stop":
            raise error_at(at.texts, token.offset, _NO_EMPTY_STOP, UnsupportedError)
        raise at.error(token.offset, f"{key} must not be empty")
    return string(at.texts, token) if key == "suffix" else text


def _temperature(at: Cursor) -> float:
    token = at.take("number", what="a number")
    try:
        value = float(token.value)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise at.error(token.offset, f"a temperature is a number from 0 on, not {token.value[:40]}")
    return value


def _checked(at: Cursor, attributes: Attributes) -> Attributes:
    problem = ""
    if attributes.suffix is not None and attributes.stop is not None:
        problem = "suffix and stop cannot stand together: suffix is part of the rule, stop comes after it"
    elif attributes.stop_capture is not None and attributes.suffix is None and attributes.stop is None:
        problem = "stop_capture needs suffix or stop"
    if problem:
        raise error_at(at.texts, attributes.offset, problem, GrammarError)
    return attributes
