"""Free texts as expressions. Texts with the same stops share most of their expressions, so that a thousand of them cost
little more than one."""

from __future__ import annotations

from bisect import bisect_left

from ffgrammar.grammar.composition.parts import Text
from ffgrammar.regex.expr.store import ANY_BYTES, ExprStore
from ffgrammar.regex.lower.tree_walk import any_text

__all__ = ["FreeTexts"]


class FreeTexts:
    """Makes the expressions of free texts in a store."""

    def __init__(self, store: ExprStore) -> None:
        self._store = store
        self._any = any_text(store)
        self._stops: dict[frozenset[bytes], _Stops] = {}

    def expr(self, part: Text) -> int:
        """The expression of a free text."""
        store = self._store
        if not part.stops:
            return any_text(store, most=part.most)
        stops = self._stops.get(part.stops)
        if stops is None:
            stops = self._stops[part.stops] = _Stops(store, part.stops)
        bounded = any_text(store, most=part.most)
        if not part.until:
            return store.intersect([self._any, bounded, stops.absent])
        members = [self._any, stops.first, store.concat([bounded, store.literals(part.until)])]
        others = stops.ending_together(part.until)
        if others:
            members.append(store.complement(store.concat([ANY_BYTES, store.literals(others)])))
        return store.intersect(members)


class _Stops:
    """What texts with the same stops share.

    Attributes:
        absent: the byte strings without a stop.
        first: those in which no stop is complete before the end.
    """

    def __init__(self, store: ExprStore, stops: frozenset[bytes]) -> None:
        self._stops = stops
        stop = store.literals(stops)
        one_more = store.concat([store.byte_set(bytes(range(256))), ANY_BYTES])
        self.absent = store.complement(store.concat([ANY_BYTES, stop, ANY_BYTES]))
        self.first = store.complement(store.concat([ANY_BYTES, stop, one_more]))
        # in this order, those that end with a text follow each other
        self._backwards = sorted(one[::-1] for one in stops)

    def ending_together(self, until: tuple[bytes, ...]) -> set[bytes]:
        """The stops but those of `until` that may be complete where one of `until` is: one ends with the other."""
        found: set[bytes] = set()
        for end in until:
            found.update(end[cut:] for cut in range(1, len(end)) if end[cut:] in self._stops)
            backwards = end[::-1]
            number = bisect_left(self._backwards, backwards)
            while number < len(self._backwards) and self._backwards[number].startswith(backwards):
                found.add(self._backwards[number][::-1])
                number += 1
        return found.difference(until)
