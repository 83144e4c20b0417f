# cython: language_level=3, nonecheck=True
"""From shapes to symbols of the grammar. Equal parts of a schema become one symbol.

A conjunction that is reached again while its own symbol is being made is recursive, and gets a nonterminal. A
conjunction that is nested very deep gets a nonterminal, too. The production of this nonterminal is made when all other
symbols are done, so that emitting never recurses far.
"""

from __future__ import annotations

from ffgrammar.core.errors import located
from ffgrammar.core.limits import Limits
from ffgrammar.core.turn import turn
from ffgrammar.grammar.json_schema.documents.conjunctions import Conj
from ffgrammar.grammar.json_schema.emit.any_value import any_value
from ffgrammar.grammar.json_schema.emit.array_style import ArrayStyle
from ffgrammar.grammar.json_schema.emit.arrays import array_symbol
from ffgrammar.grammar.json_schema.emit.chains import Chains
from ffgrammar.grammar.json_schema.emit.objects import object_symbol
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.normalize.normalizer import Normalizer
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import ARR, BOOLS, NULL, NUM, OBJ, STR, TRUE, TYPES
from ffgrammar.grammar.json_schema.spec.options import Options
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["Emitter"]

# A conjunction that is nested deeper than this gets a nonterminal, whose production is made later.
INLINE_DEPTH = 40


