"""Builds the Cython extensions and maps the packages. Everything else is declared in pyproject.toml.

This file has, in order: the compiler's flags, which modules are compiled, the build with a check that there is a
compiler, and the packages.
"""

import multiprocessing
import os
import tempfile
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

CPUS = os.cpu_count() or 1
# FFGRAMMAR_SANITIZE=address,undefined builds the extensions with AddressSanitizer and UBSan (`make asan`), and =thread
# with ThreadSanitizer (`make tsan`).
SANITIZE = os.environ.get("FFGRAMMAR_SANITIZE", "")
# (`-fno-plt`: calls of CPython go through fewer lines of the processor's cache, of which a compilation uses many. The
# median time to the first mask is 2% less.)
FLAGS = ["-g0", "-fno-strict-aliasing", "-fno-plt"]
# What Cython makes of Python calls CPython for nearly everything. There `-O2` gains little, and takes longer. A
# sanitizer would find nothing there, since CPython itself is not built with one.
FOR_CYTHON, FOR_PYTHON = ["-O2", *FLAGS], ["-O1", *FLAGS]
LINK: list[str] = []
if SANITIZE:
    FOR_CYTHON = ["-O1", "-g1", "-fno-strict-aliasing", "-fno-omit-frame-pointer", f"-fsanitize={SANITIZE}"]
    FOR_CYTHON += ["-fno-sanitize-recover=undefined"]
    LINK = [f"-fsanitize={SANITIZE}"]

# An extension that Cython writes. It has what all others need of Cython, so that they have no copies of it. (This
# saves a tenth of the build.)
SHARED = "ffgrammar.core.cython_shared"

DIRECTIVES = {
    "language_level": 3,
    "cdivision": True,
    "initializedcheck": False,
    # Compiled functions have signatures that `inspect` can read, so docstrings need no copies of them.
    "embedsignature": False,
    # (Copies of the source in the C code lengthen it by a quarter.)
    "emit_code_comments": False,
    # (Pickles of what only C code can fill would make objects that crash. The classes that are pickled say how.)
    "auto_pickle": False,
    "freethreading_compatible": True,
    # Annotations are for mypy: Cython would refuse subclasses of dict and str, which a schema may have.
    "annotation_typing": False,
}

NO_COMPILER = (
    "error: building ffgrammar needs a C compiler and Python's headers, and a first test of them failed. To install "
    "them: apt install gcc python3-dev (Debian, Ubuntu), dnf install gcc python3-devel (Fedora), "
    "xcode-select --install (macOS). CC=/path/to/cc names another compiler."
)


def _is_compiled(path: Path) -> bool:
    """Whether Cython compiles a Python module unchanged. The first line of a module asks for it, if the module runs
    before the first mask. To compile the others would lengthen the build, and gain nothing for most schemas."""
    with path.open(encoding="utf-8") as lines:
        return next(lines, "").startswith("# cython:")


def extensions() -> list[Extension]:
    """One extension for each .pyx file and each compiled Python module, named after its path, and the shared one."""
    python = [path for path in Path("ffgrammar").rglob("*.py") if _is_compiled(path)]
    return [_extension(SHARED, []), *map(_of_file, sorted([*Path("ffgrammar").rglob("*.pyx"), *python]))]


def _of_file(path: Path) -> Extension:
    return _extension(
        ".".join(path.with_suffix("").parts), [str(path)], FOR_PYTHON if path.suffix == ".py" else FOR_CYTHON
    )


def _extension(name: str, sources: list[str], flags: list[str] = FOR_CYTHON) -> Extension:
    return Extension(
        name,
        sources,
        extra_compile_args=["-pthread", *flags],
        extra_link_args=["-pthread", *LINK],
    )


class BuildExtensions(build_ext):
    """Translates with Cython on all processors, and only when extensions are built (not for an sdist or metadata)."""

    def build_extensions(self) -> None:
        self._check_compiler()
        # Cython's workers are forked processes. Where processes are spawned, each would run this script again.
        forks = multiprocessing.get_context().get_start_method() == "fork"
        translated = cythonize(
            self.extensions,
            shared_utility_qualified_name=SHARED,
            compiler_directives=DIRECTIVES,
            build_dir="build/cython",
            nthreads=CPUS if forks else 0,
            force=self.force,
        )
        for extension, source in zip(self.extensions, translated, strict=True):
            extension.sources = source.sources
            extension.depends = source.depends
        super().build_extensions()

    def _check_compiler(self) -> None:
        """Fails before the long translation if no compiler works, or if Python's headers are missing."""
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder) / "probe.c"
            probe.write_text("#include <Python.h>\n")
            try:
                self.compiler.compile([str(probe)], output_dir=folder, include_dirs=self.include_dirs)
            except CompileError:
                raise SystemExit(NO_COMPILER) from None


setup(
    packages=[
        *find_packages(include=["ffgrammar", "ffgrammar.*"]),
        "ffgrammar_cli",
        *(f"ffgrammar_cli.{name}" for name in find_packages("cli")),
        "ffgrammar.library",
    ],
    # Under the name `cli` the command line would clash with other packages. The library has no code: it is a folder of
    # grammars in the package.
    package_dir={"ffgrammar_cli": "cli", "ffgrammar.library": "grammars"},
    ext_modules=extensions(),
    cmdclass={"build_ext": BuildExtensions},
    options={
        "build": {"build_base": f"build/sanitized-{SANITIZE}" if SANITIZE else "build"},
        "build_ext": {"parallel": CPUS},
    },
)
