"""Whether a file is still the one that was read.

    before = identify([path])
    ...
    identify([path]) == before

A file is known by the device, the inode, the size, and two times: of the last change of the content (`mtime`) and of
any change (`ctime`). The kernel itself sets `ctime`, so no program can change a file and leave all five as they were.
One exception remains: two changes within one tick of the clock. `is_settled` says whether it can be excluded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

__all__ = ["Identity", "identify", "is_settled"]

Identity = tuple[int, ...] | None
# If the last change of a file is older than this, a change that is made now has another time.
SETTLED_NS = 2_000_000_000


def identify(paths: Sequence[str]) -> list[Identity]:
    """For each file, numbers that change whenever its content does; None if there is no such file."""
    found: list[Identity] = []
    for path in paths:
        try:
            one = os.stat(path)
        except (OSError, ValueError):
            found.append(None)
        else:
            found.append((one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns))
    return found


def is_settled(files: Sequence[Identity]) -> bool:
    """Whether a change of these files from now on would give them other identities."""
    now = time.time_ns()
    return all(one is None or max(one[3:]) + SETTLED_NS < now for one in files)
