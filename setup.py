"""Builds the Cython extensions and maps the packages. Everything else is declared in pyproject.toml.

This file has, in order: the compiler's flags, which modules are compiled, the build with a check that there is a
compiler, and the packages.

On Linux the code of all compiled modules is linked into one library. The file of each module is a stub of a few lines:
Python finds it, and it finds the library beside it. Files with the code of one module each take a third more room.
Code that is spread over more pages of memory is also slower: see docs/performance.md.
"""

import multiprocessing
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError
from setuptools.modified import newer

CPUS = os.cpu_count() or 1
# FFGRAMMAR_SANITIZE=address,undefined builds the extensions with AddressSanitizer and UBSan (`make asan`), and =thread
# with ThreadSanitizer (`make tsan`).
SANITIZE = os.environ.get("FFGRAMMAR_SANITIZE", "")
# (`-fno-plt`: calls of CPython go through fewer lines of the processor's cache, of which a compilation uses many. The
# median time to the first mask is 2% less.)
FLAGS = ["-g0", "-fno-strict-aliasing", "-fno-plt"]
# What Cython makes of Python calls CPython for nearly everything. There `-O2` gains little, and takes longer. Only two
# of its options are worth their time, because they move cold code away. A sanitizer would find nothing there, since
# CPython itself is not built with one.
APART = ["-freorder-blocks", "-freorder-blocks-and-partition"]
FOR_CYTHON, FOR_PYTHON = ["-O2", *FLAGS], ["-O1", *APART, *FLAGS]
# Each C file begins with this. The compiler moves whatever leads to a call of a cold function away from the code that
# runs. In Cython's C code, all that raises an error calls this one. So a quarter of the code is moved away, and not a
# ninth. (The median time to the first mask is 3% less.)
COLD = "static void __Pyx_AddTraceback(const char *, int, int, const char *) __attribute__((cold, unused));\n"
LINK: list[str] = []
if SANITIZE:
    FOR_CYTHON = ["-O1", "-g1", "-fno-strict-aliasing", "-fno-omit-frame-pointer", f"-fsanitize={SANITIZE}"]
    FOR_CYTHON += ["-fno-sanitize-recover=undefined"]
    LINK = [f"-fsanitize={SANITIZE}"]

# An extension that Cython writes. It has what all others need of Cython, so that they have no copies of it. (This
# saves a tenth of the build.)
SHARED = "ffgrammar.core.cython_shared"
# Whether the file of this extension is the library of all code. (Other systems than Linux have other rules for how a
# library is found.)
ONE_LIBRARY = sys.platform == "linux"
STUB = 'void *{whole}(void);\n__attribute__((visibility("default"))) void *{last}(void) {{ return {whole}(); }}\n'
# A stub needs nothing but the library, and is one page of memory.
LINK_STUB = ["-nostdlib", "-s", "-Wl,-z,noseparate-code"]

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
        cold = Path(self.build_temp, "cold.h")
        _write(cold, COLD)
        for extension in self.extensions:
            extension.extra_compile_args += ["-include", str(cold)]
        if ONE_LIBRARY:
            self._build_library()
        super().build_extensions()

    def _build_library(self) -> None:
        """Link the code of all extensions into the file of the first one, and make the others stubs."""
        library, *others = self.extensions
        with ThreadPoolExecutor(CPUS) as pool:
            library.extra_objects = library.depends = list(pool.map(self._compile, self.extensions))
        library.sources = []
        library.extra_link_args += [f"-Wl,-soname,{Path(self.get_ext_filename(library.name)).name}"]
        self.build_extension(library)
        for extension in others:
            extension.sources, extension.depends = [self._stub(extension)], []

    def _compile(self, extension: Extension) -> str:
        """Compile the C file of an extension if it is new. Returns the object file."""
        (source,) = extension.sources
        # (a folder of its own, so that no object file is taken that was compiled with other names)
        folder = os.path.join(self.build_temp, "library")
        (made,) = self.compiler.object_filenames([source], output_dir=folder)
        if self.force or newer(source, made):
            # (Two modules may have the same last name. So in the library the function that makes a module has its whole
            # name.)
            renamed = [] if extension.name == SHARED else [_entries(extension)]
            self.compiler.compile(
                [source],
                output_dir=folder,
                macros=renamed,
                include_dirs=extension.include_dirs,
                extra_postargs=extension.extra_compile_args,
            )
        return made

    def _stub(self, extension: Extension) -> str:
        """Write the C file of the stub of a module, and link it with the library. Returns the C file."""
        source = Path(self.build_temp, "stubs", *extension.name.split(".")).with_suffix(".c")
        last, whole = _entries(extension)
        _write(source, STUB.format(whole=whole, last=last))
        path = self.get_ext_fullpath(SHARED)
        between = os.path.relpath(Path(path).parent, Path(self.get_ext_fullpath(extension.name)).parent)
        extension.extra_objects = [path]
        extension.extra_compile_args = []
        extension.extra_link_args = [*LINK_STUB, f"-Wl,-rpath,$ORIGIN/{between}"]
        return str(source)

    def _check_compiler(self) -> None:
        """Fails before the long translation if no compiler works, or if Python's headers are missing."""
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder) / "probe.c"
            probe.write_text("#include <Python.h>\n")
            try:
                self.compiler.compile([str(probe)], output_dir=folder, include_dirs=self.include_dirs)
            except CompileError:
                raise SystemExit(NO_COMPILER) from None


def _write(path: Path, text: str) -> None:
    """Write a file of C code, unless it has this text already: then what is made of it stays."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _entries(extension: Extension) -> tuple[str, str]:
    """The name of the function by which Python makes the module, and its name in the library."""
    return "PyInit_" + extension.name.rpartition(".")[2], "PyInit_" + extension.name.replace(".", "_")


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
