"""The files of results of two runs, compared."""

from __future__ import annotations

from pathlib import Path

__all__ = ["count_differences", "files_of"]


def files_of(folder: Path) -> dict[str, bytes]:
    """All files in a folder and below, by their paths in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def count_differences(wanted: dict[str, bytes], found: dict[str, bytes]) -> int:
    """How many files are missing, too many, or different."""
    return sum(wanted.get(name) != found.get(name) for name in wanted.keys() | found.keys())