class Emitter(Symbols):
    """Makes the symbols of one grammar.

    Attributes:
        may_be_impossible: whether some nonterminal may derive nothing.
        impossible: conjunctions that no value obeys, in the order in which they were found.
    """

    def __init__(
        self, store: ExprStore, limits: Limits, normalizer: Normalizer, options: Options, keys_apart: bool
    ) -> None:
        super().__init__(store, limits, normalizer, options, keys_apart)
        self._reader = normalizer.reader
        self.may_be_impossible = False
        self.impossible: list[Conj] = []
        self._symbols: dict[Conj, int] = {}
        # by the name of a type: the symbol of schemas that say only `type`, as most subschemas of a large schema do
        self._plain: dict[str | None, int] = {}
        # the conjunctions whose symbol is being made; each with a nonterminal if it was reached again, else None
        self._open: dict[Conj, int | None] = {}
        # the conjunctions whose nonterminal has no production yet, because they are nested too deep
        self._waiting: list[Conj] = []
        # the conjunction whose symbol is being made, for messages
        self._current: Conj = ()
        # whether a symbol was made for a hole (see links.py)
        self._holed = False

    def start(self, conj: Conj) -> int:
        """The symbol of the whole schema. Makes all other symbols, too. A LimitError says for which subschema."""
        with located(self._place):
            symbol = self.symbol(conj, 0)
            chains: Chains | None = None
            while self._waiting:
                waiting = self._waiting.pop()
                nonterminal = self._symbols.pop(waiting)
                self._open[waiting] = nonterminal
                made = None
                if len(waiting) > 1:
                    # (few schemas need it)
                    chains = chains or Chains(self)
                    made = chains.symbol(waiting)
                self._close(waiting, self._make(waiting, 0) if made is None else made)
        return symbol

    def _place(self) -> str:
        at = self._current[0] if self._current else 0
        return f"at {self.subschemas.list[at].written_pointer()}"

    def symbol(self, conj: Conj, depth: int) -> int:
        """The symbol of the values that obey a conjunction."""
        found = self._symbols.get(conj)
        if found is not None:
            return found
        if conj in self._open:
            found = self._open[conj]
            if found is None:
                found = self._open[conj] = self.builder.nonterminal("value")
                self.may_be_impossible = True
            return found
        if not conj:
            found = self._symbols[conj] = any_value(self)
            return found
        plain = self._reader.plain_type(conj)
        found = self._plain.get(plain)
        if found is not None:
            self._symbols[conj] = found
            return found
        if depth > INLINE_DEPTH and plain is None:
            found = self._symbols[conj] = self.builder.nonterminal("value")
            self.may_be_impossible = True
            self._waiting.append(conj)
            return found
        self._open[conj] = None
        if plain is None:
            return self._close(conj, self._make(conj, depth))
        found = self._plain[plain] = self._close(conj, self._of_type(plain, depth))
        return found

    def derives_nothing(self, conj: Conj, productive: bytearray) -> bool:
        """Whether the symbol of a conjunction is known and derives no text, if all symbols are made; productive: which
        nonterminals derive one."""
        symbol = self._symbols.get(conj)
        return symbol is not None and (symbol == self.never or bool(symbol & 1 and not productive[symbol >> 1]))

    def with_hole(self, conj: Conj, holes: Conj, hole: int) -> int | None:
        """The symbol of a conjunction in which `hole` stands for the conjunction `holes`, whose subschemas have the
        keyword HOLE; None if a part of a value must obey some of `holes` and not others, or something else, too."""
        self._holed = False
        known, waiting = len(self._symbols), len(self._waiting)
        if holes:
            self._symbols[holes] = hole
        made = self._make(conj, 1)
        added = [self._symbols.popitem() for _ in range(len(self._symbols) - known)]
        some = set(holes)
        mixed = [one for one, _ in added if one != holes and not some.isdisjoint(one)]
        self._symbols.update([(one, symbol) for one, symbol in added if some.isdisjoint(one)])
        self._waiting[waiting:] = [one for one in self._waiting[waiting:] if some.isdisjoint(one)]
        return None if mixed or self._holed else made

    def _close(self, conj: Conj, made: int) -> int:
        nonterminal = self._open.pop(conj)
        if nonterminal is not None:
            self.builder.add(nonterminal, (made,))
            made = nonterminal
        self._symbols[conj] = made
        if not len(self._symbols) % 256:
            turn()
        return made

    def _make(self, conj: Conj, depth: int) -> int:
        symbols: list[int] = []
        # (an error leaves `_current` as it is: it says where the error is)
        around = self._current
        self._current = conj
        for shape in self.combiner.resolved_shapes(conj):
            self._holed = self._holed or shape.holed
            self._add_symbols(shape, depth, symbols)
        self._current = around
        if not symbols:
            self.impossible.append(conj)
            self.may_be_impossible = True
            return self.never
        return symbols[0] if len(symbols) == 1 else self.builder.choice(symbols, "value")

    def _of_type(self, name: str, depth: int) -> int:
        """The symbol of all values of a type. (Reading these schemas like all others costs 2% of a compilation.)"""
        shape = Shape()
        shape.types = TYPES[name]
        symbols: list[int] = []
        self._add_symbols(shape, depth, symbols)
        return symbols[0]

    def _add_symbols(self, shape: Shape, depth: int, symbols: list[int]) -> None:
        """Add a symbol for each type for which the shape has values."""
        types = shape.types
        builder = self.builder
        literal = self.store.literal
        if types & STR:
            expr = self.strings.of(shape)
            if expr:
                symbols.append(builder.plain(expr, "string"))
        if types & NUM:
            expr = self.number(shape)
            if expr:
                symbols.append(builder.plain(expr, "number"))
        if types & NULL:
            symbols.append(builder.plain(literal(b"null"), "null"))
        if types & BOOLS:
            if types & BOOLS == BOOLS:
                expr = self.store.literals([b"true", b"false"])
            else:
                expr = literal(b"true" if types & TRUE else b"false")
            symbols.append(builder.plain(expr, "boolean"))
        if types & ARR:
            if shape.unique is None and shape.repeated is None:
                found = array_symbol(ArrayStyle(self), shape, depth)
            else:
                from ffgrammar.grammar.json_schema.emit.unique import compared_array_symbol

                found = compared_array_symbol(self, shape, depth)
            if found is not None:
                symbols.append(found)
        if types & OBJ:
            found = object_symbol(self, shape, depth)
            if found is not None:
                symbols.append(found)
