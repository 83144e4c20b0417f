"""ExLlamaV3's filters without the rest of it, which needs a GPU to be imported."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path
from types import ModuleType

__all__ = ["exllamav3_filters"]


def exllamav3_filters() -> None:
    """Make `exllamav3.generator.filter.filter` importable: the file of the installed package. What it imports for its
    annotations is an empty class."""
    if "exllamav3" in sys.modules:
        return
    files = importlib.metadata.files("exllamav3") or []
    (found,) = [file for file in files if str(file).endswith("generator/filter/filter.py")]
    folder = Path(found.locate()).parent
    for name, place in (
        ("exllamav3", folder.parent.parent),
        ("exllamav3.generator", folder.parent),
        ("exllamav3.generator.filter", folder),
        ("exllamav3.tokenizer", None),
    ):
        module = ModuleType(name)
        if place is not None:
            module.__path__ = [str(place)]
        sys.modules[name] = module
    sys.modules["exllamav3.tokenizer"].Tokenizer = type("Tokenizer", (), {})  # type: ignore[attr-defined]
