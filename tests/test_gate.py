"""Threads beside threads that compile: they get their turn, and a compile of seconds holds up no other one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

import ffgrammar as ff
from ffgrammar.core import gate as gate_module
from ffgrammar.core.gate import PATIENCE, gate

with_gil = pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="this Python has no GIL")


def _schema(number: int) -> dict[str, object]:
    return {"properties": {f"k{number}_{at}": {"type": "string", "maxLength": at + 5} for at in range(40)}}


@with_gil
def test_a_sleeping_thread_wakes_beside_one_that_compiles() -> None:
    """It would wait for seconds if the other thread gave up the GIL for moments only: each restarts the wait."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    compiled = [0]
    over = threading.Event()

    def run() -> None:
        while not over.is_set():
            compiled[0] += 1
            ff.compile_json_schema(_schema(compiled[0]), tok)

    worker = threading.Thread(target=run)
    worker.start()
    try:
        for _ in range(40):
            time.sleep(0.001)
    finally:
        over.set()
        worker.join()
    # (a turn comes after 5 ms, the time of some 15 compiles; without a turn at each beat, after some 400 compiles)
    assert compiled[0] < 40 * 60


class _Inside(threading.Thread):
    """A thread that goes through the gate, and stays inside until it is told to leave."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = threading.Event()
        self.leave = threading.Event()
        self.start()

    def run(self) -> None:
        with gate():
            self.entered.set()
            self.leave.wait()


@pytest.fixture
def inside() -> Iterator[list[_Inside]]:
    """Two threads that are inside. They leave at the end, as do the threads that a test adds."""
    threads = [_Inside() for _ in range(2)]
    try:
        for one in threads:
            assert one.entered.wait(30)
        yield threads
    finally:
        for one in threads:
            one.leave.set()
            one.join()


@with_gil
def test_a_third_thread_waits_for_a_place(inside: list[_Inside], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_module, "PATIENCE", 60.0)
    third = _Inside()
    inside.append(third)
    assert not third.entered.wait(0.1)
    for one in inside[:2]:
        one.leave.set()
    assert third.entered.wait(30)


@with_gil
def test_no_thread_is_kept_out_for_long(inside: list[_Inside]) -> None:
    third = _Inside()
    inside.append(third)
    assert third.entered.wait(30)
    # nobody waits for threads that have been inside for long
    time.sleep(2 * PATIENCE)
    fourth = _Inside()
    inside.append(fourth)
    assert fourth.entered.wait(30)
    for one in inside:
        one.leave.set()
        one.join()
    assert not any(place.holder or place.lock.locked() for place in gate_module._places)


@with_gil
def test_a_thread_inside_goes_in_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_module, "PATIENCE", 60.0)
    with gate(), gate():
        # it has taken one place, not two
        other = _Inside()
        try:
            assert other.entered.wait(30)
        finally:
            other.leave.set()
            other.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_finds_the_gate_open(inside: list[_Inside]) -> None:
    child = os.fork()
    if child == 0:
        os._exit(int(any(place.holder or place.lock.locked() for place in gate_module._places)))
    assert os.waitpid(child, 0)[1] == 0


@with_gil
def test_handlers_that_raise_leave_no_place_taken() -> None:
    script = """
import os, signal, threading, time
from ffgrammar.core import gate as module

class Ended(Exception): ...

def handler(*_):
    if inside: raise Ended

def kick():
    while time.monotonic() < end:
        time.sleep(0.0006)
        os.kill(os.getpid(), signal.SIGUSR1)

inside = False
signal.signal(signal.SIGUSR1, handler)
end = time.monotonic() + 1
threading.Thread(target=kick, daemon=True).start()
while time.monotonic() < end:
    try:
        inside = True
        for _ in range(2000):
            with module.gate(): sum(range(30))
        inside = False
    except Ended:
        inside = False
os._exit(any(place.lock.locked() for place in module._places))
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
