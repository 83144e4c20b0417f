"""A job that ends its process. It is a module of its own, so that worker processes can import it."""

from __future__ import annotations

import os
from typing import Any

from ffgrammar.corpus.jobs.tokenize import Tokenize

__all__ = ["DyingJob"]


class DyingJob(Tokenize):
    """Dies of its first batch."""

    def results(self, batch: Any, errors: dict[int, str]) -> dict[str, Any]:
        os._exit(9)
