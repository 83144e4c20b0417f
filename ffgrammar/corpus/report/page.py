"""A summary as a page of HTML: rates, groups, a histogram, the worst rows. It needs nothing from the network."""

from __future__ import annotations

from typing import Any

from ffgrammar.draw import Html, bars, html, picture, table
from ffgrammar.draw import page as whole_page

__all__ = ["page"]


def page(summary: dict[str, Any]) -> str:
    """The page of a summary that `run` returned."""
    parts: list[str] = [_table([summary["counts"]])]
    if "by_group" in summary:
        rows = [{summary["group"]: name, **counts} for name, counts in summary["by_group"].items()]
        if "without_group" in summary:
            rows.append({summary["group"]: None, **summary["without_group"]})
        if rows:
            parts += [_heading(f"By {summary['group']}"), _table(rows)]
    histogram = summary["histogram"]
    drawn = bars(histogram["bins"], histogram["title"], "rows")
    parts += [_heading(histogram["title"]), picture(drawn, "histogram: " + ", ".join(map(str, histogram["bins"])))]
    worst = summary["worst"]
    if worst["rows"]:
        parts += [_heading(f"Worst rows, by {worst['by']}"), _table(worst["rows"])]
    if summary["errors"]:
        rows = [{"error": message, "rows": count} for message, count in summary["errors"].items()]
        parts += [_heading("Errors"), _table(rows)]
    return whole_page(f"ffgrammar corpus {summary['job']}", *parts)


def _heading(text: str) -> Html:
    return Html(f"<h2>{html(text)}</h2>")


def _table(rows: list[dict[str, Any]]) -> Html:
    names = list(rows[0])
    return table(names, [[_cell(row.get(name)) for name in names] for row in rows])


def _cell(value: Any) -> str | int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    # (a text of a row may have a lone surrogate)
    return "" if value is None else str(value).encode("utf-8", "replace").decode()
