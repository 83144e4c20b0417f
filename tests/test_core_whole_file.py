"""Reading a whole file: the same bytes as Python's own `read`, whatever kind of file it is."""

from __future__ import annotations

import os
import random
from io import FileIO
from pathlib import Path

import pytest

from ffgrammar.core.whole_file import read_whole


@pytest.mark.parametrize("size", [0, 1, 4096, 65_535, 65_536, 300_001])
def test_the_same_bytes(size: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = random.Random(size).randbytes(size)
    path.write_bytes(data)
    with FileIO(path) as file:
        assert read_whole(file) == data
        assert read_whole(file) == b""
        file.seek(size // 2)
        assert read_whole(file) == data[size // 2 :]


def test_a_pipe() -> None:
    read, write = os.pipe()
    with FileIO(read) as file:
        with FileIO(write, "w") as other:
            other.write(b"some bytes")
        assert read_whole(file) == b"some bytes"


@pytest.mark.parametrize("change", [-100_000, 100_000])
def test_a_file_that_changes(change: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(200_000))

    class Changing(FileIO):
        def readinto(self, buffer: object) -> int | None:
            os.truncate(path, 200_000 + change)
            return super().readinto(buffer)  # type: ignore[arg-type]

    with Changing(path) as file:
        assert read_whole(file) == bytes(200_000 + change)
