from typing import Any

from ffgrammar.engine.engine import Engine
from ffgrammar.tokens.canonical.rules import CanonicalRules

def forced_column(
    engine: Engine, rules: CanonicalRules, offsets: Any, ids: Any, skipped: Any
) -> tuple[Any, Any, Any, dict[int, str]]: ...
