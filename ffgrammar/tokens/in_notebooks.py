"""Reports and coverings in notebooks: tokens as they are spelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ffgrammar.draw.document import fragment
from ffgrammar.draw.tables import table
from ffgrammar.draw.text import Html, visible
from ffgrammar.draw.tokens import Chip, Kind, token_strip
from ffgrammar.tokens.canonical.coverings import Covering

__all__ = ["Coverings", "report_html"]

# How many tokens of a row are shown, of these before the first difference, how many candidates, and how many coverings.
MAX_TOKENS = 200
MAX_BEFORE = 10
MAX_CANDIDATES = 12
MAX_ROWS = 50


def report_html(
    about: str, given: tuple[int, ...], expected: tuple[int, ...], first: int | None, spell: Callable[[int], str]
) -> str:
    """A report as a fragment of HTML: the given tokens beside those that the tokenizer writes.

    Args:
        about: the answer in words.
        given, expected: ids of tokens.
        first: the index of the first token that differs; None if none does.
        spell: from an id to the token's text.
    """
    rows = [("given", _strip(given, first, "strange", spell)), ("expected", _strip(expected, first, "chosen", spell))]
    return fragment(about, table(["", "tokens"], rows))


def _strip(ids: tuple[int, ...], first: int | None, kind: Kind, spell: Callable[[int], str]) -> Html:
    """A row of tokens; from the first difference on they are of another kind."""
    start = max(0, (first or 0) - MAX_BEFORE)
    shown = ids[start : start + MAX_TOKENS]
    chips = [
        Chip(spell(one), kind if first is not None and at >= first else "chosen", f"token {at}, id {one}")
        for at, one in enumerate(shown, start)
    ]
    before = [Chip(f"\u2026 {start} before", "prompt")] if start else []
    more = len(ids) - start - len(shown)
    return token_strip([*before, *chips, *([Chip(f"{more} more", "prompt")] if more else [])])


class Coverings(list[Covering]):
    """A list of coverings, which a notebook shows as a table.

    Args:
        found: the coverings.
        spell: from the id of a token to its text.
    """

    def __init__(self, found: Iterable[Covering], spell: Callable[[int], str]) -> None:
        super().__init__(found)
        self._spell = spell

    def __reduce__(self) -> tuple[type[list[Covering]], tuple[list[Covering]]]:
        return list, (list(self),)

    def _repr_html_(self) -> str:
        rows = [
            (
                token_strip([Chip(self._spell(token)) for token in one.kept[-MAX_CANDIDATES:]]),
                visible(one.rest),
                one.count,
                token_strip([Chip(self._spell(token)) for token in one.candidates[:MAX_CANDIDATES].tolist()]),
            )
            for one in self[:MAX_ROWS]
        ]
        return fragment(f"{len(self)} coverings", table(["kept", "rest", "candidates", "the first ones"], rows))
