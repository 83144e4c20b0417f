"""Pausing Python's cyclic garbage collector while a compile makes many objects."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["paused"]


# Going through this many new objects takes the collector a tenth of a second.
MANY = 200_000


@contextmanager
def paused() -> Iterator[None]:
    """Keep the collector off while the body runs, if it is on.

    Compiling a large schema makes hundreds of thousands of objects, hardly any of them garbage, and the collector goes
    through all objects of the process again and again as their number grows. (A schema of 4 MB takes 0.8 s to compile
    with the collector paused, 1.5 s without.) Threads may do this at the same time: the one that found the collector on
    turns it on again.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > MANY and gc.get_freeze_count() == 0:
            # Everything young counts as old from here on, or the next collection would go through all of it. (Not done
            # for fewer objects: their garbage would then stay until a full collection.)
            gc.freeze()
            gc.unfreeze()
        gc.enable()
