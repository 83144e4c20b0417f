from collections.abc import Iterable

from ffgrammar.engine.engine import Engine
from ffgrammar.engine.matcher.matcher import Matcher

class CanonicalMatcher(Matcher):
    canonical: bool
    prompt_tokens: tuple[int, ...]
    def __init__(self, engine: Engine, canonical: bool, prompt: str | bytes | Iterable[int] | None) -> None: ...
    @property
    def prompt_rest(self) -> bytes: ...
    def fork(self) -> CanonicalMatcher: ...
