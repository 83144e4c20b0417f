"""Ctrl-C in the middle of long calls: it is answered before the call would end, and leaves everything usable."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import ffgrammar as ff


def _encode_one_pretoken(tok: ff.Tokenizer) -> Callable[[], Any]:
    text = "a" * 4_000_000
    return lambda: tok.encode(text)


def _encode_pretokens(tok: ff.Tokenizer) -> Callable[[], Any]:
    text = "".join([f"x{number} " for number in range(2_000_000)])
    return lambda: tok.encode(text)


def _cycles(tok: ff.Tokenizer) -> Callable[[], Any]:
    """Conjunctions of as many references as the cycles' lengths multiply to."""
    schemas: dict[str, Any] = {}
    for length in (7, 11, 13, 17):
        for at in range(length):
            schemas[f"{length} {at}"] = {"properties": {"n": {"$ref": f"#/$defs/{length}%20{(at + 1) % length}"}}}
    start = {"allOf": [{"$ref": f"#/$defs/{length}%200"} for length in (7, 11, 13, 17)], "$defs": schemas}
    return lambda: ff.compile_json_schema(start, tok)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
@pytest.mark.parametrize("make", [_encode_one_pretoken, _encode_pretokens, _cycles])
def test_a_call_is_given_up(make: Callable[[ff.Tokenizer], Callable[[], Any]]) -> None:
    tok = ff.Tokenizer.from_tiktoken("cl100k_base")
    call = make(tok)
    begun = time.perf_counter()
    call()
    whole = time.perf_counter() - begun
    tok.grammar_bytes = 0
    timer = threading.Timer(whole / 10, os.kill, (os.getpid(), signal.SIGINT))
    # (a shell starts programs in the background with this signal ignored)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            call()
            timer.join()
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - begun < 0.7 * whole
    assert tok.encode("hello world") == [15339, 1917]
