"""Length limits built into an expression.

`^[a-z]*[A-Z]{50}$` with at most 120 characters is `[a-z]{0,70}[A-Z]{50}`. An intersection with `.{0,120}` would be the
same language. But in an intersection, only a search shows whether a state is dead, and each state that a token reaches
needs this search.
"""

from __future__ import annotations

from collections.abc import Callable

from ffgrammar.regex.expr.store import EMPTY, NOTHING, ExprStore

__all__ = ["with_length"]


def with_length(store: ExprStore, body: int, low: int, high: int | None, is_char: Callable[[int], bool]) -> int | None:
    """The texts of a body that have low to high characters, as an expression; None if the body is not suitable.

    A suitable body is a sequence of characters, texts without escapes and repeated characters, in which at most one
    repeat has a variable count.

    Args:
        store: where the expressions are made.
        body: the expression of what stands between the quotes of a JSON string.
        low, high: the length in characters; high None: no bound.
        is_char: whether an expression matches only texts of exactly one character.
    """
    fixed = 0
    before: list[int] = []
    after: list[int] = []
    variable: tuple[int, int, int | None] | None = None
    while body != EMPTY:
        kind, *parts = store.node(body)
        part = body
        if kind == "concat":
            part, body = parts
            kind, *parts = store.node(part)
        else:
            body = EMPTY
        if kind == "literal":
            try:
                text = parts[0].decode()
            except UnicodeDecodeError:
                return None
            if "\\" in text:
                return None
            fixed += len(text)
        elif kind == "repeat" and is_char(parts[0]):
            char, least, most = parts
            if least != most:
                if variable:
                    return None
                variable = (char, least, most)
                continue
            fixed += least
        elif is_char(part):
            fixed += 1
        else:
            return None
        (after if variable else before).append(part)
    lowest = max(low - fixed, 0)
    highest = None if high is None else high - fixed
    if highest is not None and highest < lowest:
        return NOTHING
    if variable is None:
        return store.concat(before) if lowest == 0 else NOTHING
    char, least, most = variable
    least = max(least, lowest)
    most = highest if most is None else most if highest is None else min(most, highest)
    if most is not None and most < least:
        return NOTHING
    return store.concat([*before, store.repeat(char, least, most), *after])
