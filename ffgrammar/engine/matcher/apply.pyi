from collections.abc import Iterable
from typing import Any

# logits: a float array of numpy's or a torch tensor; bitmask: an int32 numpy array, or a torch tensor on the CPU
def apply_bitmask(logits: Any, bitmask: Any, indices: Iterable[int] | None = None) -> None: ...
