"""The imports of a package, read from its sources, and what they show: its files, its rooms and its floors.

A *room* is a folder: the files directly in it. A *floor* is a top room of `ffgrammar` with everything below it. The
tests of the floors and the picture of the architecture both read imports here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

__all__ = [
    "FLOORS",
    "ROOT",
    "absolute_imports",
    "circles",
    "file_graph",
    "floor_of",
    "imports",
    "room_graph",
    "sources",
]

ROOT = Path(__file__).resolve().parent.parent

# The floors from the ground up: a floor imports itself and the floors below it. Those on one line stand side by side
# and do not import each other.
FLOORS: list[tuple[str, ...]] = [
    ("core",),
    ("draw",),
    ("tokens", "regex"),
    ("grammar",),
    ("engine",),
    ("api",),
    ("integrations", "corpus"),
    ("lm",),
    ("play",),
]

SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".pxi"}

# `from X import a, b` and `from X cimport a`, with or without parentheses; X may be relative.
FROM = re.compile(r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n#;]+)", re.MULTILINE)
PLAIN = re.compile(r"^[ \t]*c?import[ \t]+([^\n#;]+)", re.MULTILINE)
# Docstrings and other triple-quoted texts may show examples.
TEXTS = re.compile(r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'')
COMMENTS = re.compile(r"#[^\n]*")


def sources(folder: str, root: Path = ROOT) -> list[Path]:
    """The Python and Cython sources in and below a folder."""
    return sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)


def floor_of(name: str) -> int | None:
    """The number of the floor that a top room of `ffgrammar` stands on."""
    return next((number for number, rooms in enumerate(FLOORS) if name in rooms), None)


def _names(listed: str) -> list[str]:
    parts = COMMENTS.sub("", listed).strip("() \t\n").replace("\n", " ").split(",")
    return [part.split()[0] for part in parts if part.strip()]


def _absolute(module: str, package: tuple[str, ...]) -> str:
    dots = len(module) - len(module.lstrip("."))
    if not dots:
        return module
    return ".".join([*package[: len(package) - dots + 1], module[dots:]]).rstrip(".")


def absolute_imports(text: str, package: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """Each import of a source text as (module, name): `from a import b` is ("a", "b"), `import a` is ("a", None).

    Imports for types alone and imports inside functions count like all others. `package` is where the source lies, for
    its relative imports.
    """
    text = TEXTS.sub('""', text)
    for match in FROM.finditer(text):
        module = _absolute(match[1], package)
        yield from ((module, name) for name in _names(match[2]))
    for match in PLAIN.finditer(text):
        yield from ((name, None) for name in _names(match[1]))


def _imports(path: Path, root: Path) -> Iterator[tuple[str, str | None]]:
    return absolute_imports(path.read_text(encoding="utf-8"), path.relative_to(root).parent.parts)


def imports(path: Path, root: Path = ROOT) -> Iterator[str]:
    """Every module that a file imports or cimports, dotted; `from X import y` gives X.y too, as y may be a module."""
    for module, name in _imports(path, root):
        yield module
        if name is not None:
            yield f"{module}.{name}"


def _key(path: Path, root: Path) -> str:
    return path.relative_to(root).with_suffix("").as_posix()


def file_graph(folder: str, root: Path = ROOT) -> dict[str, set[str]]:
    """Which files of a package need which others, by path without suffix.

    A module and its declarations (.pyx, .pxd and .pyi) are one file here. An import of a package counts as an import of
    its `__init__`.
    """
    keys = {_key(path, root) for path in sources(folder, root)}
    graph: dict[str, set[str]] = {key: set() for key in keys}

    def found(dotted: str) -> str | None:
        key = dotted.replace(".", "/")
        return next((one for one in (key, f"{key}/__init__") if one in keys), None)

    for path in sources(folder, root):
        own = _key(path, root)
        for module, name in _imports(path, root):
            target = (found(f"{module}.{name}") if name else None) or found(module)
            if target is not None and target != own:
                graph[own].add(target)
    return graph


def room_graph(files: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    """The same for rooms: which folders need which others."""
    graph: dict[str, set[str]] = {}
    for key, targets in files.items():
        own = key.rpartition("/")[0]
        needed = graph.setdefault(own, set())
        needed.update({target.rpartition("/")[0] for target in targets} - {own})
    return graph


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The sets of nodes that need each other, each sorted: what Tarjan's algorithm finds, without the single nodes."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in number:
                visit(target)
            if target in stack:
                lowest[node] = min(lowest[node], lowest[target])
        if lowest[node] == number[node]:
            start = stack.index(node)
            members = sorted(stack[start:])
            del stack[start:]
            if len(members) > 1:
                found.append(members)

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return sorted(found)
