from ffgrammar.engine.captures.text import Special
from ffgrammar.engine.engine import Engine

class Place:
    start: int
    reading: list[tuple[int, bytes, bool, list[int]]]
    expected: list[tuple[int, bytes, list[int]]]
    next_bytes: bytes
    reason: str
    fitting: int

def lexemes_at(engine: Engine, generation: int, row: int, state: int) -> list[tuple[int, bool, list[int]]]: ...
def find_place(engine: Engine, text: bytes, special: list[Special], more: bytes) -> Place: ...
