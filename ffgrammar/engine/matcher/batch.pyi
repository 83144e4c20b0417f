from collections.abc import Iterable
from typing import Any

from ffgrammar.engine.matcher.matcher import Matcher

# bitmask: an int32 numpy array, or a torch tensor on the CPU
def fill_bitmask(
    matchers: Iterable[Matcher], bitmask: Any, indices: Iterable[int] | None = None, *, threads: int | None = None
) -> None: ...
def fill_draft_bitmasks(
    matchers: Iterable[Matcher],
    drafts: Iterable[Iterable[int]],
    bitmask: Any,
    indices: Iterable[int] | None = None,
    *,
    threads: int | None = None,
) -> list[int]: ...
