"""Makes the page for where there is no server: `make play-site`.

    python3.11 site.py C_FILES PYODIDE WORK OUT

C_FILES has what Cython wrote, PYODIDE is its package of npm, WORK keeps what is compiled, and OUT becomes a folder that
any server of files can serve. The extensions are compiled with the package `ziglang`, which has clang and wasm-ld, and
with the headers of this Python: Pyodide 0.25 has Python 3.11, so this must be one too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUNDLE = Path(__file__).resolve().parent
PACKAGE = BUNDLE.parents[1]
ASSETS = BUNDLE.parent / "assets"
ZIG = [sys.executable, "-m", "ziglang"]
# What Pyodide's own modules are compiled for, and what its linker takes.
COMPILE = [
    "-target", "wasm32-wasi-musl", "-mcpu=mvp+bulk_memory+sign_ext+mutable_globals+nontrapping_fptoint",
    "-include", str(BUNDLE / "shim.h"), "-fPIC", "-Os", "-g0", "-fno-strict-aliasing", "-DNDEBUG", "-Wno-everything",
    "-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-D_WASI_EMULATED_GETPID",
]  # fmt: skip
LINK = ["-shared", "--experimental-pic", "--allow-undefined", "--no-entry"]
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.js",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
    "package.json",
)
# The page's styles have a nonce, as on a server. Here it need not be secret: scripts have none.
NONCE = "page"
POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src 'self' data:; "
    f"style-src 'self' 'nonce-{NONCE}'; base-uri 'none'; form-action 'none'"
)


def main() -> None:
    """Make the folder."""
    c_files, pyodide, work, out = map(Path, sys.argv[1:])
    if sys.version_info[:2] != (3, 11):
        sys.exit("the page without a server needs the headers of Python 3.11: make play-site PYTHON=python3.11")
    headers = _headers(pyodide, work / "include")
    compiled = _compiled(c_files, work / "modules", headers)
    regex = _regex(work, headers)
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(ASSETS, out)
    (out / "pyodide").mkdir()
    for name in PYODIDE_FILES:
        shutil.copy(pyodide / name, out / "pyodide")
    _write_page(out / "index.html")
    _pack(out / "ffgrammar.zip", work / "modules", compiled)
    with zipfile.ZipFile(out / "ffgrammar.zip", "a", zipfile.ZIP_DEFLATED) as packed:
        for one in [*(regex / "regex").iterdir(), regex / "LICENSE.txt"]:
            packed.write(one, Path("regex", one.name))


def _headers(pyodide: Path, folder: Path) -> Path:
    """The headers of Python, with the `pyconfig.h` of Pyodide's. What that says is in its standard library."""
    source = Path(sysconfig.get_path("include"))
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    with zipfile.ZipFile(pyodide / "python_stdlib.zip") as packed:
        name = next(one for one in packed.namelist() if one.startswith("_sysconfigdata"))
        found: dict[str, dict[str, object]] = {}
        exec(packed.read(name), found)
    known = found["build_time_vars"]
    names = re.findall(r"#\s*(?:define|undef)\s+(\w+)", (source / "pyconfig.h").read_text())
    lines = [f"#define {one} {json.dumps(known[one])}" for one in dict.fromkeys(names) if known.get(one)]
    (folder / "pyconfig.h").write_text("\n".join(["#pragma once", *lines, ""]))
    return folder


def _compiled(c_files: Path, folder: Path, headers: Path) -> list[Path]:
    """The modules of all C files."""

    def module(source: Path) -> Path:
        made = folder / source.relative_to(c_files).with_suffix(".so")
        _make_module(made, [source], headers)
        return made

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(module, [one for one in sorted(c_files.rglob("*.c")) if _is_current(one, c_files)]))


def _make_module(made: Path, sources: list[Path], headers: Path) -> None:
    """Compile a module, if one of its sources is newer."""
    if made.exists() and all(made.stat().st_mtime >= one.stat().st_mtime for one in sources):
        return
    made.parent.mkdir(parents=True, exist_ok=True)
    parts = [str(made.parent / f"{one.stem}.o") for one in sources]
    for source, part in zip(sources, parts, strict=True):
        _run(*ZIG, "cc", "-c", *COMPILE, f"-I{headers}", str(source), "-o", part)
    _run(*ZIG, "wasm-ld", *LINK, f"--export=PyInit_{made.stem}", *parts, "-o", str(made))
    for part in parts:
        Path(part).unlink()


def _regex(work: Path, headers: Path) -> Path:
    """The package `regex`, which the engine asks for sets of characters, in a folder: it comes as a source."""
    (archive,) = work.glob("regex-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    source = work / archive.name.removesuffix(".tar.gz")
    made = source / "regex" / "_regex.so"
    _make_module(made, [source / "src" / "_regex.c", source / "src" / "_regex_unicode.c"], headers)
    return source


def _is_current(c_file: Path, c_files: Path) -> bool:
    """Whether the build compiles this file now. Of modules that were renamed, C files are left over."""
    source = PACKAGE.parent / c_file.relative_to(c_files)
    if source.stem == "cython_shared" or source.with_suffix(".pyx").exists():
        return True
    python = source.with_suffix(".py")
    return python.exists() and python.read_text(encoding="utf-8").startswith("# cython:")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr[:4000]}")


def _write_page(path: Path) -> None:
    page = path.read_text(encoding="utf-8").replace("NONCE", NONCE)
    page = page.replace('name="engine" content="server"', 'name="engine" content="worker"')
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    path.write_text(page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{policy}'), encoding="utf-8")


def _pack(path: Path, folder: Path, compiled: list[Path]) -> None:
    """The package: its Python files, its data, the grammars of its library, and the modules."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for one in sorted(PACKAGE.rglob("*")):
            if (one.suffix == ".py" and BUNDLE not in one.parents) or (one.parent.name == "data" and one.is_file()):
                packed.write(one, one.relative_to(PACKAGE.parent))
        for one in sorted((PACKAGE.parent / "grammars").iterdir()):
            packed.write(one, Path("ffgrammar", "library", one.name))
        for one in compiled:
            packed.write(one, one.relative_to(folder))


if __name__ == "__main__":
    main()
