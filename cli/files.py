"""Reading what a path names, where - is stdin."""

from __future__ import annotations

import errno
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import IO

import click

__all__ = ["open_input", "read_input"]

# How much of a path that does not exist is shown. It may be a whole text.
SHOWN = 200


def open_input(path: str) -> AbstractContextManager[IO[bytes]]:
    """A file to read, or stdin for -, which stays open.

    Raises:
        click.ClickException: there is no such file. Where a text was given in place of a path, this says what to do.
        OSError: the file cannot be read.
    """
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open(path, "rb")
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENAMETOOLONG):
            raise
        shown = path if len(path) <= SHOWN else path[:SHOWN] + "..."
        raise click.ClickException(
            f"{shown}: {error.strerror} (a path is expected here; to give the text itself, write - and pipe it in)"
        ) from error


def read_input(path: str) -> bytes:
    """The bytes of a file, or of stdin for -; errors are those of `open_input`."""
    with open_input(path) as file:
        return file.read()
