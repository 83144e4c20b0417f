from ffgrammar.tokens.bpe.merges import Merges

class TokenMasks:
    """Masks by token."""

    @property
    def max_bytes(self) -> int: ...
    def __init__(self, merges: Merges, max_bytes: int = ...) -> None: ...
