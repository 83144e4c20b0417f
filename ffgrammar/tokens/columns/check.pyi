from typing import Any

from ffgrammar.tokens.tokenizer import Tokenizer

YES: int
NO: int
NONE: int
BAD_ID: int
ASK: int

class ColumnCheck:
    """Checks columns of token ids."""

    def __init__(self, tok: Tokenizer) -> None: ...
    def rows(self, offsets: Any, ids: Any, skipped: Any) -> tuple[Any, Any, Any, Any]: ...
    def spelled(self, offsets: Any, ids: Any, skipped: Any, text_offsets: Any, texts: Any) -> Any: ...

def check_offsets(offsets: Any, rows: int, values: int) -> None: ...
