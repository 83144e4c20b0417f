"""Builds the Cython extensions and maps the packages; everything else is declared in pyproject.toml."""

import multiprocessing
import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

CPUS = os.cpu_count() or 1
# FFGRAMMAR_SANITIZE=1 builds the extensions with AddressSanitizer and UBSan (`make asan`).
SANITIZE = os.environ.get("FFGRAMMAR_SANITIZE") == "1"
FLAGS = ["-O2", "-g0", "-fno-strict-aliasing"]
LINK: list[str] = []
if SANITIZE:
    FLAGS = ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    LINK = ["-fsanitize=address,undefined"]

DIRECTIVES = {
    "language_level": 3,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
    "freethreading_compatible": True,
    # Annotations are for mypy: Cython would refuse subclasses of dict and str, which a schema may have.
    "annotation_typing": False,
}


def _is_compiled(path: Path) -> bool:
    """Whether Cython compiles a Python module as it is: those on the way to the first mask say so in their first line.
    The others would take as long to build, and most schemas do not meet them."""
    with path.open(encoding="utf-8") as lines:
        return next(lines, "").startswith("# cython:")


def extensions() -> list[Extension]:
    """One extension per .pyx file and per module that is compiled as it is, named by its place."""
    python = [path for path in Path("ffgrammar").rglob("*.py") if _is_compiled(path)]
    return [
        Extension(
            ".".join(path.with_suffix("").parts),
            [str(path)],
            extra_compile_args=["-pthread", *FLAGS],
            extra_link_args=["-pthread", *LINK],
        )
        for path in sorted([*Path("ffgrammar").rglob("*.pyx"), *python])
    ]


class BuildExtensions(build_ext):
    """Translates with Cython only when extensions are built (not for an sdist or metadata), on all processors."""

    def build_extensions(self) -> None:
        # Cython's workers are forked processes; where processes are spawned this script would run once in each.
        forks = multiprocessing.get_context().get_start_method() == "fork"
        translated = cythonize(
            self.extensions,
            compiler_directives=DIRECTIVES,
            build_dir="build/cython",
            nthreads=CPUS if forks else 0,
            force=self.force,
        )
        for extension, source in zip(self.extensions, translated, strict=True):
            extension.sources = source.sources
            extension.depends = source.depends
        super().build_extensions()


setup(
    packages=[*find_packages(include=["ffgrammar", "ffgrammar.*"]), "ffgrammar_cli", "ffgrammar_cli.bench"],
    # `cli` would clash with other packages' at the top level.
    package_dir={"ffgrammar_cli": "cli", "ffgrammar_cli.bench": "cli/bench"},
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildExtensions},
    options={
        "build": {"build_base": "build/sanitized" if SANITIZE else "build"},
        "build_ext": {"parallel": CPUS},
    },
)
