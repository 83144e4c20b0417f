"""Compiling for a server: in threads of its own, each source once, with all grammars within one budget."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ffgrammar.api.grammar import Grammar
from ffgrammar.api.grammar_cache import NotKept, kept_only
from ffgrammar.api.source_key import source_key
from ffgrammar.core.arguments import expect
from ffgrammar.core.forks import is_forking, new_lock
from ffgrammar.core.limits import Limits
from ffgrammar.core.pulse import cancel_thread, uncancel_thread
from ffgrammar.tokens.tokenizer import Tokenizer

if TYPE_CHECKING:
    import asyncio

__all__ = ["Compiler"]

# A source whose key would be longer than this is compiled for each caller.
MAX_KEY = 16 << 20


class _Flight:
    """One compilation, and how many callers wait for it."""

    def __init__(self, key: object) -> None:
        self.key = key
        self.waiting = 1
        self.thread = 0  # the one that compiles it
        self.future: Future[Grammar] = Future()


class Compiler:
    """Compiles grammars for many callers.

    Callers that ask for the same source with the same options at the same time wait for one compilation. What was
    compiled is kept with the tokenizer (`Tokenizer.grammar_bytes`). Any number of threads and event loops may use a
    compiler. After a fork, the child begins without compilations.

        with ff.Compiler(tok) as compiler:
            grammar = compiler.compile(ff.compile_json_schema, schema, whitespace="compact")
            grammar = await compiler.compile_async(ff.compile_lark, text)

    Args:
        tokenizer: the vocabulary of all grammars.
        cache_bytes: how many bytes of grammars are kept: the tokenizer's `grammar_bytes` is set to this.
        threads: how many sources `compile_async` compiles at a time. Compiling holds the GIL for most of the time, so a
            few are enough. `compile` compiles in its caller's thread.
        limits: bounds for each source; None: the default ones. `Limits.public()` is for sources from strangers.

    Raises:
        TypeError: an argument is of another type.
        ValueError: `threads` is less than 1.
        TokenizerError: `cache_bytes` is negative.
    """

    def __init__(
        self, tokenizer: Tokenizer, *, cache_bytes: int = 256 << 20, threads: int = 2, limits: Limits | None = None
    ) -> None:
        expect("tokenizer", tokenizer, Tokenizer, "a Tokenizer (as of Tokenizer.from_tiktoken)")
        expect("threads", threads, int, "an int")
        expect("limits", limits, (Limits, type(None)), "Limits")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        tokenizer.grammar_bytes = cache_bytes
        self._tokenizer = tokenizer
        self._threads = threads
        self._limits = limits
        self._lock = new_lock()
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="ffgrammar-compiler")
        self._flights: dict[object, _Flight] = {}
        self._counts = {"compiled": 0, "failed": 0, "shared": 0, "given_up": 0}

    def compile(self, function: Callable[..., Grammar], source: Any, **options: Any) -> Grammar:
        """The grammar of a source.

        Args:
            function: a function that compiles, such as `compile_json_schema`.
            source: its first argument. It must not be changed meanwhile.
            options: its further arguments, but for the tokenizer.

        Raises:
            RuntimeError: the compiler is closed.
            Exception: whatever the function raises. What it raises is not kept.
        """
        options = self._with_limits(options)
        while True:
            found = self._kept(function, source, options)
            if found is not None:
                return found
            flight, is_new = self._join(function, source, options)
            try:
                if is_new:
                    # (another thread would have to wait for the GIL first, and this one afterwards)
                    self._run(flight, function, source, options)
                return flight.future.result()
            except CancelledError:
                pass  # the thread that compiled it was interrupted
            finally:
                self._leave(flight)

    async def compile_async(self, function: Callable[..., Grammar], source: Any, **options: Any) -> Grammar:
        """The same for asyncio: the event loop goes on meanwhile.

        If the task is cancelled and nobody else waits for the source, it is not compiled. If that has begun, it goes on
        until `close`.
        """
        import asyncio

        options = self._with_limits(options)
        while True:
            found = self._kept(function, source, options)
            if found is not None:
                return found
            flight, is_new = self._join(function, source, options)
            try:
                if is_new:
                    self._pool.submit(self._run_if_asked, flight, function, source, options)
                waiting = asyncio.wrap_future(flight.future)
                waiting.add_done_callback(_mark_retrieved)
                # (it does not cancel `waiting`, which others may wait for)
                await asyncio.wait([waiting])
                return waiting.result()
            except asyncio.CancelledError:
                if not flight.future.cancelled():
                    raise
            finally:
                self._leave(flight)

    def stats(self) -> dict[str, int]:
        """Counts since the compiler was made: sources `compiled` and `failed`, callers that `shared` a compilation, and
        compilations that were `given_up`; how many are `pending` now; and what `Tokenizer.grammars` counts."""
        with self._lock:
            found = {**self._counts, "pending": len(self._flights)}
        kept = self._tokenizer.grammars
        return {**found, **(kept.stats() if kept is not None else {})}

    def close(self) -> None:
        """Take no more sources. What `compile_async` has begun to compile ends now if nobody waits for it any more, and
        is waited for otherwise."""
        with self._lock:
            self._closed = True
            for flight in self._flights.values():
                self._end_unwanted(flight)
        if self._process == os.getpid():
            self._pool.shutdown()

    def __enter__(self) -> Compiler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _with_limits(self, options: dict[str, Any]) -> dict[str, Any]:
        return options if self._limits is None else {"limits": self._limits, **options}

    def _kept(self, function: Callable[..., Grammar], source: Any, options: dict[str, Any]) -> Grammar | None:
        """The grammar of a source that is kept; it is found in the caller's thread, without waiting for others. None if
        there is none, or something is wrong."""
        if self._closed or not getattr(function, "__module__", "").startswith("ffgrammar."):
            return None
        try:
            with kept_only():
                return function(source, self._tokenizer, **options)
        except NotKept:
            return None
        except Exception:  # (raised again where the source is compiled)
            return None

    def _join(self, function: Callable[..., Grammar], source: Any, options: dict[str, Any]) -> tuple[_Flight, bool]:
        """The compilation of a source, and whether it is new, so that the caller has to see to it."""
        if not callable(function):
            raise TypeError(f"function must be one that compiles, such as compile_json_schema, not {function!r}")
        limits = options.get("limits")
        rest = sorted([(name, value) for name, value in options.items() if name != "limits"], key=lambda item: item[0])
        found = source_key((source, rest), MAX_KEY)
        flight = _Flight(None if found is None else (function, found, limits))
        with self._lock:
            if self._process != os.getpid():
                self._begin()
            if self._closed:
                raise RuntimeError("the compiler is closed")
            known = None if flight.key is None else self._flights.get(flight.key)
            # (the handler of a signal would wait for ever for what its own thread compiles, or, during a fork, for a
            # thread that waits for the end of the fork)
            if known is not None and known.thread != threading.get_ident() and not is_forking():
                known.waiting += 1
                self._counts["shared"] += 1
                return known, False
            # (without a key, the flight stands for itself)
            self._flights[flight.key or flight] = flight
        return flight, True

    def _run_if_asked(self, flight: _Flight, function: Callable[..., Grammar], source: Any, options: Any) -> None:
        if flight.future.set_running_or_notify_cancel():
            self._run(flight, function, source, options)

    def _run(self, flight: _Flight, function: Callable[..., Grammar], source: Any, options: dict[str, Any]) -> None:
        with self._lock:
            flight.thread = threading.get_ident()
            self._end_unwanted(flight)
        try:
            grammar = function(source, self._tokenizer, **options)
        except BaseException as error:
            is_interrupt = not isinstance(error, Exception)
            self._end(flight, "given_up" if is_interrupt else "failed")
            # Others who wait do not end by an interrupt of this thread. They compile it themselves.
            if not (is_interrupt and flight.future.cancel()):
                flight.future.set_exception(error)
            if is_interrupt:
                raise
        else:
            self._end(flight, "compiled")
            flight.future.set_result(grammar)
        finally:
            # (`close` cancels only threads whose flights have not ended)
            uncancel_thread(flight.thread)

    def _end(self, flight: _Flight, count: str) -> None:
        with self._lock:
            self._flights.pop(flight.key or flight, None)
            self._counts[count] += 1

    def _leave(self, flight: _Flight) -> None:
        """One caller less waits. If none is left, the compilation is given up, unless it has begun."""
        with self._lock:
            flight.waiting -= 1
            is_last = flight.waiting == 0 and self._flights.get(flight.key or flight) is flight
            # (if it has begun, it ends, others may join it meanwhile, and the grammar is kept)
            if is_last and flight.future.cancel():
                del self._flights[flight.key or flight]
                self._counts["given_up"] += 1
            elif is_last:
                self._end_unwanted(flight)

    def _end_unwanted(self, flight: _Flight) -> None:
        """End a compilation that has begun if nobody waits for it and the compiler is closed. Call this with the lock
        held, while the compilation is in `_flights`."""
        if self._closed and flight.waiting == 0 and flight.thread:
            cancel_thread(flight.thread)


def _mark_retrieved(waiting: asyncio.Future[Grammar]) -> None:
    """Ask for the error of a compilation. The caller may be gone, and asyncio logs each error that nobody asks for."""
    if not waiting.cancelled():
        waiting.exception()
