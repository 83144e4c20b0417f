from collections.abc import Callable, Hashable

from ffgrammar.regex.expr.store import ExprStore

OVERHEAD: int

class ExprCache:
    def __init__(self, max_bytes: int) -> None: ...
    def get(self, store: ExprStore, key: Hashable, make: Callable[[], int]) -> int: ...
