"""Bars over a share from 0% to 100%, as a document of SVG."""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.draw.text import Html, html

__all__ = ["bars"]

WIDTH, HEIGHT, MARGIN = 640, 220, 24
STYLE = """
svg { color: #1b1f24; background: #ffffff; font: 12px system-ui, sans-serif }
text { fill: currentColor } rect { fill: #2f5597 }
""".strip()


def bars(counts: Sequence[int], title: str, unit: str) -> Html:
    """A histogram: the first bar counts what is near 0%, the last one what is near 100%.

    Args:
        counts: what the bars count.
        title: of the picture.
        unit: of what is counted, such as "rows".
    """
    top = max([*counts, 1])
    step = (WIDTH - 2 * MARGIN) / len(counts)
    drawn = [f'<text x="{MARGIN}" y="14">{top:,} {html(unit)}</text>']
    for at, count in enumerate(counts):
        height = (HEIGHT - 2 * MARGIN) * count / top
        low, high = 100 * at // len(counts), 100 * (at + 1) // len(counts)
        drawn.append(
            f'<rect x="{MARGIN + at * step:.1f}" y="{HEIGHT - MARGIN - height:.1f}" width="{step - 2:.1f}" '
            f'height="{height:.1f}"><title>{low}% to {high}%: {count:,} {html(unit)}</title></rect>'
        )
    for share in range(0, 101, 20):
        across = MARGIN + (WIDTH - 2 * MARGIN) * share / 100
        drawn.append(f'<text x="{across:.0f}" y="{HEIGHT - 6}" text-anchor="middle">{share}%</text>')
    return Html(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img"><title>{html(title)}</title><style>{STYLE}</style>{"".join(drawn)}</svg>\n'
    )
