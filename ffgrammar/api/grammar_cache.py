# cython: language_level=3
"""Compiled grammars that are kept with a tokenizer: compiling the same source again returns the same grammar, with all
the masks it has learned since.

The cache holds grammars, and these hold the tokenizer. So the cache is an attribute of the tokenizer
(`Tokenizer.grammars`): a table of tokenizers elsewhere would keep them alive for ever.

The module is compiled because the handlers of signals run between the steps of interpreted code only. A handler that
compiles with the same tokenizer would find the table half changed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from ffgrammar.api.grammar import Grammar
from ffgrammar.api.source_key import source_key
from ffgrammar.core.forks import new_lock
from ffgrammar.core.limits import Limits, limits_key
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["GrammarCache", "NotKept", "grammar_cache", "kept_only", "may_build"]

Key = bytes


class NotKept(Exception):
    """A grammar would have to be built."""


_MODE = threading.local()


@contextmanager
def kept_only() -> Iterator[None]:
    """Inside, in this thread, grammars that are not kept are not built: `NotKept` is raised."""
    _MODE.kept_only = True
    try:
        yield
    finally:
        _MODE.kept_only = False


def may_build() -> None:
    """Called before a grammar is built. Raises NotKept inside `kept_only`."""
    if _is_looking():
        raise NotKept


def _is_looking() -> bool:
    return getattr(_MODE, "kept_only", False)


# A grammar that takes more than the budget divided by this is not kept: it would push out too many others.
MAX_SHARE = 2
# Grammars grow with use. Whenever one is added, the bytes of this many others are counted again.
RECOUNTED = 2


class GrammarCache:
    """Grammars by what they were compiled from. The least recently used are dropped first.

    Args:
        max_bytes: how many bytes of grammars are kept; 0 keeps none.
    """

    def __init__(self, max_bytes: int) -> None:
        self._lock = new_lock()
        self._max_bytes = max_bytes
        self._bytes = 0
        self._hits = self._misses = 0
        # Each grammar with its size in bytes, as it was counted last.
        self._kept: OrderedDict[Key, tuple[Grammar, int]] = OrderedDict()
        self._to_recount: list[Key] = []

    @property
    def max_bytes(self) -> int:
        """The budget in bytes. May be set; grammars beyond it are dropped at once."""
        return self._max_bytes

    @max_bytes.setter
    def max_bytes(self, value: int) -> None:
        with self._lock:
            self._max_bytes = value
            dropped = self._trim()
        # Grammars are freed without the lock.
        del dropped

    def key(self, source: object, limits: Limits) -> Key | None:
        """The key of a source with all its options; None if its grammar is not to be kept."""
        found = source_key(source, self._max_bytes // MAX_SHARE) if self._max_bytes else None
        return None if found is None else found + limits_key(limits)

    def get(self, key: Key) -> Grammar | None:
        """The grammar of a key, if it is kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                self._misses += not _is_looking()
                return None
            self._hits += 1
            self._kept.move_to_end(key)
            return found[0]

    def add(self, key: Key, grammar: Grammar) -> Grammar:
        """Keep a grammar. Returns the one to use, which another thread may have added in the meantime."""
        # To count a grammar's bytes takes its engine's lock, so they are counted without the lock of the cache.
        sizes = [(other, known, _size(other, known)) for other, known in self._to_count()]
        sizes.append((key, grammar, _size(key, grammar)))
        dropped = []
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                return known[0]
            self._kept[key] = (grammar, 0)
            for other, counted, size in sizes:
                dropped += self._count(other, counted, size)
            dropped += self._trim()
        del dropped
        return grammar

    def stats(self) -> dict[str, int]:
        """How many grammars are kept, their bytes as they were counted last, and how many look-ups found one or not."""
        with self._lock:
            return {
                "grammars": len(self._kept),
                "grammar_bytes": self._bytes,
                "grammar_bytes_limit": self._max_bytes,
                "grammar_hits": self._hits,
                "grammar_misses": self._misses,
            }

    def _to_count(self) -> list[tuple[Key, Grammar]]:
        """A few grammars to count again, each in its turn."""
        with self._lock:
            if not self._to_recount:
                self._to_recount = list(self._kept)
            keys = [self._to_recount.pop() for _ in range(min(RECOUNTED, len(self._to_recount)))]
            return [(key, self._kept[key][0]) for key in keys if key in self._kept]

    def _count(self, key: Key, grammar: Grammar, size: int) -> list[Grammar]:
        """Note the size of a grammar. If it is too large to be kept, drop it. Returns the grammars dropped."""
        known = self._kept.get(key)
        if known is None or known[0] is not grammar:
            return []
        self._bytes -= known[1]
        if size > self._max_bytes // MAX_SHARE:
            return [self._kept.pop(key)[0]]
        self._bytes += size
        self._kept[key] = (grammar, size)
        return []

    def _trim(self) -> list[Grammar]:
        """Drop grammars until the rest is within the budget. Returns the grammars dropped."""
        dropped = []
        while self._bytes > self._max_bytes:
            _, (grammar, size) = self._kept.popitem(last=False)
            self._bytes -= size
            dropped.append(grammar)
        return dropped


def _size(key: Key, grammar: Grammar) -> int:
    return len(key) + grammar.held_bytes()


# Held while a tokenizer gets its cache.
_KEEPING = new_lock()


def grammar_cache(tokenizer: Tokenizer) -> GrammarCache:
    """The cache of a tokenizer, made on the first call."""
    cache = tokenizer.grammars
    if isinstance(cache, GrammarCache):
        return cache
    # (two threads may both get here)
    with _KEEPING:
        cache = tokenizer.grammars
        if not isinstance(cache, GrammarCache):
            cache = tokenizer.grammars = GrammarCache(tokenizer.grammar_bytes)
        return cache
