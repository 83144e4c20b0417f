from collections.abc import Set

from ffgrammar.engine.captures.capture import Capture
from ffgrammar.engine.captures.text import Special
from ffgrammar.engine.engine import Engine

class RuleReader:
    def __init__(self, engine: Engine) -> None: ...
    def copy(self) -> RuleReader: ...
    def read(self, text: bytes, special: list[Special], ended: bool, names: Set[str] | None) -> list[Capture]: ...
