"""The values that were last asked for."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Generic, TypeVar

__all__ = ["Recent"]

K = TypeVar("K")
V = TypeVar("V")


class Recent(OrderedDict[K, V], Generic[K, V]):
    """A dict that keeps the values that were last set, or asked for by `get`, and forgets the others.

    Args:
        most: how many values are kept.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._most,), None, None, iter(self.items())

    def get(self, key: K, default: Any = None) -> Any:
        """The value of a key, which then is the last one asked for; `default` if there is none."""
        if key not in self:
            return default
        self.move_to_end(key)
        return self[key]

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
