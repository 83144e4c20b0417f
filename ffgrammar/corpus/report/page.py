"""A summary as a page of HTML: rates, groups, a histogram, the worst rows. It needs nothing from the network."""

from __future__ import annotations

from html import escape
from typing import Any

__all__ = ["page"]

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #8884; padding: .2rem .7rem; text-align: right; white-space: pre; }
th:first-child, td:first-child { text-align: left; }
rect { fill: #3b7dd8; } svg text { font-size: 11px; fill: currentColor; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #ddd; } }
"""
WIDTH, HEIGHT, MARGIN = 640, 220, 24


def page(summary: dict[str, Any]) -> str:
    """The page of a summary that `run` returned."""
    title = f"ffgrammar corpus {summary['job']}"
    parts = [f"<h1>{escape(title)}</h1>", _table([summary["counts"]])]
    if "by_group" in summary:
        rows = [{summary["group"]: name, **counts} for name, counts in summary["by_group"].items()]
        parts += [f"<h2>By {escape(summary['group'])}</h2>", _table(rows)]
    histogram = summary["histogram"]
    parts += [f"<h2>{escape(histogram['title'])}</h2>", _picture(histogram["bins"])]
    worst = summary["worst"]
    if worst["rows"]:
        parts += [f"<h2>Worst rows, by {escape(worst['by'])}</h2>", _table(worst["rows"])]
    if summary["errors"]:
        rows = [{"error": message, "rows": count} for message, count in summary["errors"].items()]
        parts += ["<h2>Errors</h2>", _table(rows)]
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>\n'
        + "\n".join(parts)
        + "\n</html>\n"
    )


def _table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "<p>None.</p>"
    names = list(rows[0])
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(row.get(name))}</td>' for name in names)}</tr>\n" for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return escape(str(value).encode("utf-8", "replace").decode())


def _picture(bins: list[int]) -> str:
    """A histogram as SVG. Each bar says on hover what it counts."""
    top = max([*bins, 1])
    step = (WIDTH - 2 * MARGIN) / len(bins)
    bars = []
    for at, count in enumerate(bins):
        height = (HEIGHT - 2 * MARGIN) * count / top
        low, high = 100 * at // len(bins), 100 * (at + 1) // len(bins)
        bars.append(
            f'<rect x="{MARGIN + at * step:.1f}" y="{HEIGHT - MARGIN - height:.1f}" width="{step - 2:.1f}" '
            f'height="{height:.1f}"><title>{low}% to {high}%: {count:,} rows</title></rect>'
        )
    labels = "".join(
        f'<text x="{MARGIN + (WIDTH - 2 * MARGIN) * share / 100:.0f}" y="{HEIGHT - 6}" '
        f'text-anchor="middle">{share}%</text>'
        for share in range(0, 101, 20)
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="histogram">{"".join(bars)}{labels}'
        f'<text x="{MARGIN}" y="14">{top:,} rows</text></svg>'
    )
