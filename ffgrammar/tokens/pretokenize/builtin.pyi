BLOCK: int
BLOCKS: int

class CharClasses:
    """The class byte of every code point, as a table of two stages."""

    def __init__(self, packed: bytes) -> None: ...
    def __getitem__(self, code_point: int) -> int: ...
