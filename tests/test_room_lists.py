"""The lists of files in the docstrings of rooms: each says what is there, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from imports import ROOT

# An entry is `- name, name: what` or `name  what`, in columns. (The longest name of a list in columns has one space
# after it.)
_DASHED = re.compile(r"^- ([^:]+):", re.MULTILINE)
_IN_COLUMNS = re.compile(r"^ *([\w.`/]+) {2,}\S", re.MULTILINE)
_LONGEST = re.compile(r"^ *(\w+_\w+) \S", re.MULTILINE)


def _listed(text: str) -> Iterator[str]:
    """The names in the entries of a docstring."""
    for found in _DASHED.finditer(text):
        # (an idea in prose, such as "- Brackets. What stands between two brackets ...")
        if re.fullmatch(r"[\w`/.,\s]+", found[1]):
            yield from re.findall(r"[\w/.]+", found[1])
    for found in _IN_COLUMNS.finditer(text):
        yield found[1].strip("`")


def _rooms() -> list[Path]:
    return [path for folder in ("ffgrammar", "cli") for path in sorted((ROOT / folder).rglob("__init__.py"))]


@pytest.mark.parametrize("path", _rooms(), ids=lambda path: path.parent.relative_to(ROOT).as_posix())
def test_a_room_lists_its_files(path: Path) -> None:
    files = {one.stem for one in path.parent.iterdir() if one.suffix in (".py", ".pyx", ".pxd")} - {"__init__"}
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    if "reading order" not in text:
        assert len(files) <= 1, "the docstring lists no files in reading order"
        return
    listed = {name.removesuffix(".pyx").removesuffix("/") for name in _listed(text)}
    assert files - {"__main__"} <= listed | set(_LONGEST.findall(text))
    folders = {one.name for one in path.parent.iterdir() if one.is_dir()}
    assert listed <= files | folders
