"""A process whose memory is bounded: calls end in MemoryError, and afterwards everything answers as before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Compiles hostile sources and makes their masks with little room. At a crash, the last line names the source.
SCRIPT = """
import resource, sys
import ffgrammar as ff
from hostile.sources import compiled, sources

ROOMS = (0, 200_000, 1_000_000, 4_000_000)
tok, other = (ff.Tokenizer.from_tiktoken("cl100k_base") for _ in range(2))
tok.grammar_bytes = other.grammar_bytes = 0
# (without memory, what is imported when it is first needed ends in ImportError or OSError)
for compiler, source in (
    (ff.compile_json_schema, {"format": "idn-hostname"}), (ff.compile_lark, "start: /a/"), (ff.compile_regex, "a")
):
    compiler(source, tok).matcher(canonical=True).allowed_token_ids()
ff.compile_regex(r"\\p{L}", tok)


def run(one, tok):
    try:
        grammar = compiled(one, tok, ff.Limits.public())
    except ff.FFGrammarError as error:
        return str(error)
    masks = []
    for matcher in (grammar.matcher(), grammar.matcher(canonical=True)):
        for token in tok.encode(one.text.decode())[:4]:
            try:
                masks.append(matcher.allowed_token_ids().tobytes())
                if not matcher.accept_token(token):
                    break
            except ff.LimitError:
                break
    return masks


def bounded(one, room):
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + room, hard))
    try:
        return run(one, tok)
    except MemoryError:
        return None
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


ended = 0
# (without memory for its stack, a process gets a signal from the system)
run(next(one for one in sources() if one.name == "500 objects in each other"), other)
for one in list(sources())[int(sys.argv[1])::12]:
    print(one.name, flush=True)
    # (memory that a first call gets stays with the process, so the calls with little room come first)
    found = [bounded(one, room) for room in ROOMS]
    # (a tokenizer that never had too little memory)
    expected = run(one, other)
    ended += found.count(None)
    assert all(masks is None or masks == expected for masks in found), one.name
print(ended, "calls ended")
"""


@pytest.mark.skipif("san" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer reserves memory of its own")
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="/proc is missing")
@pytest.mark.parametrize("first", [0, 4, 8])
def test_calls_end_and_change_nothing(first: int) -> None:
    here = str(Path(__file__).parent)
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(first)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])},
    )
    lines = run.stdout.splitlines()
    assert run.returncode == 0, (lines[-1:], run.stderr[-500:])
    assert int(lines[-1].split()[0]) > 15
