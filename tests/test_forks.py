"""Processes are forked while other threads take and release every lock there is: in the children all locks are free."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import ffgrammar as ff

FORKS = 60
# after so many seconds a child is taken for hung
PATIENCE = 20


def _compile(tok: ff.Tokenizer) -> Callable[[int], object]:
    return lambda turn: ff.compile_json_schema({"const": turn % 50, "pattern": f"^a{turn % 7}"}, tok)


def _fill_known(tok: ff.Tokenizer) -> Callable[[int], object]:
    grammar = ff.compile_regex("a*", tok)
    matchers = [grammar.matcher() for _ in range(500)]
    bitmask = ff.allocate_bitmask(500, tok.vocab_size)

    def work(turn: int) -> None:
        # (each matcher has a row of its own, and a child writes to its copy of the bitmask)
        ff.fill_bitmask(matchers, bitmask, threads=1)

    return work


def _budgets(tok: ff.Tokenizer) -> Callable[[int], object]:
    grammar = ff.compile_json_schema({"type": "string"}, tok)

    def work(turn: int) -> None:
        tok.partition_bytes = 1000 * (turn % 3)
        tok.grammar_bytes = 1000 * (turn % 5)
        grammar.stats()

    return work


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("make", [_compile, _fill_known, _budgets])
def test_children_find_locks_free(make: Callable[[ff.Tokenizer], Callable[[int], object]]) -> None:
    """In a process of its own: a fork takes the longer the more memory a process has, and this one has all tests'."""
    script = f"import test_forks; test_forks.check_children(test_forks.{make.__name__})"
    # (from Python 3.12 on it is said that forking with threads may hang: that is what is tested)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    subprocess.run(command, cwd=Path(__file__).parent, check=True, timeout=FORKS * PATIENCE)


def check_children(make: Callable[[ff.Tokenizer], Callable[[int], object]]) -> None:
    tok = ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)], eos_token_id=256, vocab_size=257)
    work = make(tok)
    going = True

    def keep_at_it() -> None:
        turn = 0
        while going:
            turn += 1
            work(turn)

    thread = threading.Thread(target=keep_at_it)
    thread.start()
    time.sleep(0.05)
    ended = []
    try:
        for _ in range(FORKS):
            child = os.fork()
            if child == 0:
                # no exception may leave the child
                try:
                    signal.alarm(PATIENCE)
                    work(0)
                    os._exit(0)
                finally:
                    os._exit(1)
            ended.append(os.waitpid(child, 0)[1])
            if ended[-1]:
                break
    finally:
        going = False
        thread.join()
    assert ended == [0] * FORKS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_children_can_import_what_another_thread_was_importing() -> None:
    """Each fork is in a process of its own, some milliseconds after a thread began to import numpy."""
    script = """
import os, signal, sys, threading, time
import ffgrammar.core.forks
thread = threading.Thread(target=lambda: __import__("numpy"))
thread.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if not child:
    signal.alarm(20)
    import numpy
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
thread.join()
"""
    for delay in (0.005, 0.015, 0.03, 0.05):
        subprocess.run([sys.executable, "-W", "ignore", "-c", script, str(delay)], check=True, timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("name", ["ffgrammar.lm", "decimal"])
def test_children_can_import_a_module_that_another_thread_was_looking_for(name: str) -> None:
    script = """
import importlib, os, signal, sys, threading, time
import ffgrammar.core.forks
name = sys.argv[1]
looking = threading.Event()

class Slow:
    @staticmethod
    def find_spec(wanted, *_):
        if wanted == name:
            looking.set()
            time.sleep(0.3)

sys.meta_path.insert(0, Slow)
thread = threading.Thread(target=importlib.import_module, args=(name,))
thread.start()
looking.wait()
child = os.fork()
if not child:
    signal.alarm(20)
    importlib.import_module(name)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
thread.join()
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script, name], check=True, timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_may_wait_for_other_hooks_while_masks_are_looked_up() -> None:
    """A hook that was registered before this package runs while all locks are taken, and gives up the GIL."""
    script = """
import os, threading, time
os.register_at_fork(before=lambda: time.sleep(0.05))
import ffgrammar as ff
tok = ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)], eos_token_id=256, vocab_size=257)
matcher = ff.compile_regex("a*", tok).matcher()
bitmask = ff.allocate_bitmask(1, tok.vocab_size)
going = True

def work():
    while going:
        matcher.fill_bitmask(bitmask)
        ff.fill_bitmask([matcher], bitmask, threads=1)

thread = threading.Thread(target=work)
thread.start()
for _ in range(5):
    child = os.fork()
    if not child:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
