"""`partial_json`: what the beginning of a JSON text says so far.

What is open at the end of the text is closed, and what does not tell its value yet is left out. Then the text is read
as JSON.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ffgrammar.core.arguments import expect

__all__ = ["partial_json"]

TOKEN = re.compile(
    r"""[ \t\n\r]*(?: (?P<opened>[\[{]) | (?P<closed>[\]}]) | (?P<comma>,) | (?P<colon>:)
                  | (?P<string>"(?:[^"\\]|\\.)*") | (?P<part>"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)
                  | (?P<word>true|false|null) | (?P<number>[-+.0-9eE]+) )""",
    re.DOTALL | re.VERBOSE,
)
# The end of a string that may be half of a character: what could not be decoded, or half of a surrogate pair.
HALF = re.compile(r"(?:\ufffd|(?<!\\)(?P<even>(?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2})\Z")


def partial_json(text: str) -> Any:
    """The value of the beginning of a JSON text, such as the text of an `Event`. The time is linear in its length.

    Of a string that is not complete, this has the characters that are. A number that may go on, a key without a value,
    and the beginning of `true`, `false` or `null` are left out.

    Args:
        text: the text.

    Returns:
        The value, as from `json.loads`; None as long as there is no value.

    Raises:
        ValueError: no JSON text begins like this, or it is nested too deep to be read. Not all such texts are found.
        TypeError: the text is no str.
    """
    expect("partial_json: text", text, str, "a str")
    ends: list[str] = []  # what closes the containers that are open
    is_key = False  # whether a string here is a key
    known = 0  # where the text can be closed
    half = ""  # what follows there of a string that is not complete
    place = 0
    while (token := TOKEN.match(text, place)) is not None:
        kind, place = token.lastgroup, token.end()
        if kind == "opened":
            ends.append("}" if text[place - 1] == "{" else "]")
        elif kind == "closed":
            if not ends or ends.pop() != text[place - 1]:
                raise ValueError(f"{text[place - 1]!r} closes nothing")
        if kind in ("opened", "comma"):
            is_key = bool(ends) and ends[-1] == "}"
        if kind == "part":
            if not is_key:
                known = token.start("part")
                half = HALF.sub(r"\g<even>", text[known:place]) + '"'
            break
        if kind == "string" and is_key:
            is_key = False
        elif kind not in ("comma", "colon") and not (kind == "number" and place == len(text)):
            known = place
    try:
        return json.loads(text[:known] + half + "".join(reversed(ends))) if known or half else None
    except RecursionError:
        raise ValueError("the text is nested too deep to be read") from None
