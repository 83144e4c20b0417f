"""Template strings of Python 3.14: what `lm.template` makes of them is what `+` makes of their parts.

This runs in Pyodide, where nothing is compiled: the compiled modules and numpy are stand-ins, which no program needs
before it is written.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCES = Path("/sources")


class StandIn(ModuleType):
    """A module that has a class for each name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {"__module__": self.__name__, "__class_getitem__": classmethod(lambda cls, _: cls)})
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds stand-ins for numpy and for modules that are compiled."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        file = SOURCES / name.replace(".", "/")
        compiled = file.with_suffix(".pyx").exists() or file.with_suffix(".pxd").exists()
        if name.split(".")[0] in ("numpy", "regex") or (compiled and not file.is_dir()):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


sys.meta_path.insert(0, Finder())
sys.path.insert(0, str(SOURCES))
# (the packages themselves import everything)
for package in ("ffgrammar", "ffgrammar.api", "ffgrammar.lm"):
    made = ModuleType(package)
    made.__path__ = [str(SOURCES / package.replace(".", "/"))]
    sys.modules[package] = made

from ffgrammar.lm.chat import user  # noqa: E402
from ffgrammar.lm.program import gen, select  # noqa: E402
from ffgrammar.lm.template import template  # noqa: E402

assert sys.version_info >= (3, 14), sys.version
names = {
    "count": gen("count", regex="[0-9]+"),
    "pet": select("pet", ["cat", "dog"]),
    "noun": "apples {{x}} {gen}",
    "number": 3.14159,
    "turn": user("Hi"),
}
count, pet = names["count"], names["pet"]
cases = {
    't""': "",
    't"text"': "text",
    't"{count}"': count,
    't"I have {count} {noun} and a {pet}."': "I have " + count + " apples {{x}} {gen} and a " + pet + ".",
    't"{number:.2f} {number!r} {noun!r:>20} {noun!a}"': "3.14 3.14159 'apples {{x}} {gen}' 'apples {{x}} {gen}'",
    't"{{braces}} {1 + 1}{None}"': "{braces} 2None",
    't"{turn}"': names["turn"],
    't"{template(t"[{count}]")}!"': "[" + count + "]!",
}
for source, expected in cases.items():
    found = template(eval(source, {**names, "template": template}))
    same = template("").__call__() + expected
    assert found.pieces == same.pieces, (source, found.pieces, same.pieces)
for value in (3, b"x", None):
    try:
        template(value)
    except TypeError as error:
        assert "template string" in str(error)
    else:
        raise AssertionError(value)
print(f"{len(cases)} template strings, Python {sys.version.split()[0]}")
