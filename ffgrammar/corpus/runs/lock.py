"""One run at a time works in a folder of results.

Two runs would do the same parts, and each would remove the files that the other has not finished. The lock is one of
the kernel: it ends with the process that holds it, also if that is killed. Worker processes do not hold it. One that
outlives a killed run ends with its part, and writes what the next run would write.
"""

from __future__ import annotations

import errno
import fcntl
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LOCK", "lock_folder"]

# The file that is locked. It stays: were it removed, two runs could lock two files of this name.
LOCK = "lock"
# What file systems say that have no locks.
HAS_NONE = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)


@contextmanager
def lock_folder(folder: str) -> Iterator[None]:
    """Keep other runs out of a folder, which is made if it is not there.

    Raises:
        BlockingIOError: another run works in the folder.
        OSError: the folder cannot be written.
    """
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, LOCK), "ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = "another run is at work in this folder; wait until it ends, or choose another folder"
            raise BlockingIOError(errno.EWOULDBLOCK, message, folder) from None
        except OSError as error:
            if error.errno not in HAS_NONE:
                raise
            warnings.warn(f"{folder}: its file system has no locks; start no second run there", stacklevel=3)
        yield
