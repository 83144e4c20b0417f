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

# Python modules on the way to the first mask, which are compiled as they are; some have types in a .pxd beside them.
# The others would take as long to build, and most schemas do not meet them.
COMPILED = {
    "ffgrammar/grammar": ["ir", "productive"],
    "ffgrammar/grammar/json_schema": """applicators array_keywords arrays combine common dialects emit keywords layout
        literals multiples numbers object_keywords objects ordered places resources scalar_keywords scopes shape strings
        symbols""".split(),
    "ffgrammar/regex": ["json_text"],
}


def extensions() -> list[Extension]:
    """One extension per .pyx file, and per module that is compiled as it is, named by its place."""
    found = []
    python = [Path(folder, name + ".py") for folder, names in COMPILED.items() for name in names]
    for path in [*sorted(Path("ffgrammar").rglob("*.pyx")), *python]:
        name = ".".join(path.with_suffix("").parts)
        found.append(
            Extension(name, [str(path)], extra_compile_args=["-pthread", *FLAGS], extra_link_args=["-pthread", *LINK])
        )
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
