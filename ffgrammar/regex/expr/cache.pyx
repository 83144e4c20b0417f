"""A cache of expressions for all grammars of the process.

Every grammar has a store of its own, so an id from one store means nothing in another. But the expressions of patterns
and formats are costly to make, and the same ones occur in many schemas. They are kept packed (packed.pyx), and unpacked
into the store of each grammar that needs them. Unpacking costs a constructor call for each node, instead of parsing,
lowering and emptiness searches.

The module is compiled although it has nothing to gain from C types: compiled code is not switched to another thread by the
interpreter, so no thread ever waits for one that was switched while it holds the lock. With interpreted code threads hand
the lock to each other at each look-up, once they have met at it, and spend most of their time on that.
"""

from collections import OrderedDict

from ffgrammar.core.forks import new_lock
from ffgrammar.regex.expr.packed import pack, unpack

__all__ = ["ExprCache"]

# About how many bytes an entry takes in addition to its packed expression.
OVERHEAD = 500


class ExprCache:
    """Expressions by what they were made from; safe to use from several threads.

    Args:
        max_bytes: how much is kept. When it is exceeded, the least recently used expressions are dropped.
    """

    def __init__(self, max_bytes):
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = new_lock()
        self._packed = OrderedDict()

    def get(self, store, key, make):
        """The expression of a key.

        Args:
            store: where the expression is wanted.
            key: what the expression is made from.
            make: makes the expression in `store`. For equal keys it makes equal expressions, whatever the store.

        Raises:
            LimitError: a bound of the store was reached.
        """
        # Limits are part of the key: a grammar with low limits must not get an expression that exceeds them.
        key = (key, store.limits_key)
        with self._lock:
            packed = self._packed.get(key)
            if packed is not None:
                self._packed.move_to_end(key)
        if packed is not None:
            return unpack(store, packed)
        made = make()
        packed = pack(store, made)
        with self._lock:
            if key not in self._packed and len(packed) + OVERHEAD <= self._max_bytes:
                self._packed[key] = packed
                self._bytes += len(packed) + OVERHEAD
                while self._bytes > self._max_bytes:
                    self._bytes -= len(self._packed.popitem(last=False)[1]) + OVERHEAD
        return made
