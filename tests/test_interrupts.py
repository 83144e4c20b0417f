"""Ctrl-C in the middle of long calls: it is answered before the call would end, and leaves everything usable."""

from __future__ import annotations

import os
import random
import signal
import string
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from interruptions import interrupted_after

import ffgrammar as ff


def _encode_one_pretoken(tok: ff.Tokenizer) -> Callable[[], Any]:
    text = "a" * 4_000_000
    return lambda: tok.encode(text)


def _encode_pretokens(tok: ff.Tokenizer) -> Callable[[], Any]:
    text = "".join([f"x{number} " for number in range(2_000_000)])
    return lambda: tok.encode(text)


def _cycles(tok: ff.Tokenizer, limits: ff.Limits | None = None) -> Callable[[], Any]:
    """Conjunctions of as many references as the cycles' lengths multiply to: one property goes on by two steps."""
    schemas: dict[str, Any] = {}
    for length in (7, 11, 13, 17):
        for at in range(length):
            one, two = ({"$ref": f"#/$defs/{length}%20{(at + steps) % length}"} for steps in (1, 2))
            schemas[f"{length} {at}"] = {"properties": {"m": one, "n": two}}
    start = {"allOf": [{"$ref": f"#/$defs/{length}%200"} for length in (7, 11, 13, 17)], "$defs": schemas}
    return lambda: ff.compile_json_schema(start, tok, limits=limits)


@pytest.mark.skipif(not hasattr(signal, "ITIMER_PROF"), reason="there is no timer of processor time")
@pytest.mark.parametrize("make", [_encode_one_pretoken, _encode_pretokens, _cycles])
@pytest.mark.timing
def test_a_call_is_given_up(make: Callable[[ff.Tokenizer], Callable[[], Any]]) -> None:
    """The timer and the clock count processor time: other programs on the machine change neither."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    call = make(tok)
    begun = time.process_time()
    call()
    whole = time.process_time() - begun
    tok.grammar_bytes = 0
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    begun = time.process_time()
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_PROF, whole / 10)
            call()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert time.process_time() - begun < 0.8 * whole
    assert tok.encode("hello world") == [15339, 1917]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
def test_ctrl_c_from_another_thread() -> None:
    """A thread gets its turn while a call runs, and sends what Ctrl-C sends."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    call = _cycles(tok)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    # (a shell starts programs in the background with this signal ignored)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            for _ in range(50):
                call()
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


# eleven look-aheads: a mask takes half a second
LOOK_AHEADS = "^" + "".join(f"(?=.*{letter})" for letter in "abcdefghijk") + ".{8,64}$"
HEAVY: list[tuple[str, Any, bytes]] = [
    ("lark", 'start: start start | "a"', b"a" * 40),
    ("lark", "start: (A | B)+ C\nA: /(a|b)*a(a|b){6}/\nB: /b+a?/\nC: /c/\n%ignore /c[ab]*/", b"abba" * 3),
    ("json", {"type": "string", "pattern": LOOK_AHEADS.replace("(?=.*j)(?=.*k)", "")}, b'"ihgfedcbaaa"'),
    (
        "json",
        {"type": "array", "items": {"type": "string", "pattern": "^(\\S+ ){0,30}x$"}, "uniqueItems": True},
        b'["a b x","x"]',
    ),
]


