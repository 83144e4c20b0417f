"""One run at a time works in a folder of results.

Two runs would do the same parts, and each would remove the files that the other has not finished. The kernel keeps the
lock, and drops it when the process that holds it ends or is killed. Worker processes do not hold it. One that outlives
a killed run ends after its part, and writes the same bytes as the next run.
"""

from __future__ import annotations

import errno
import fcntl
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LOCK", "lock_folder"]

# The file that is locked. It is never removed: if it were, two runs could each lock a file of this name.
LOCK = "lock"
# The errors of file systems that have no locks.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)


@contextmanager
def lock_folder(folder: str) -> Iterator[None]:
    """Keep other runs out of a folder. The folder is made if it is not there.

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
            if error.errno not in NO_LOCKS:
                raise
            warnings.warn(f"{folder}: its file system has no locks; start no second run there", stacklevel=4)
        yield
