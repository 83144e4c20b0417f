"""Expressions that are costly to make and likely to be asked for again, kept for the grammars to come, in any store."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from ffgrammar.core.forks import new_lock
from ffgrammar.regex.expr.packed import pack, unpack
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["ExprCache"]

# What an entry takes beside its bytes.
OVERHEAD = 500


class ExprCache:
    """Expressions by what they were made from. The ones that were not asked for the longest go first.

    Args:
        max_bytes: how much is kept.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._bytes = 0
        self._lock = new_lock()
        self._packed: OrderedDict[Hashable, bytes] = OrderedDict()

    def get(self, store: ExprStore, key: Hashable, make: Callable[[], int]) -> int:
        """The expression of a key; `make` makes it in this store, and makes the same for equal keys in every store."""
        # the bounds count: what is over one is not to be had because another grammar was allowed it
        key = (key, store.limits)
        with self._lock:
            packed = self._packed.get(key)
            if packed is not None:
                self._packed.move_to_end(key)
        if packed is not None:
            return unpack(store, packed)
        made = make()
        packed = pack(store, made)
        with self._lock:
            if key not in self._packed and len(packed) + OVERHEAD <= self.max_bytes:
                self._packed[key] = packed
                self._bytes += len(packed) + OVERHEAD
                while self._bytes > self.max_bytes:
                    self._bytes -= len(self._packed.popitem(last=False)[1]) + OVERHEAD
        return made
