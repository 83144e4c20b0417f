"""Tokenizers and grammars on their way to other processes.

A tokenizer travels as its source and its fingerprint, a grammar as its compiled form. A process that gets the same one
again, with the next batch or the next task, finds it among those that it has: it is neither read nor compiled twice.
"""

from __future__ import annotations

import hashlib
import pickle
from typing import Any, Generic, TypeVar

from ffgrammar.api.grammar import Grammar
from ffgrammar.core.recent import Recent
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["Shipped"]

T = TypeVar("T", Tokenizer, Grammar)

# What came, by its key.
MAX_KEPT = 16
_kept: Recent[str, Any] = Recent(MAX_KEPT)


class Shipped(Generic[T]):
    """A tokenizer or a grammar that is pickled once, and unpickled once in each process.

    Attributes:
        value: the tokenizer or the grammar.
    """

    value: T

    def __init__(self, value: T) -> None:
        self.value = value
        self._sent: tuple[str, bytes] | None = None

    def sent(self) -> tuple[str, bytes]:
        """(key, pickle). Raises TokenizerError if a tokenizer cannot be pickled."""
        if self._sent is None:
            data = pickle.dumps(self.value)
            self._sent = hashlib.sha256(data).hexdigest(), data
        return self._sent

    def __reduce__(self) -> tuple[Any, ...]:
        return _receive, self.sent()


def _receive(key: str, data: bytes) -> Shipped[Any]:
    value = _kept.get(key)
    if value is None:
        value = _kept[key] = pickle.loads(data)
    made: Shipped[Any] = Shipped(value)
    made._sent = key, data
    return made
