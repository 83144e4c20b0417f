"""Curves over one axis, as a document of SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from ffgrammar.draw.text import Html, html

__all__ = ["curves"]

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 36, 48
# A curve is told from the others by its colour and by its dashes.
STROKES = (("#2f5597", ""), ("#9a4d00", "7 3"), ("#1d6b35", "2 3"), ("#8f1160", "9 3 2 3"), ("#57606a", "4 4"))
STYLE = """
svg { color: #1b1f24; background: #ffffff; font: 12px system-ui, sans-serif }
text { fill: currentColor } path { fill: none; stroke-width: 2 } .grid { stroke: #c4cad1; stroke-width: 1 }
""".strip()

Point = tuple[float, float]


def curves(lines: Mapping[str, Sequence[Point]], title: str, x_label: str, y_label: str) -> Html:
    """A picture of some curves. The x axis is logarithmic; the y axis is linear and begins at 0.

    Args:
        lines: for each name, points from left to right; their x are above 0.
        title: of the picture.
        x_label, y_label: what the axes show.

    Raises:
        ValueError: there are no points, or an x is not above 0.
    """
    points = [point for line in lines.values() for point in line]
    if not points or min(x for x, _ in points) <= 0:
        raise ValueError("curves: there must be points, and each x must be above 0")
    low = floor(log10(min(x for x, _ in points)))
    high = max(ceil(log10(max(x for x, _ in points))), low + 1)
    most = max(y for _, y in points) or 1.0

    def place(point: Point) -> Point:
        across = (log10(point[0]) - low) / (high - low)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - point[1] / most * (HEIGHT - TOP - BOTTOM)

    drawn = [*_axes(low, high, most, x_label, y_label)]
    for number, (name, line) in enumerate(lines.items()):
        if line:
            drawn += _line(number, name, [place(point) for point in line])
    return Html(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img"><title>{html(title)}</title><style>{STYLE}</style>'
        f'<text x="{LEFT}" y="20" font-weight="600">{html(title)}</text>{"".join(drawn)}</svg>\n'
    )


def _axes(low: int, high: int, most: float, x_label: str, y_label: str) -> list[str]:
    """The grid, its numbers, and the labels."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    drawn = []
    for power in range(low, high + 1):
        x = LEFT + (power - low) / (high - low) * (right - LEFT)
        drawn.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
        drawn.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0**power:g}</text>')
    for part in range(6):
        y = bottom - part / 5 * (bottom - TOP)
        drawn.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
        drawn.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{most * part / 5:.3g}</text>')
    middle = (TOP + bottom) / 2
    drawn.append(f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{html(x_label)}</text>')
    drawn.append(
        f'<text transform="rotate(-90 14 {middle})" x="14" y="{middle}" text-anchor="middle">{html(y_label)}</text>'
    )
    return drawn


def _line(number: int, name: str, points: Sequence[Point]) -> list[str]:
    """A curve, and its line of the legend."""
    colour, dashes = STROKES[number % len(STROKES)]
    stroke = f'stroke="{colour}"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
    data = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    y = TOP + 14 + 18 * number
    legend = f'<path {stroke} d="M{LEFT + 10} {y}h28"/><text x="{LEFT + 44}" y="{y + 4}">{html(name)}</text>'
    return [f'<path {stroke} d="{data}"><title>{html(name)}</title></path>', legend]
