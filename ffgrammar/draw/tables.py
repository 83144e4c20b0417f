"""Tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ffgrammar.draw.text import Html, html

__all__ = ["table"]


def table(titles: Sequence[str], rows: Iterable[Sequence[str | int | float]]) -> Html:
    """A table.

    Args:
        titles: of the columns.
        rows: the cells: `Html`; or text, which is escaped; or numbers, which stand at the right.
    """
    head = "".join(f'<th scope="col">{html(one)}</th>' for one in titles)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return Html(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def _cell(value: str | int | float) -> str:
    if isinstance(value, str):
        return f"<td>{html(value)}</td>"
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
    return f'<td class="number">{shown}</td>'
