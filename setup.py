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
    "annotation_typing": False,
}


def extensions() -> list[Extension]:
    """One extension per .pyx file, named by its place."""
    found = []
    for path in sorted(Path("ffgrammar").rglob("*.pyx")):
        name = ".".join(path.with_suffix("").parts)
        found.append(Extension(name, [str(path)], extra_compile_args=FLAGS, extra_link_args=LINK))
    import glob
    for path in [Path(p) for p in os.environ.get("FR_PY","").split()]:
        name = ".".join(path.with_suffix("").parts)
        found.append(Extension(name, [str(path)], extra_compile_args=FLAGS, extra_link_args=LINK))
    return found


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
    packages=[*find_packages(include=["ffgrammar", "ffgrammar.*"]), "ffgrammar_cli"],
    # `cli` would clash with other packages' at the top level.
    package_dir={"ffgrammar_cli": "cli"},
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildExtensions},
    options={
        "build": {"build_base": "build/sanitized" if SANITIZE else "build"},
        "build_ext": {"parallel": CPUS},
    },
)
