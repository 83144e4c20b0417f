"""The engines of the leaves of a composition. Each is made when a text first reaches its leaf, for all matchers."""

from __future__ import annotations

from ffgrammar.engine.engine import Engine
from ffgrammar.grammar.part_grammar import PartGrammars

__all__ = ["LeafEngines"]


class LeafEngines:
    """Finds the engines of leaves.

    Args:
        engine: the engine of a grammar with an outline.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._grammars: PartGrammars | None = None

    def of(self, symbol: int) -> Engine:
        """The engine of what a symbol derives.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        engine = self._engine
        found = engine.leaf_engines.get(symbol)
        if found is not None:
            return found
        if self._grammars is None:
            assert engine.outlined is not None
            self._grammars = PartGrammars(engine.outlined)
        grammars = self._grammars
        grammar = engine.paused(lambda: grammars.of(symbol, engine.limits))
        return engine.leaf_engines.setdefault(symbol, Engine(grammar, engine.tokenizer, engine.limits))