going = False
thread.join()
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_handler_may_compile_what_another_thread_compiles_during_a_fork() -> None:
    """The other thread waits for the end of the fork."""
    script = """
import os, signal, threading, time
forking, asked = threading.Event(), []
os.register_at_fork(before=lambda: ask())
import ffgrammar as ff
tok = ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)], eos_token_id=256, vocab_size=257)
compiler = ff.Compiler(tok)

def slow(*arguments):
    if threading.current_thread() is not threading.main_thread():
        begun.set()
        forking.wait()
    return ff.compile_regex(*arguments)

begun = threading.Event()
thread = threading.Thread(target=compiler.compile, args=(slow, "a*"))
thread.start()
begun.wait()

def ask():
    forking.set()
    time.sleep(0.2)
    compiler.compile(slow, "a*")
    asked.append(compiler.stats()["compiled"])

signal.alarm(20)
child = os.fork()
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0 and asked
thread.join()
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_handler_may_compile_while_a_fork_holds_all_locks() -> None:
    """A hook that was registered before this package stands for the handler of a signal: both run in the thread that
    forks, while it holds all locks."""
    script = """
import os, signal
asked = []
os.register_at_fork(before=lambda: ask())
import ffgrammar as ff
tok = ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)], eos_token_id=256, vocab_size=257)
compiler = ff.Compiler(tok)
compiler.compile(ff.compile_regex, "b*")

def ask():
    for pattern in ("a*", "b*"):
        compiler.compile(ff.compile_regex, pattern)
    asked.append(compiler.stats()["compiled"])

signal.alarm(20)
child = os.fork()
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0 and asked == [2]
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_handler_that_uses_a_matcher_while_a_fork_holds_all_locks_gets_an_error() -> None:
    script = """
import os, signal
told = []
os.register_at_fork(before=lambda: ask())
import ffgrammar as ff
tok = ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)], eos_token_id=256, vocab_size=257)
row = ff.allocate_bitmask(1, 257)
known, other = (ff.compile_regex(pattern, tok).matcher() for pattern in ("[ab]*", "(cd)*"))
known.fill_bitmask(row)

def ask():
    new = ff.compile_regex("e*", tok)
    for call in (lambda: known.fill_bitmask(row), lambda: other.accept_token(99), new.matcher):
        try:
            call()
        except RuntimeError as error:
            told.append(str(error))

signal.alarm(20)
child = os.fork()
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert len(told) == 3 and all("in the middle of a fork" in one for one in told), told
assert other.accept_token(99) and not other.accept_token(99)
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True, timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_two_threads_may_fork_at_once() -> None:
    """One waits for the other, so neither lets go of what the other one holds."""
    script = """
import os, signal, threading
import ffgrammar as ff
tok = ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)], eos_token_id=256, vocab_size=257)
grammars = [ff.compile_regex("a{%d}b*" % number, tok) for number in range(30)]
ended = []

def fork():
    for number in range(40):
        child = os.fork()
        if not child:
            signal.alarm(20)
            grammars[number % 30].matcher().accept_bytes(b"a")
            os._exit(0)
        ended.append(os.waitpid(child, 0)[1])

threads = [threading.Thread(target=fork) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert ended == [0] * 120
"""
    command = [sys.executable, "-W", "ignore", "-c", script]
    found = subprocess.run(command, check=True, timeout=120, capture_output=True, text=True)
    assert found.stderr == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_handler_may_fork_in_the_middle_of_a_call() -> None:
    """The child goes on with the call; in the parent no lock is left."""
    script = """
import os, signal, sys, threading
import ffgrammar as ff
tok = ff.Tokenizer.from_tiktoken("cl100k_base")
bitmask = ff.allocate_bitmask(1, tok.vocab_size)
children = []

def fork(*_):
    try:
        grammar.matcher()
    except RuntimeError:
        children.append(os.fork())

signal.signal(signal.SIGALRM, fork)
for number in range(100):
    grammar = ff.compile_regex("[a-z ]*a.{%d}|.*[bc].{%d}x" % (20 + number, 24 + number), tok)
    matcher = grammar.matcher()
    for byte in b"abcabc":
        signal.setitimer(signal.ITIMER_REAL, 0.004)
        matcher.fill_bitmask(bitmask)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if children:
            break
        matcher.accept_bytes(bytes([byte]))
    if children:
        break
if children[-1] == 0:
    os._exit(0 if bitmask.any() else 1)
signal.alarm(60)
assert os.waitpid(children[-1], 0)[1] == 0
thread = threading.Thread(target=lambda: grammar.matcher().accept_bytes(b"a"))
thread.start()
thread.join()
child = os.fork()
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    command = [sys.executable, "-W", "ignore", "-c", script]
    found = subprocess.run(command, check=True, timeout=120, capture_output=True, text=True)
    assert found.stderr == ""
