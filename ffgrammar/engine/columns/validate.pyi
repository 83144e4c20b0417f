from typing import Any

from ffgrammar.engine.engine import Engine

ACCEPTED: int
REJECTED: int
ENDS_EARLY: int
NONE: int
FAILED: int

def validate_column(engine: Engine, offsets: Any, data: Any, skipped: Any) -> tuple[Any, Any, dict[int, str]]: ...
def message(engine: Engine, status: int) -> str: ...
