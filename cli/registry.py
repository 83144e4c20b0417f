"""`--registry`: the schemas that a schema refers to in other documents."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import click

__all__ = ["read_registry"]


def read_registry(given: tuple[str, ...]) -> dict[str, str]:
    """The JSON texts of the files and folders given as `PATH` or `URI=PATH`, by their URI.

    Raises:
        click.UsageError: a file cannot be read, or has no name.
    """
    found: dict[str, str] = {}
    for item in given:
        uri, path = "", item
        if not os.path.exists(item) and "=" in item:
            # The URI may contain = as well.
            uri, _, path = item.rpartition("=")
        for name, text in _folder(uri, path) if os.path.isdir(path) else [_file(uri, path)]:
            if not name:
                raise click.UsageError(f"--registry {item}: the schema has no $id; give its name as URI={path}")
            found[name] = text
    return found


def _file(uri: str, path: str) -> tuple[str, str]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"--registry {path}: not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise click.UsageError(f"--registry {path or repr(path)}: {error.strerror}") from error
    return uri or _own_name(path, text), text


def _own_name(path: str, text: str) -> str:
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"--registry {path}: not JSON: {error}") from error
    name = schema.get("$id", schema.get("id")) if isinstance(schema, dict) else None
    return name.rstrip("#") if isinstance(name, str) else ""


def _folder(uri: str, path: str) -> Iterator[tuple[str, str]]:
    """The .json files in and below a folder, by name. A name is the URI, followed by the file's path below the folder.
    If no URI is given, it is the file's `$id`. A file without a name is left out."""
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            if not name.endswith(".json"):
                continue
            full = os.path.join(folder, name)
            relative = os.path.relpath(full, path).replace(os.sep, "/")
            known, text = _file(f"{uri.rstrip('/')}/{relative}" if uri else "", full)
            if known:
                yield known, text
