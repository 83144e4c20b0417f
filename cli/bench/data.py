"""Schemas with documents: a MaskBench file, or a directory of schemas with samples beside them."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol, TypeVar

import click

from ..files import read_input

__all__ = ["Instance", "NothingSelected", "Schema", "compact", "load_schemas", "records", "select", "spaced"]

GZIP = b"\x1f\x8b"


class Named(Protocol):
    """What has an id."""

    @property
    def id(self) -> str: ...


Item = TypeVar("Item", bound=Named)


class NothingSelected(click.ClickException):
    """There is no schema, or none that was asked for."""


@dataclass(frozen=True)
class Instance:
    """A document.

    Attributes:
        valid: whether the schema allows it.
        data: its value; None for a sample that is no JSON.
        text: a sample as it is written; None for a document of MaskBench, which is only a value.
    """

    valid: bool
    data: Any
    text: str | None = None

    def written(self) -> str:
        """The sample's own text, or the value's usual spelling."""
        return spaced(self.data) if self.text is None else self.text


@dataclass(frozen=True)
class Schema:
    """A schema and its documents."""

    id: str
    schema: Any
    instances: tuple[Instance, ...]


def load_schemas(path: str | Path, *, only: str = "", **selection: Any) -> list[Schema]:
    """The schemas of a .jsonl or .jsonl.gz file (- is stdin), or of a directory. `select` has the other arguments.

    Raises:
        NothingSelected: no schema is selected.
        click.ClickException: a line or file is malformed.
        OSError: the file or directory cannot be read.
    """
    read = _of_directory(Path(path)) if Path(path).is_dir() else _of_lines(str(path))
    schemas = select(read, only=only, **selection)
    if not schemas:
        raise NothingSelected(f"{path}: no schemas here" + (f" with {only!r} in their id" if only else ""))
    return schemas


def select(
    items: Iterable[Item], *, limit: int | None = None, sample: int | None = None, seed: int = 0, only: str = ""
) -> list[Item]:
    """The items that were asked for.

    Args:
        items: what to choose from.
        limit: how many items at most: the first of those that `only` and `sample` select.
        sample: how many items at random, of those that `only` selects.
        seed: of the sample.
        only: a text; an item is wanted if its id contains this text.
    """
    found = [item for item in items if only in item.id]
    if sample is not None and sample < len(found):
        chosen = sorted(Random(seed).sample(range(len(found)), sample))
        found = [found[index] for index in chosen]
    return found[:limit]


def _of_lines(path: str) -> Iterator[Schema]:
    for place, record in records(path):
        try:
            instances = tuple(Instance(bool(test["valid"]), test["data"]) for test in record["tests"])
            yield Schema(str(record["id"]), record["schema"], instances)
        except (KeyError, TypeError) as error:
            raise click.ClickException(
                f'{place}: {{"id": …, "schema": …, "tests": [{{"data": …, "valid": …}}, …]}} is expected'
            ) from error


def _of_directory(folder: Path) -> Iterator[Schema]:
    """The schemas are the files NAME.json; the samples of each may be in NAME.samples.ndjson. Structural tags, which
    are files NAME.tag.json, are left out."""
    for path in sorted(one for one in folder.glob("*.json") if not one.name.endswith(".tag.json")):
        try:
            schema = json.loads(path.read_bytes())
        except (ValueError, RecursionError) as error:
            raise click.ClickException(f"{path}: {error}") from error
        samples = path.with_suffix(".samples.ndjson")
        yield Schema(path.name, schema, tuple(_samples(samples)) if samples.exists() else ())


def _samples(path: Path) -> Iterator[Instance]:
    for place, record in records(str(path)):
        if not isinstance(record, dict):
            raise click.ClickException(f'{place}: {{"text": …, "valid": …}} is expected')
        if "text" not in record:
            continue  # the line is about forced tokens after a prefix, and no document
        text, valid = record["text"], record.get("valid")
        if not isinstance(text, str) or not isinstance(valid, bool):
            raise click.ClickException(f'{place}: {{"text": …, "valid": …}} is expected')
        try:
            data = json.loads(text)
        except ValueError:
            data = None
        yield Instance(valid, data, text)


def records(path: str) -> Iterator[tuple[str, Any]]:
    """The JSON value of each line of a file, with a name of the line for messages."""
    name = "stdin" if path == "-" else path
    content = read_input(path)
    if content.startswith(GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise click.ClickException(f"{name}: {error}") from error
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            place = f"{name}, line {number}"
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise click.ClickException(f"{place}: {error}") from error
            yield place, value


def spaced(data: Any) -> str:
    """The usual spelling of a value: json.dumps with a space after `,` and `:`."""
    return json.dumps(data, ensure_ascii=False)


def compact(data: Any) -> str:
    """The spelling of a value without spaces."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
