"""`python tests/fuzz --minutes 10 --corpus build/fuzz`: the fuzzers of all front-ends, one after another.

A mutator of the front-end, or Atheris, changes sources. Atheris keeps in the corpus those that lead to something new in
Python code, such as the front-ends. A source with which something is wrong is written to a file
`build/fuzz/NAME-crash-…`, and `python tests/fuzz --only NAME FILE` runs it alone.
"""

from __future__ import annotations

import argparse
import importlib
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

# Not the working directory: from a checkout that would be ffgrammar's sources instead of the installed package.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

atheris = importlib.import_module("atheris")
importlib.import_module("fuzz.uncompiled").prefer_sources()

with atheris.instrument_imports(include=["ffgrammar"]):
    from fuzz.mutators import MUTATORS
    from fuzz.seeds import donors, seeds, words
    from fuzz.targets import TARGETS

# The bounds of the time for a source, and of the memory of the process.
SECONDS, MEGABYTES = 60, 2048


def _fuzz(name: str, seconds: int, corpus: Path) -> None:
    """Run one fuzzer. Does not return: it ends the process."""
    own = corpus / name
    own.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(name)):
        (own / f"seed{number}").write_bytes(seed)
    dictionary = corpus / f"{name}.dict"
    dictionary.write_text("".join(f"{_quoted(word)}\n" for word in words(name)))
    options = [f"-max_total_time={seconds}", f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", "-max_len=5000"]
    options += [f"-dict={dictionary}", f"-artifact_prefix={corpus}/{name}-", "-print_final_stats=1", "-seed=1"]
    atheris.Setup([sys.argv[0], *options, str(own)], TARGETS[name], custom_mutator=_mutator(name))
    atheris.Fuzz()


def _mutator(name: str) -> Callable[[bytes, int, int], bytes]:
    """The mutator of a front-end. Sometimes, and where there is none, Atheris's own changes bytes."""
    texts = donors(name)
    changed = MUTATORS.get(name)

    def mutator(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        source, _, choices = data.partition(b"\xff")
        if changed is None or chance.random() < 0.1:
            return atheris.Mutate(data, most)
        if chance.random() < 0.2:
            choices = chance.randbytes(chance.randint(1, 16))
        new = changed(source.decode(errors="ignore"), texts, chance).encode(errors="ignore") + b"\xff" + choices
        return new if len(new) <= most else atheris.Mutate(data, most)

    return mutator


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def main() -> int:
    """Run the fuzzers. Returns 1 if one of them has found something."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="of all fuzzers together")
    parser.add_argument("--corpus", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--only", choices=TARGETS)
    parser.add_argument("file", nargs="?", type=Path, help="run this file alone")
    args = parser.parse_args()
    if args.file:
        TARGETS[args.only](args.file.read_bytes())
        return 0
    if args.only:
        _fuzz(args.only, round(args.minutes * 60), args.corpus)
    found = []
    for name in TARGETS:
        print(f"fuzz: {name}", file=sys.stderr, flush=True)
        share = str(args.minutes / len(TARGETS))
        call = [sys.executable, __file__, "--only", name, "--minutes", share, "--corpus", str(args.corpus)]
        if subprocess.run(call, check=False).returncode:
            found.append(name)
    print(f"fuzz: {len(TARGETS)} front-ends, something wrong in: {', '.join(found) or 'none'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
