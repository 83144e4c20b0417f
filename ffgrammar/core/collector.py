"""Python's cyclic garbage collector, and when it is better left alone."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["paused"]


# From so many new objects on, to go through them takes a tenth of a second.
MANY = 200_000


@contextmanager
def paused() -> Iterator[None]:
    """No collection while the body runs, if there would be any.

    Compiling makes hundreds of thousands of objects for a large schema, hardly any of them garbage, and the collector
    goes through all of the process's objects again and again as their number grows. (A schema of 4 MB: 0.8 s with it
    paused, 1.5 s without.) Threads that do this at the same time never leave it off: whoever found it on turns it on
    again.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > MANY and gc.get_freeze_count() == 0:
            # All that is young counts as old from here on: it is not gone through just because there is so much of it.
            # (Not for fewer objects: what is garbage among them would stay until all is collected.)
            gc.freeze()
            gc.unfreeze()
        gc.enable()
