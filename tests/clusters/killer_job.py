"""A job that kills its worker process once. It is a module of its own, so that worker processes can import it."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from ffgrammar.corpus.jobs.check import Check

__all__ = ["KillerJob"]


class KillerJob(Check):
    """Kills its process, as the kernel does when memory is short, the first `many` times that it sees a batch.

    Attributes:
        folder: has a file for each process that was killed.
    """

    folder: str
    many: int

    def results(self, batch: Any, errors: dict[int, str]) -> dict[str, Any]:
        if len(os.listdir(self.folder)) < self.many:
            (Path(self.folder) / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().results(batch, errors)
