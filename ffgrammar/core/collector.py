"""Pausing Python's cyclic garbage collector while a compile makes many objects."""

from __future__ import annotations

import gc

__all__ = ["paused"]


# Going through this many new objects takes the collector a tenth of a second.
MANY = 200_000


class paused:
    """A context in which the collector is off. If it is off already, it is left off.

    Compiling a large schema makes hundreds of thousands of objects, and hardly any of them are garbage. As their number
    grows, the collector would go through all objects of the process again and again. (A schema of 4 MB takes 0.8 s to
    compile with the collector paused, and 1.5 s otherwise.) Several threads may be in here at the same time: the one
    that found the collector on turns it on again.
    """

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        if self._was_on:
            gc.disable()

    def __exit__(self, *_: object) -> None:
        if not self._was_on:
            return
        if gc.get_count()[0] > MANY and gc.get_freeze_count() == 0:
            # Move all young objects to the oldest generation, or the next collection would go through all of them. (Not
            # done for fewer objects, because their garbage would then stay until a full collection. Not done if the
            # program has frozen objects itself, because `unfreeze` would release those too.)
            gc.freeze()
            gc.unfreeze()
        gc.enable()
