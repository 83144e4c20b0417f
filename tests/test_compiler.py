"""`Compiler`: each source once, whoever asks; errors, cancellation, counts and forks."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import ffgrammar as ff

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.fixture
def tok() -> ff.Tokenizer:
    return ff.Tokenizer.from_tokens([bytes([byte]) for byte in range(256)], eos_token_id=256, vocab_size=257)


class Held:
    """A function that compiles when it is let go, and counts its calls."""

    def __init__(self) -> None:
        self.begun, self.go, self.calls = threading.Event(), threading.Event(), 0

    def __call__(self, source: Any, tokenizer: ff.Tokenizer, **options: Any) -> ff.Grammar:
        self.calls += 1
        self.begun.set()
        assert self.go.wait(20)
        return ff.compile_json_schema(source, tokenizer, **options)


def test_grammars_are_those_of_the_functions(tok: ff.Tokenizer) -> None:
    with ff.Compiler(tok) as compiler:
        grammar = compiler.compile(ff.compile_json_schema, SCHEMA, whitespace="compact")
        assert grammar is ff.compile_json_schema(SCHEMA, tok, whitespace="compact")
        assert compiler.compile(ff.compile_regex, "a+").matcher().accept_bytes(b"aa") == 2
        assert compiler.compile(ff.compile_lark, 'start: "x"').kind == "lark"
        assert compiler.compile(ff.compile_choice, ["a", "b"]).matcher().accept_bytes(b"b")
        assert compiler.stats()["compiled"] == 4 and compiler.stats()["pending"] == 0
    assert tok.grammar_bytes == 256 << 20


def test_what_has_begun_goes_on_without_its_caller(tok: ff.Tokenizer, caplog: pytest.LogCaptureFixture) -> None:
    """It is still counted, others may join it, and its error is nobody's."""
    held = Held()
    wrong = {"type": "nothing"}

    async def run(compiler: ff.Compiler) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(compiler.compile_async(held, wrong), 0.1)
        assert compiler.stats()["pending"] == 1 and compiler.stats()["given_up"] == 0
        other = asyncio.ensure_future(compiler.compile_async(held, {**wrong}))
        while compiler.stats()["shared"] < 1:
            await asyncio.sleep(0.001)
        other.cancel()
        with pytest.raises(asyncio.CancelledError):
            await other
        assert compiler.stats()["pending"] == 1
        held.go.set()
        while compiler.stats()["pending"]:
            await asyncio.sleep(0.001)
        assert compiler.stats()["failed"] == 1 and held.calls == 1
        # (the loop must hear of the error before it ends)
        await asyncio.to_thread(compiler.close)
        await asyncio.sleep(0)

    with ff.Compiler(tok) as compiler:
        asyncio.run(run(compiler))
    gc.collect()
    assert not caplog.records


def test_closing_ends_what_nobody_waits_for(tok: ff.Tokenizer) -> None:
    """Its thread ends at the next beat. The source would compile for many seconds."""

    def rule(number: int) -> dict[str, Any]:
        condition = {"properties": {"t": {"pattern": f"a{number}"}}, "required": ["t"]}
        return {"if": condition, "then": {"properties": {"t": {"maxLength": number}}, "required": [f"k{number}"]}}

    slow = {"allOf": [rule(number) for number in range(1500)]}

    async def run(compiler: ff.Compiler) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(compiler.compile_async(ff.compile_json_schema, slow), 0.5)

    with ff.Compiler(tok, limits=ff.Limits.trusted()) as compiler:
        asyncio.run(run(compiler))
        assert compiler.stats()["pending"] == 1
    stats = compiler.stats()
    assert (stats["pending"], stats["given_up"], stats["compiled"], stats["failed"]) == (0, 1, 0, 0)
    # the threads of other compilers, this one too, are as before
    assert ff.Compiler(tok).compile(ff.compile_regex, "a+").matcher().accept_bytes(b"aa") == 2


