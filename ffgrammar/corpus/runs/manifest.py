"""What a folder of results is the result of: the job, its options, the files, and how these were cut into parts.

A folder holds the results of one run. If the same run is started again, it goes on where it was. Another run is
refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from ffgrammar.corpus.data.part import Part, Source
from ffgrammar.corpus.data.writing import HALF, write_whole
from ffgrammar.corpus.runs.lock import LOCK

__all__ = ["MANIFEST", "SUMMARY", "check_folder", "open_folder", "write_summary"]

MANIFEST, SUMMARY = "manifest.json", "summary.json"
VERSION = 2
# The folders of the results of parts: their rows, and their summaries.
FOLDERS = ("rows", "parts")


def check_folder(folder: str) -> None:
    """Raise ValueError if a folder has anything but results in it."""
    if not os.path.isdir(folder):
        return
    names = {name for name in os.listdir(folder) if not name.endswith(HALF)}
    if MANIFEST not in names and names - {LOCK, *FOLDERS}:
        raise ValueError(f"{folder} is not empty, and has no results of an earlier run")


def open_folder(
    folder: str,
    description: dict[str, Any],
    sources: Sequence[Source],
    plan: Callable[[Sequence[Source]], Iterable[Part]],
) -> list[Part]:
    """The parts of a run whose results are in a folder that exists.

    Args:
        folder: its path.
        description: all that the results depend on, but for the files.
        sources: the files.
        plan: cuts the files into parts. It is called if the run is a new one.

    Raises:
        ValueError: the folder has the results of another run; or a file has changed.
        OSError: the folder cannot be read or written.
    """
    description = json.loads(json.dumps({"version": VERSION, **description}))
    path = os.path.join(folder, MANIFEST)
    if os.path.exists(path):
        return _go_on(folder, path, description, sources)
    for name in FOLDERS:
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    parts = list(plan(sources))
    places = {source: place for place, source in enumerate(sources)}
    listed = [[places[part.source], part.begin, part.end, part.first_row, part.size] for part in parts]
    manifest = {"run": description, "files": [asdict(one) for one in sources], "parts": listed}
    write_whole(path, json.dumps(manifest, indent=1).encode())
    return parts


def _go_on(folder: str, path: str, description: dict[str, Any], sources: Sequence[Source]) -> list[Part]:
    try:
        was, files, parts = _read(path)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError):
        raise ValueError(f"{path} is damaged, so the run cannot go on; choose another folder") from None
    if was != description:
        differ = sorted(name for name in {*was, *description} if was.get(name) != description.get(name))
        raise ValueError(
            f"{folder} has the results of another run, with other {', '.join(differ)}; choose another folder"
        )
    if files != list(sources):
        changed = sorted({one.path for one in files} ^ {one.path for one in sources}) or [
            one.path for one, other in zip(files, sources, strict=False) if one != other
        ]
        raise ValueError(
            f"{folder} has results for files that have changed since: {', '.join(changed[:5])}; choose another folder"
        )
    _drop_halves(folder)
    return parts


def _read(path: str) -> tuple[dict[str, Any], list[Source], list[Part]]:
    """The description, the files and the parts of a manifest. A damaged one raises this or that."""
    with open(path, "rb") as file:
        manifest = json.loads(file.read())
    files = [Source(**one) for one in manifest["files"]]
    parts = [Part(number, files[index], *rest) for number, (index, *rest) in enumerate(manifest["parts"])]
    _check_parts(files, parts)
    return dict(manifest["run"]), files, parts


def _check_parts(files: list[Source], parts: list[Part]) -> None:
    """Raise ValueError unless there are parts of each file, and each begins where the one before it ends."""
    starts = 0
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        starts += part.begin == 0
        if following is not None and following.begin:
            if (following.source, following.begin) != (part.source, part.end):
                raise ValueError("a part does not begin where the one before it ends")
        elif part.source.kind == "jsonl" and part.end != part.source.size:
            raise ValueError("the last part of a file is missing")
    if starts != len(files) or (parts and parts[0].begin):
        raise ValueError("the first part of a file is missing")


def write_summary(folder: str, found: dict[str, Any]) -> None:
    """Write the summary of a run that is done."""
    _drop_halves(folder)
    text = json.dumps(found, ensure_ascii=False, indent=1)
    write_whole(os.path.join(folder, SUMMARY), text.encode("utf-8", "surrogatepass"))


def _drop_halves(folder: str) -> None:
    """Remove what workers that died have left: files that were not complete."""
    for name in ("", *FOLDERS):
        for one in os.scandir(os.path.join(folder, name)):
            if one.name.endswith(HALF):
                os.unlink(one.path)