# (The exception of a handler that runs in the callback of a weak reference is reported, and does not reach the call.)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer with a signal")
@pytest.mark.parametrize(("form", "source", "text"), HEAVY)
def test_random_interruptions(form: str, source: Any, text: bytes) -> None:
    """Calls are interrupted at random moments. Steps and masks afterwards are what they are without interruptions."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = tok.partition_bytes = 0
    numbers = random.Random(4)

    def compiled() -> ff.Grammar:
        return ff.compile_json_schema(source, tok) if form == "json" else ff.compile_lark(source, tok)

    def masks(matcher: ff.Matcher) -> list[bytes]:
        found = []
        for byte in text:
            bitmask = ff.allocate_bitmask(1, tok.vocab_size)
            matcher.fill_bitmask(bitmask)
            found.append(bitmask.tobytes())
            assert matcher.accept_bytes(bytes([byte])) == 1
        return found

    expected = masks(compiled().matcher())
    begun = time.perf_counter()
    assert masks(compiled().matcher()) == expected
    whole = time.perf_counter() - begun
    stopped = 0
    for _ in range(40):
        stopped += interrupted_after(numbers.uniform(0.0001, whole / 2), compiled)
        grammar = compiled()
        matcher = grammar.matcher()
        stopped += interrupted_after(numbers.uniform(0.0001, whole), partial(masks, matcher))
        read = len(matcher.text_bytes)
        assert read <= len(text)
        rest = ff.allocate_bitmask(1, tok.vocab_size)
        matcher.fill_bitmask(rest)
        if read < len(text):
            assert rest.tobytes() == expected[read]
    assert stopped
    assert masks(grammar.matcher()) == expected


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer with a signal")
def test_a_handler_that_uses_the_grammar() -> None:
    """It would wait for itself for ever. So it gets an error, which ends the call."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = tok.partition_bytes = 0
    seen: list[bool] = []
    for delay in range(1, 100):
        grammar = ff.compile_json_schema({"type": "string", "pattern": LOOK_AHEADS}, tok)

        def use(number: int, frame: Any, grammar: ff.Grammar = grammar) -> None:
            grammar.matcher().accept_bytes(b'"abc')

        before = signal.signal(signal.SIGALRM, use)
        try:
            signal.setitimer(signal.ITIMER_REAL, delay / 500)
            grammar.matcher().allowed_token_ids()
            grammar.matcher().accept_bytes(b'"kjih')
            seen.append(False)
        except RuntimeError as error:
            assert "handler" in str(error)
            seen.append(True)
            break
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    assert grammar.matcher().accept_bytes(b'"abc') == 4


def test_no_handler_runs_while_kept_grammars_are_locked() -> None:
    """It may compile with the same tokenizer, and would find the table half changed. Handlers run where Python
    functions begin."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    ff.compile_choice(["a", "b"], tok)
    begun: list[str] = []

    def watch(frame: Any, event: str, _: object) -> None:
        if event == "call" and tok.grammars is not None and tok.grammars._lock._is_owned():
            begun.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        for number in range(5):
            ff.compile_choice(["a", f"b{number}"], tok)
            ff.compile_choice(["a", "b"], tok)
        tok.grammar_bytes = 1 << 10
    finally:
        sys.setprofile(before)
    assert not begun


@pytest.mark.timing
def test_seconds() -> None:
    """A call that takes too long ends, and leaves everything usable."""
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    tok.grammar_bytes = 0
    with pytest.raises(ff.LimitError, match=r"limit seconds=0\.02 reached") as caught:
        _cycles(tok, ff.Limits(seconds=0.02))()
    assert (caught.value.limit, caught.value.value) == ("seconds", 0.02)
    # (to compile these takes 0.02 s, and a mask a quarter of a second)
    patterns = [f"{letter}.*{letter}" for letter in string.ascii_lowercase]
    schema = {"oneOf": [{"type": "string", "pattern": pattern} for pattern in patterns]}
    grammar = ff.compile_json_schema(schema, tok, limits=ff.Limits(seconds=0.1))
    matcher = grammar.matcher()
    assert matcher.accept_bytes(b'"') == 1
    with pytest.raises(ff.LimitError, match="seconds"):
        for letter in b"kjihgfedcba":
            matcher.allowed_token_ids()
            matcher.accept_bytes(bytes([letter]))
    assert matcher.text_bytes
    patient = ff.compile_json_schema(schema, tok).matcher()
    assert patient.accept_bytes(matcher.text_bytes) == len(matcher.text_bytes)
    matcher.reset()
    assert matcher.accept_bytes(b'"k') == 2


@pytest.mark.parametrize("seconds", [-1, float("nan"), True, "1"])
def test_seconds_are_a_number(seconds: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="seconds"):
        ff.Limits(seconds=seconds)
    with pytest.raises((TypeError, ValueError), match="seconds"):
        ff.Limits.public(seconds=seconds)
