"""Imports Python modules of ffgrammar from their sources where the package has them compiled.

Coverage is seen in Python code only. The front-ends are Python modules that are compiled unchanged, and without this a
fuzzer would see next to nothing of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

__all__ = ["prefer_sources"]

# Cython code relies on the layout of its objects.
LEFT_COMPILED = "ffgrammar.grammar.ir"


class _Sources(MetaPathFinder):
    """Finds the modules of ffgrammar that have a source in Python."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith("ffgrammar.") or name == LEFT_COMPILED:
            return None
        found = (FileFinder(folder, (SourceFileLoader, [".py"])).find_spec(name) for folder in path or ())
        return next((spec for spec in found if spec is not None and spec.loader is not None), None)


def prefer_sources() -> None:
    """From now on, import sources where there are some. To be called before ffgrammar is imported."""
    sys.meta_path.insert(0, _Sources())
