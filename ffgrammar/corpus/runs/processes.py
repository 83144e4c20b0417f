"""Worker processes on this machine.

Each worker has a pipe of its own, and does one part after the other. If a worker dies, a new one does its part again.
If this process dies, the workers find their pipes closed, and end. Ctrl-C is for this process alone, which then ends
them.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from ffgrammar.corpus.data.part import Part
from ffgrammar.corpus.runs.task import Task, TaskError

__all__ = ["run_here", "run_in_processes"]

# How often a part is tried whose worker dies.
TRIES = 3

Result = tuple[Part, dict[str, Any]]


def run_here(task: Task, parts: Iterable[Part]) -> Iterator[Result]:
    """Do the parts in this process."""
    for part in parts:
        yield part, task.run(part)


def run_in_processes(task: Task, parts: Iterable[Part], count: int) -> Iterator[Result]:
    """Do the parts in worker processes, and yield them as they are done.

    Args:
        task: what is done with each part.
        parts: the parts.
        count: how many processes.

    Raises:
        TaskError: a part cannot be done, or its workers died.
    """
    todo = sorted(parts, key=_order)
    tried: dict[int, int] = {}
    workers = [_Worker(task) for _ in range(min(count, len(todo)))]
    try:
        while todo or any([worker.part for worker in workers]):
            for worker in workers:
                if todo and worker.part is None:
                    worker.give(todo.pop())
            ready = wait([worker.pipe for worker in workers if worker.part is not None])
            for at, worker in enumerate(workers):
                if worker.pipe not in ready or worker.part is None:
                    continue
                part = worker.part
                try:
                    found = worker.take()
                except (EOFError, OSError):
                    workers[at] = _Worker(task)
                    tried[part.number] = tried.get(part.number, 0) + 1
                    if tried[part.number] == TRIES:
                        raise _gave_up(part, worker.exit_code()) from None
                    todo.append(part)
                    continue
                yield part, found
    finally:
        for worker in workers:
            worker.end()


def _order(part: Part) -> tuple[bool, int, int]:
    """A key that sorts parts by length. The longest ones are last and taken first, so that at the end no worker is left
    alone with one. A compressed file is longer than its size says."""
    return bool(part.source.compression), part.size, -part.number


def _gave_up(part: Part, exit_code: int | None) -> TaskError:
    return TaskError(
        f"{part.source.path}: {TRIES} worker processes died, one after another, at part {part.number} (exit code "
        f"{exit_code}); is there too little memory? --workers sets how many there are"
    )


class _Worker:
    """A process that does parts, one at a time.

    Attributes:
        part: the part that it does now, or None.
    """

    def __init__(self, task: Task) -> None:
        # (spawned: a fork would copy whatever threads of this process hold)
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        with _interrupts_held_back():
            self._process.start()
        theirs.close()  # (so that a read from `pipe` fails once the worker is gone)
        # The task, until it is sent. If it were an argument of the process, sending a large one to a worker that dies
        # before it reads the task would never end.
        self._task: Task | None = task
        self.part: Part | None = None

    def give(self, part: Part) -> None:
        self.part = part
        with suppress(OSError):  # (it has died: `take` finds that out)
            self.pipe.send((self._task, part))
            self._task = None

    def take(self) -> dict[str, Any]:
        """The summary of the part. Raises what the worker raised, and EOFError or OSError if it died."""
        found = self.pipe.recv()
        self.part = None
        if isinstance(found, BaseException):
            raise found
        assert isinstance(found, dict)
        return found

    def exit_code(self) -> int | None:
        self._process.join(1)
        return self._process.exitcode

    def end(self) -> None:
        self.pipe.close()
        self._process.terminate()
        self._process.join()


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Ctrl-C inside the `with` block reaches this process after the block, and never the processes that the block
    starts. (A terminal sends it to all of them, and one that is still importing modules would write a traceback.)"""
    handler = signal.getsignal(signal.SIGINT)
    if not hasattr(signal, "pthread_sigmask") or handler is None:
        yield
        return
    # (the start of the resource tracker would let signals through again, so it comes first)
    resource_tracker.ensure_running()
    caught: list[int] = []
    # Another thread may get the signal, and Python still calls the handler in the main thread.
    is_main = threading.current_thread() is threading.main_thread()
    if is_main:
        signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if is_main:
            signal.signal(signal.SIGINT, handler)
            if caught:
                signal.raise_signal(signal.SIGINT)


def _work(pipe: Connection) -> None:
    """What a worker does until its pipe is closed."""
    task: Task | None = None
    while True:
        try:
            data = pipe.recv_bytes()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        found: dict[str, Any] | BaseException
        try:
            sent, part = pickle.loads(data)
            task = sent or task
            assert task is not None
            found = task.run(part)
        except KeyboardInterrupt:
            return
        except Exception as error:
            found = error
        try:
            pipe.send(found)
        except OSError:
            return