CANCELLED = """
import os, threading
import ffgrammar as ff
from ffgrammar.core.pulse import cancel_thread, uncancel_thread

tok = ff.Tokenizer.from_tiktoken("cl100k_base")
pattern = "^" + "".join(f"(?=.*{letter})" for letter in "abcdefgh") + ".{8}$"
grammar = ff.compile_json_schema({"type": "string", "pattern": pattern}, tok)
cancel_thread(threading.get_ident())
child = os.fork()
try:
    matcher = grammar.matcher(canonical=True)
    matcher.accept_bytes(b'"')
    matcher.allowed_token_ids()
    print("made", flush=True)
except KeyboardInterrupt:
    print("ended", flush=True)
uncancel_thread(threading.get_ident())
if child:
    os.waitpid(child, 0)
    matcher.allowed_token_ids()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_child_process_has_no_thread_that_is_to_end() -> None:
    """Its threads may have the numbers of threads that ended with a call in the parent."""
    done = subprocess.run([sys.executable, "-c", CANCELLED], capture_output=True, text=True, check=False)
    assert (done.returncode, sorted(done.stdout.split())) == (0, ["ended", "made"]), done.stderr


def test_a_source_is_compiled_once(tok: ff.Tokenizer) -> None:
    held = Held()
    with ff.Compiler(tok, threads=4) as compiler, ThreadPoolExecutor(8) as callers:
        first = callers.submit(compiler.compile, held, SCHEMA)
        assert held.begun.wait(20)
        # (an equal source, and not the same object)
        others = [callers.submit(compiler.compile, held, {**SCHEMA}) for _ in range(7)]
        while compiler.stats()["shared"] < 7:
            time.sleep(0.001)
        held.go.set()
        assert {id(one.result()) for one in (first, *others)} == {id(first.result())}
        assert held.calls == 1
        compiler.compile(held, SCHEMA, whitespace="compact")
        assert held.calls == 2


def test_a_source_is_compiled_in_the_thread_that_asks(tok: ff.Tokenizer) -> None:
    """(Otherwise two threads wait for the GIL, and a short source waits for long ones.)"""
    seen = []

    def function(source: Any, tokenizer: ff.Tokenizer) -> ff.Grammar:
        seen.append(threading.get_ident())
        return ff.compile_json_schema(source, tokenizer)

    with ff.Compiler(tok, threads=1) as compiler:
        compiler.compile(function, SCHEMA)
        asyncio.run(compiler.compile_async(function, True))
    assert seen[0] == threading.get_ident() != seen[1]


def test_an_interrupt_ends_one_caller_and_no_other(tok: ff.Tokenizer) -> None:
    """The thread that compiles is interrupted. The others who waited for it compile the source themselves."""
    begun, go, calls = threading.Event(), threading.Event(), []

    def function(source: Any, tokenizer: ff.Tokenizer) -> ff.Grammar:
        calls.append(source)
        if len(calls) == 1:
            begun.set()
            assert go.wait(20)
            raise KeyboardInterrupt
        return ff.compile_json_schema(source, tokenizer)

    with ff.Compiler(tok) as compiler, ThreadPoolExecutor(8) as callers:
        first = callers.submit(compiler.compile, function, SCHEMA)
        assert begun.wait(20)
        others = [callers.submit(compiler.compile, function, SCHEMA) for _ in range(3)]
        others.append(callers.submit(asyncio.run, compiler.compile_async(function, SCHEMA)))  # type: ignore[arg-type]
        while compiler.stats()["shared"] < 4:
            time.sleep(0.001)
        go.set()
        with pytest.raises(KeyboardInterrupt):
            first.result()
        assert all(isinstance(one.result(), ff.Grammar) for one in others)
        counts = compiler.stats()
        assert counts["given_up"] == 1 and counts["pending"] == 0 and counts["compiled"] == len(calls) - 1


def test_asyncio(tok: ff.Tokenizer) -> None:
    held = Held()

    async def main(compiler: ff.Compiler) -> None:
        tasks = [asyncio.create_task(compiler.compile_async(held, SCHEMA)) for _ in range(3)]
        while not held.begun.is_set():
            await asyncio.sleep(0.001)
        # the loop goes on; one who gives up disturbs nobody
        tasks[0].cancel()
        waiting = asyncio.create_task(compiler.compile_async(ff.compile_regex, "a+"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        held.go.set()
        found = await asyncio.gather(*tasks, waiting, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError) and isinstance(found[3], asyncio.CancelledError)
        assert found[1] is found[2] and isinstance(found[1], ff.Grammar)

    with ff.Compiler(tok, threads=1) as compiler:
        asyncio.run(main(compiler))
        assert held.calls == 1
        counts = compiler.stats()
        assert counts["given_up"] == 1 and counts["compiled"] == 1 and counts["pending"] == 0
        # what was given up can be asked for again
        assert compiler.compile(ff.compile_regex, "a+").kind == "regex"


def test_errors_reach_every_caller_and_are_not_kept(tok: ff.Tokenizer) -> None:
    with ff.Compiler(tok, limits=ff.Limits(rules=3)) as compiler:
        for _ in range(2):
            with pytest.raises(ff.LimitError, match="rules"):
                compiler.compile(ff.compile_json_schema, SCHEMA)
        assert compiler.compile(ff.compile_json_schema, SCHEMA, limits=ff.Limits()).kind == "json-schema"
        with pytest.raises(TypeError):
            compiler.compile("json", SCHEMA)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            compiler.compile(ff.compile_json_schema, SCHEMA, no_such_option=1)
        assert compiler.stats()["failed"] == 3
    with pytest.raises(RuntimeError, match="closed"):
        compiler.compile(ff.compile_json_schema, SCHEMA)
    for bad in ({"threads": 0}, {"threads": "2"}, {"limits": 1}, {"cache_bytes": -1}):
        with pytest.raises((TypeError, ValueError, ff.TokenizerError)):
            ff.Compiler(tok, **bad)  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_compiles_for_itself(tok: ff.Tokenizer) -> None:
    with ff.Compiler(tok) as compiler:
        compiler.compile(ff.compile_json_schema, SCHEMA)
        child = os.fork()
        if not child:
            found = compiler.compile(ff.compile_regex, "b+").matcher().accept_bytes(b"bb")
            compiler.close()
            os._exit(0 if found == 2 else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert compiler.stats()["compiled"] == 1


def test_a_handler_may_come_while_its_own_thread_holds_the_lock(tok: ff.Tokenizer) -> None:
    compiler = ff.Compiler(tok)
    found: list[dict[str, int]] = []

    def asks() -> None:
        # (the lock is taken as `stats` takes it. The handler of a signal would run here, in the same thread.)
        with compiler._lock:
            compiler.compile(ff.compile_json_schema, SCHEMA)
            found.append(compiler.stats())
            compiler.close()

    thread = threading.Thread(target=asks, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive() and found[0]["compiled"] == 1


def test_a_handler_may_ask_for_what_its_own_thread_compiles(cl100k: ff.Tokenizer) -> None:
    """It would wait for itself for ever. A function that compiles stands for a handler in the middle of it."""
    inner: list[ff.Grammar] = []
    with ff.Compiler(cl100k) as compiler:

        def build(source: Any, tok: ff.Tokenizer) -> ff.Grammar:
            if not inner:
                inner.append(ff.compile_choice(source, tok))
                inner.append(compiler.compile(build, source))
            return ff.compile_choice(source, tok)

        assert compiler.compile(build, ["one", "two"]) is inner[1]
        assert compiler.stats()["pending"] == 0
