"""Compiled grammars that a tokenizer keeps: compiling the same source again gives the same grammar, with all that it
has learned since."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ffgrammar.api.grammar import Grammar
from ffgrammar.api.source_key import source_key
from ffgrammar.core.limits import Limits

__all__ = ["GrammarCache"]

Key = tuple[bytes, Limits]

# A grammar larger than this part of the budget is not kept: it would push out too many.
LARGEST = 2
# Grammars that are counted anew whenever one is added: they grow with use.
RECOUNTED = 2


class GrammarCache:
    """Grammars by what they were compiled from. Those that were not asked for the longest go first."""

    def __init__(self, max_bytes: int) -> None:
        self._lock = Lock()
        self._max_bytes = max_bytes
        self._bytes = 0
        self._hits = self._misses = 0
        # with the bytes that each was counted with
        self._kept: OrderedDict[Key, tuple[Grammar, int]] = OrderedDict()
        self._to_recount: list[Key] = []

    @property
    def max_bytes(self) -> int:
        """How much is kept."""
        return self._max_bytes

    @max_bytes.setter
    def max_bytes(self, value: int) -> None:
        with self._lock:
            self._max_bytes = value
            dropped = self._trim()
        # grammars are let go of without the lock
        del dropped

    def key(self, source: object, limits: Limits) -> Key | None:
        """The key of a source with all options; None if it is not to be kept."""
        found = source_key(source, self._max_bytes // LARGEST) if self._max_bytes else None
        return None if found is None else (found, limits)

    def get(self, key: Key) -> Grammar | None:
        """The grammar of a key, if it is kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                self._misses += 1
                return None
            self._hits += 1
            self._kept.move_to_end(key)
            return found[0]

    def add(self, key: Key, grammar: Grammar) -> Grammar:
        """Keep a grammar; gives the one that another thread has added meanwhile, if one has."""
        size = _size(key, grammar)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                return known[0]
            if size <= self._max_bytes // LARGEST:
                self._kept[key] = (grammar, size)
                self._bytes += size
            dropped = self._recount() + self._trim()
        del dropped
        return grammar

    def stats(self) -> dict[str, int]:
        """How many grammars are kept, their bytes as they were counted last, and how often one was asked for."""
        with self._lock:
            return {
                "grammars": len(self._kept),
                "grammar_bytes": self._bytes,
                "grammar_bytes_limit": self._max_bytes,
                "grammar_hits": self._hits,
                "grammar_misses": self._misses,
            }

    def _recount(self) -> list[Grammar]:
        """Count a few grammars anew, each in its turn; gives those that have grown too large."""
        dropped = []
        if not self._to_recount:
            self._to_recount = list(self._kept)
        for _ in range(min(RECOUNTED, len(self._to_recount))):
            key = self._to_recount.pop()
            known = self._kept.get(key)
            if known is not None:
                size = _size(key, known[0])
                self._bytes += size - known[1]
                self._kept[key] = (known[0], size)
                if size > self._max_bytes // LARGEST:
                    self._bytes -= size
                    dropped.append(self._kept.pop(key)[0])
        return dropped

    def _trim(self) -> list[Grammar]:
        dropped = []
        while self._bytes > self._max_bytes:
            _, (grammar, size) = self._kept.popitem(last=False)
            self._bytes -= size
            dropped.append(grammar)
        return dropped


def _size(key: Key, grammar: Grammar) -> int:
    return len(key[0]) + grammar.held_bytes()
