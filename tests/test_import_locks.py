"""Threads that call different functions first: what these import must not let the threads wait for each other.

The import of a package holds its lock while it runs `__init__`, and that of a file holds the lock of the file while it
imports the package. So a file must not be imported from elsewhere before its package, if `__init__` imports files.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

WATCHED = """
import sys
import importlib._bootstrap as bootstrap

import ffgrammar as ff


# those whose `__init__` imports files (composition is always entered by one of its files, so no two threads cross)
PACKAGES = {"ffgrammar.grammar." + name for name in ("json_schema", "lark", "gbnf", "structural_tag")}


class Watch:
    @staticmethod
    def find_spec(name, path=None, target=None):
        held = [other for other in bootstrap._module_locks if other.startswith(name + ".")]
        if name in PACKAGES and held:
            print(f"{held} before {name}")


sys.meta_path.insert(0, Watch)
tok = ff.Tokenizer.from_tiktoken("cl100k_base")
"""
TOOL = {"name": "f", "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
TAG = {"type": "structural_tag", "format": {"type": "json_schema", "json_schema": {"type": "integer"}}}
CALLS = [
    "ff.compile_json_schema(True, tok)",
    "ff.compile_lark('start: %json {}', tok)",
    "ff.compile_gbnf('root ::= [a]', tok)",
    "ff.compile_regex('a', tok)",
    "ff.compile({'type': 'integer'}, tok)",
    f"ff.compile_structural_tag({TAG}, tok)",
    f"ff.compile_tools([{TOOL}], tok, format='qwen3-coder')",
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_packages_come_before_their_files(call: str) -> None:
    done = subprocess.run([sys.executable, "-c", WATCHED + call], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


INTERRUPTED = """
import _imp
import signal
import sys

from ffgrammar.core.whole_imports import import_whole


class Slow:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "slow_one":
            signal.raise_signal(signal.SIGINT)
            if {fails}:
                raise ImportError("not here")
        return None


sys.meta_path.insert(0, Slow)
try:
    import_whole("slow_one")
except (KeyboardInterrupt, ImportError) as error:
    print(type(error).__name__, _imp.lock_held(), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


@pytest.mark.parametrize("fails", [True, False])
def test_an_import_ends_before_ctrl_c_is_answered(fails: bool) -> None:
    program = INTERRUPTED.replace("{fails}", str(fails))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "KeyboardInterrupt False True\n"), done.stderr
