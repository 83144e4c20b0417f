"""The picture of the rooms and of what they import: `python tests/architecture.py` writes docs/architecture.svg.

A box is a room (a folder). A line is an import by some file of the upper room. Floors lie on each other, and so do the
rooms of a floor: every line goes down. A line is left out where other lines already lead to the same room. So the
picture has few lines, and following them down from a room leads to every room that it imports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from imports import FLOORS, ROOT, file_graph, room_graph

__all__ = ["PICTURE", "reachable", "reduced", "rooms", "svg"]

PICTURE = ROOT / "docs" / "architecture.svg"

WIDTH = 900
LABEL = 80  # the names of the floors, at the left
BOX_HEIGHT = 26
ROW = 56
GAP = 14
LETTER = 7  # the width of a letter at 12px, about
SHIFTS = (0, -1, 1)  # of rows with one box, from the lowest up
COLOURS = {
    "core": "#6b7280",
    "tokens": "#0f766e",
    "regex": "#7c3aed",
    "grammar": "#b45309",
    "engine": "#1d4ed8",
    "api": "#be123c",
    "cli": "#374151",
}

Graph = Mapping[str, Iterable[str]]


def rooms() -> dict[str, set[str]]:
    """Each room of the package and of the command line, and the rooms that it imports."""
    found = room_graph(file_graph("ffgrammar"))
    found.update(room_graph(file_graph("cli")))
    # The command line uses public names only, which are those of the package itself.
    found["cli"] = found["cli"] | {"ffgrammar"}
    needed = set().union(*found.values())
    # A folder that only holds others is no room.
    return {room: targets for room, targets in found.items() if targets or room in needed}


def reachable(graph: Graph, start: str) -> set[str]:
    """All rooms that a room leads to."""
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        room = waiting.pop()
        if room not in found:
            found.add(room)
            waiting.extend(graph[room])
    return found


def reduced(graph: Graph) -> dict[str, set[str]]:
    """The graph without the lines that others make needless."""
    beyond = {room: {far for near in graph[room] if near != room for far in reachable(graph, near)} for room in graph}
    return {room: set(targets) - beyond[room] for room, targets in graph.items()}


def _top(room: str) -> str:
    parts = room.split("/")
    return parts[1] if len(parts) > 1 and parts[0] == "ffgrammar" else parts[0]


def _levels(graph: Graph, members: set[str]) -> dict[str, int]:
    """How high a room lies above the lowest of its floor: the longest way down."""
    found: dict[str, int] = {}

    def level(room: str) -> int:
        if room not in found:
            found[room] = 0  # (for rooms in a circle, which a test reports)
            found[room] = max([level(below) + 1 for below in sorted(graph[room]) if below in members], default=0)
        return found[room]

    for room in sorted(members):
        level(room)
    return found


def _name(room: str) -> str:
    parts = room.split("/")
    return "/".join(parts[1:]) or parts[0] if parts[0] == "ffgrammar" else room


def _box_width(room: str) -> float:
    return LETTER * len(_name(room)) + 18


Place = tuple[float, float]


def _columns(graph: Graph, floor: tuple[str, ...]) -> list[list[list[str]]]:
    """The rooms of a floor: a column for each of its top rooms, and in it the rows of rooms from the lowest up."""
    columns = []
    for top in floor:
        levels = _levels(graph, {room for room in graph if _top(room) == top})
        rows = range(max(levels.values()) + 1)
        columns.append([sorted([room for room in levels if levels[room] == row]) for row in rows])
    return columns


def _row_places(row: list[str], left: float, width: float, shift: float) -> Iterator[tuple[str, float]]:
    """The middles of a row's boxes. Rows of one box are shifted, so that lines which pass it can be seen."""
    free = (width - sum(_box_width(room) for room in row)) / (len(row) + 1)
    x = left + free + (shift * min(free, 160) if len(row) == 1 else 0)
    for room in row:
        yield room, x + _box_width(room) / 2
        x += _box_width(room) + free


def _places(graph: Graph) -> tuple[dict[str, Place], list[tuple[str, float, float]], float]:
    """The middle of each room, the bands of the floors (name, top, bottom), and the height of the picture."""
    y = float(GAP)
    places: dict[str, Place] = {}
    bands = []
    for floor in reversed([*FLOORS, ("ffgrammar",), ("cli",)]):
        columns = _columns(graph, floor)
        height = ROW * max(len(rows) for rows in columns)
        width = (WIDTH - LABEL) / len(columns)
        for number, rows in enumerate(columns):
            for level, row in enumerate(rows):
                for room, x in _row_places(row, LABEL + number * width, width, SHIFTS[level % len(SHIFTS)]):
                    places[room] = (x, y + height - ROW * (level + 0.5))
        bands.append((", ".join(floor) if floor != ("ffgrammar",) else "public names", y, y + height))
        y += height + GAP
    return places, bands, y


def svg() -> str:
    """The picture."""
    graph = rooms()
    places, bands, height = _places(graph)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        "<title>The rooms of ffgrammar, floor by floor, and what they import</title>",
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    for name, top, bottom in bands:
        lines.append(
            f'<rect x="4" y="{top:.0f}" width="{WIDTH - 8}" height="{bottom - top:.0f}" rx="6" fill="#f3f4f6"/>'
        )
        for number, word in enumerate(name.split(", ")):
            lines.append(
                f'<text x="12" y="{top + 18 + 16 * number:.0f}" font-weight="600" fill="#374151">{word}</text>'
            )
    for room, targets in sorted(reduced(graph).items()):
        x, y = places[room][0], places[room][1] + BOX_HEIGHT / 2
        for target in sorted(targets):
            to_x, to_y = places[target][0], places[target][1] - BOX_HEIGHT / 2
            bend = max((to_y - y) / 2, 10)
            lines.append(
                f'<path d="M{x:.0f} {y:.0f}C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y:.0f}" '
                f'fill="none" stroke="{_colour(room)}" stroke-opacity="0.55">'
                f"<title>{escape(_name(room))} imports {escape(_name(target))}</title></path>"
            )
    for room, (x, y) in sorted(places.items()):
        width = _box_width(room)
        lines.append(
            f'<rect x="{x - width / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}" width="{width:.1f}" height="{BOX_HEIGHT}" '
            f'rx="4" fill="#ffffff" stroke="{_colour(room)}"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="{_colour(room)}">'
            f"{escape(_name(room))}</text>"
        )
    return "\n".join([*lines, "</svg>", ""])


def _colour(room: str) -> str:
    return COLOURS.get(_top(room), "#111827")


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
