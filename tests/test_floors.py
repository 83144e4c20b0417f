"""The floors of the package: a floor imports only itself and the floors below it, and neither files nor rooms need
each other in a circle. Every import line is read, also those for types alone and those inside functions."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from imports import FLOORS, ROOT, absolute_imports, circles, file_graph, floor_of, imports, room_graph, sources

# What may be imported from outside, beside the standard library and Cython's own declarations.
OUTSIDE = {
    "cython",
    "cpython",
    "libc",
    "anyio",
    "click",
    "numpy",
    "pydantic",
    "referencing",
    "regex",
    "tiktoken",
    "exllamav3",
    "genlm",
    "llama_cpp",
    "mlx",
    "outlines",
    "sgl_kernel",
    "sgl_kernel_npu",
    "sglang",
    "sentencepiece",
    "starlette",
    "tokenizers",
    "torch",
    "transformers",
    "uvicorn",
}

# What the bench of the command line may import too: peers, and what judges.
BENCH = {"jsonschema", "llguidance", "xgrammar"}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_every_room_is_on_a_floor() -> None:
    rooms = {path.parent.name for path in (ROOT / "ffgrammar").glob("*/__init__.py")}
    listed = [name for floor in FLOORS for name in floor]
    assert rooms == set(listed) and len(rooms) == len(listed)


@pytest.mark.parametrize("path", sources("ffgrammar"), ids=_name)
def test_a_floor_imports_only_floors_below(path: Path) -> None:
    parts = path.relative_to(ROOT / "ffgrammar").parts
    room = parts[0] if len(parts) > 1 else None
    own = len(FLOORS) if room is None else floor_of(room)
    assert own is not None
    for module in imports(path):
        top, _, inner = module.partition(".")
        assert top not in {"cli", "ffgrammar_cli", "tests", "oracle"}, f"{_name(path)} imports {module}"
        if top == "ffgrammar" and inner:
            other = inner.partition(".")[0]
            floor = floor_of(other)
            assert floor is not None, f"{_name(path)} imports {module}, which is on no floor"
            assert floor < own or other == room, f"{_name(path)} imports {module}, which is not below it"


@pytest.mark.parametrize("path", sources("cli"), ids=_name)
def test_the_command_line_uses_public_names_only(path: Path) -> None:
    import ffgrammar
    from ffgrammar import draw, lm, play

    packages = {"draw": draw, "lm": lm, "play": play}
    for module in imports(path):
        if module.split(".")[0] == "ffgrammar":
            parts = module.split(".")
            package = packages.get(parts[1]) if len(parts) > 1 else None
            if package is not None:
                assert len(parts) == 2 or parts[2] in package.__all__, f"{_name(path)}: {module} is not public"
                continue
            assert len(parts) <= 2, f"{_name(path)} imports {module}"
            assert len(parts) == 1 or parts[1] in ffgrammar.__all__, f"{_name(path)}: {parts[1]} is not public"
        # It is ffgrammar_cli where it is installed and cli in a checkout, so it must name itself by neither.
        assert module.split(".")[0] != "ffgrammar_cli"
    used = set(re.findall(r"\bff\.(\w+)", path.read_text(encoding="utf-8")))
    assert used <= set(ffgrammar.__all__)


@pytest.mark.parametrize("folder", ["ffgrammar", "cli"])
def test_nothing_undeclared_is_imported(folder: str) -> None:
    known = OUTSIDE | {"ffgrammar", "cli"} | set(sys.stdlib_module_names)
    strangers = {
        (_name(path), module)
        for path in sources(folder)
        for module in imports(path)
        if module.split(".")[0] not in (known | BENCH if path.parent.name == "bench" else known)
    }
    assert not strangers


@pytest.mark.parametrize("folder", ["ffgrammar", "cli"])
def test_no_files_need_each_other(folder: str) -> None:
    graph = file_graph(folder)
    assert sum(map(len, graph.values())) > 30, "does the test look in the right place?"
    found = circles(graph)
    assert not found, f"files in a circle: {found}"


@pytest.mark.parametrize("folder", ["ffgrammar", "cli"])
def test_no_rooms_need_each_other(folder: str) -> None:
    graph = room_graph(file_graph(folder))
    assert any(graph.values()), "does the test look in the right place?"
    found = circles(graph)
    between = {room: sorted(graph[room] & set(circle)) for circle in found for room in circle}
    assert not found, f"rooms in a circle, and what each imports of it: {between}"


def test_the_reader_of_imports_sees_them_all() -> None:
    text = '''
"""Not this one: import nothing"""
import os, numpy as np
from pathlib import (
    Path,  # a comment
    PurePath as Pure,
)
from ..spec import options
from .shape cimport Shape
from . import common
if TYPE_CHECKING:
    from ffgrammar.api.grammar import Grammar
def later():
    from ffgrammar.api import compiled
'''
    assert set(absolute_imports(text, ("ffgrammar", "grammar", "normalize"))) == {
        ("os", None),
        ("numpy", None),
        ("pathlib", "Path"),
        ("pathlib", "PurePath"),
        ("ffgrammar.grammar.spec", "options"),
        ("ffgrammar.grammar.normalize.shape", "Shape"),
        ("ffgrammar.grammar.normalize", "common"),
        ("ffgrammar.api.grammar", "Grammar"),
        ("ffgrammar.api", "compiled"),
    }


def test_circles_are_found(tmp_path: Path) -> None:
    """By imports for types, inside functions, of packages, and by declarations."""
    files = {
        "p/a.py": "if TYPE_CHECKING:\n    from p.b import B\n",
        "p/b.py": "def f():\n    from .inner import c\n",
        "p/inner/__init__.py": "",
        "p/inner/c.pyx": "from p.inner.d cimport D\n",
        "p/inner/d.pxd": "from p cimport a\n",
        "p/e.py": "import p.inner\nfrom p.inner.c import x\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    graph = file_graph("p", tmp_path)
    assert graph["p/e"] == {"p/inner/__init__", "p/inner/c"}
    assert circles(graph) == [["p/a", "p/b", "p/inner/c", "p/inner/d"]]
    assert circles(room_graph(graph)) == [["p", "p/inner"]]
