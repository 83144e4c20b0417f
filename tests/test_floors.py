"""The floors of the package: a floor imports only itself and the floors below it, and no modules each other. Every
import line is read."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ["core", "tokens", "regex", "grammar", "engine", "api"]
# What may be imported from outside, beside the standard library and Cython's own declarations.
OUTSIDE = {
    "cython",
    "cpython",
    "libc",
    "click",
    "numpy",
    "referencing",
    "regex",
    "tiktoken",
    "tokenizers",
    "transformers",
}

# What the bench of the command line may import too: peers, and what draws and judges.
BENCH = {"jsonschema", "llguidance", "matplotlib", "torch", "xgrammar"}

# `from X import a, b` and `from X cimport a`, with or without parentheses; X may be relative.
FROM = re.compile(r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n#;]+)", re.MULTILINE)
PLAIN = re.compile(r"^[ \t]*c?import[ \t]+([^\n#;]+)", re.MULTILINE)
# Docstrings and other triple-quoted texts may show examples.
TEXTS = re.compile(r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'')
COMMENTS = re.compile(r"#[^\n]*")


def _sources(folder: str) -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".pyi", ".pyx", ".pxd", ".pxi"})


def _names(listed: str) -> list[str]:
    parts = COMMENTS.sub("", listed).strip("() \t\n").replace("\n", " ").split(",")
    return [part.split()[0] for part in parts if part.strip()]


def _absolute(module: str, path: Path) -> str:
    dots = len(module) - len(module.lstrip("."))
    if not dots:
        return module
    package = path.relative_to(ROOT).parent.parts
    return ".".join([*package[: len(package) - dots + 1], module[dots:]]).rstrip(".")


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports or cimports, dotted; `from X import y` gives X.y too, y may be a module."""
    text = TEXTS.sub('""', path.read_text(encoding="utf-8"))
    for match in FROM.finditer(text):
        module = _absolute(match[1], path)
        yield module
        yield from (f"{module}.{name}" for name in _names(match[2]))
    for match in PLAIN.finditer(text):
        yield from _names(match[1])


def _floor(module: str) -> int | None:
    parts = module.split(".")
    return FLOORS.index(parts[1]) if len(parts) > 1 and parts[1] in FLOORS else None


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", _sources("ffgrammar"), ids=_name)
def test_a_floor_imports_only_floors_below(path: Path) -> None:
    parts = path.relative_to(ROOT / "ffgrammar").parts
    own = FLOORS.index(parts[0]) if len(parts) > 1 else len(FLOORS)
    for module in imports(path):
        top = module.split(".")[0]
        assert top not in {"cli", "ffgrammar_cli", "tests", "oracle"}, f"{_name(path)} imports {module}"
        if top == "ffgrammar":
            floor = _floor(module)
            assert floor is not None, f"{_name(path)} imports {module}, which is on no floor"
            assert floor <= own, f"{_name(path)} imports {module} from above"


@pytest.mark.parametrize("path", _sources("cli"), ids=_name)
def test_the_command_line_uses_public_names_only(path: Path) -> None:
    import ffgrammar

    for module in imports(path):
        if module.split(".")[0] == "ffgrammar":
            parts = module.split(".")
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
        for path in _sources(folder)
        for module in imports(path)
        if module.split(".")[0] not in (known | BENCH if path.parent.name == "bench" else known)
    }
    assert not strangers


def _needed(path: Path) -> set[Path]:
    """The files that a file needs to be loaded: not what a function imports, nor what is there for types alone. A
    cimport needs the declarations of a module, which are a file of their own."""
    text = TEXTS.sub('""', path.read_text(encoding="utf-8"))
    found: set[Path] = set()
    for match in [*FROM.finditer(text), *PLAIN.finditer(text)]:
        if match[0][0] in " \t":
            continue
        module = _absolute(match[1], path)
        modules = [module, *[f"{module}.{name}" for name in _names(match[2])]] if match.re is FROM else _names(match[1])
        suffixes = [".pxd"] if "cimport" in match[0] else [".py", ".pyx", "/__init__.py"]
        files = [ROOT / (one.replace(".", "/") + suffix) for one in modules for suffix in suffixes]
        found.update([file for file in files if file.exists()])
    return found


def test_no_circles() -> None:
    needs = {path: _needed(path) for path in _sources("ffgrammar") if path.suffix != ".pyi"}
    folder = ROOT / "ffgrammar" / "grammar" / "json_schema"
    assert folder / "shape" / "shape.py" in needs[folder / "normalize" / "combine.py"]
    while needs:
        free = [path for path, needed in needs.items() if needed.isdisjoint(needs)]
        assert free, f"these need each other: {[_name(path) for path in needs]}"
        for path in free:
            del needs[path]


def test_the_reader_of_imports_sees_them_all() -> None:
    found = list(imports(ROOT / "tests" / "test_floors.py"))
    assert {"re", "sys", "pathlib.Path", "collections.abc.Iterator", "pytest", "ffgrammar"} <= set(found)
    for name in FLOORS:
        assert _sources(f"ffgrammar/{name}"), f"the floor {name} is empty: does the test look in the right place?"
