from typing import Any

from ffgrammar.tokens.tokenizer import Tokenizer

class ColumnEncoder:
    """Encodes columns of texts."""

    def __init__(self, tok: Tokenizer) -> None: ...
    def rows(self, offsets: Any, data: Any, skipped: Any) -> tuple[Any, Any, dict[int, str]]: ...
