"""Where %import finds files: in the folders of a program, and in the library of this package.

A file outside these folders is never read: the steps of a path are names, and a link that leads out is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from ffgrammar.core.errors import GrammarError

__all__ = ["Files", "Found"]

LIBRARY = os.path.join(os.path.dirname(__file__), "data")
EXTENSION = ".lark"


class Found(NamedTuple):
    """A file.

    Attributes:
        path: where it is; all links are followed.
        name: what messages call it.
        folder: what its own relative imports are relative to.
    """

    path: str
    name: str
    folder: str


class Files:
    """The folders in which %import may look.

    Args:
        import_paths: the folders of imports such as `%import a.b.NAME`. They come before the library.
        base: the folder of relative imports, such as `%import .a.NAME`; None refuses them.
    """

    def __init__(self, import_paths: Iterable[str | os.PathLike[str]] = (), base: str | os.PathLike[str] | None = None):
        self.import_paths = [os.fspath(path) for path in import_paths]
        self.base = None if base is None else os.fspath(base)
        self._roots = [*self.import_paths, LIBRARY] + ([] if self.base is None else [self.base])
        for root in self._roots:
            if (b"\0" if isinstance(root, bytes) else "\0") in root:
                raise GrammarError(f"{root!r} is no folder: a path has no null character")

    def shadows(self, steps: tuple[str, ...]) -> bool:
        """Whether a folder of the program has a file of this name, which then counts before the library's."""
        written = os.path.join(*steps) + EXTENSION
        return any(os.path.isfile(os.path.join(folder, written)) for folder in self.import_paths)

    def find(self, steps: tuple[str, ...], relative: bool, folder: str | None) -> Found | str:
        """The file of an import, or what is wrong.

        Args:
            steps: the names between the dots.
            relative: whether the import begins with a dot.
            folder: what relative imports are relative to.
        """
        written = os.path.join(*steps) + EXTENSION
        if relative and folder is None:
            return f"an import that begins with a dot needs the folder of {written}: give it with base="
        folders = [str(folder)] if relative else [*self.import_paths, LIBRARY]
        for one in folders:
            path = os.path.join(one, written)
            if os.path.isfile(path):
                real = os.path.realpath(path)
                if not any(real.startswith(os.path.join(os.path.realpath(root), "")) for root in self._roots):
                    return f"{written} is a link that leads out of {one}"
                return Found(real, written, os.path.dirname(path))
        return f"there is no file {written} in {' or '.join(self._told(one) for one in folders)}"

    def _told(self, folder: str) -> str:
        return "the library" if folder == LIBRARY else folder

    def library(self) -> list[str]:
        """The names of the library's files."""
        return sorted(name.removesuffix(EXTENSION) for name in os.listdir(LIBRARY) if name.endswith(EXTENSION))
