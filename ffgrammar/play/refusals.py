"""Why a token may not come at a place: where its bytes die, and which rules and lexemes wait for what there."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ffgrammar.draw.text import visible
from ffgrammar.engine.explain.explanation import ExpectedLexeme, Explanation, LiveLexeme, classes
from ffgrammar.play.bounds import MAX_LISTED
from ffgrammar.play.spot import Spot

__all__ = ["refusal_answer"]


def refusal_answer(spot: Spot, token: int, as_canonical: bool) -> dict[str, Any]:
    """Why a token may not come, or that it may.

    Args:
        spot: the place.
        token: its id.
        as_canonical: whether only canonical tokens may come.

    Raises:
        LimitError: a bound of the grammar was reached.
    """
    tok = spot.grammar.tokenizer
    found = spot.matcher.explain(token=token)
    note = ""
    if found.refusal is None and as_canonical:
        canonical, note = spot.canonical()
        if canonical is not None:
            found = canonical.explain(token=token)
    fitting = found.text[len(spot.text) :]
    data = tok.token_bytes(token)
    return {
        "token": token,
        "text": tok.visible_token(token),
        "fits": visible(fitting),
        "dies": visible(data[len(fitting) :][:1]),
        "rest": visible(data[len(fitting) + 1 :]),
        "refusal": None if found.refusal is None else asdict(found.refusal),
        "note": note,
        **_waiting(found),
    }


def _waiting(found: Explanation) -> dict[str, Any]:
    """The lexemes that are read or may begin where the bytes die."""
    return {
        "reading": [_row(one) for one in found.reading[:MAX_LISTED]],
        "expected": [_row(one) for one in found.expected[:MAX_LISTED]],
        "next": classes(found.next_bytes),
    }


def _row(one: LiveLexeme | ExpectedLexeme) -> dict[str, Any]:
    if isinstance(one, LiveLexeme):
        return {
            "name": one.name,
            "needs": one.needs,
            "may_end": one.may_end,
            "rules": one.rules,
            "read": visible(one.text),
        }
    return {"name": one.name, "needs": one.pattern, "may_end": False, "rules": one.rules, "read": ""}
