"""A slow, plain recogniser for grammars of ffgrammar.grammar.ir: Earley on sets of lexemes, derivatives for each.

It is the definition of the language (docs/lexing.md) as a program that is written to be read:

- At each point the lexer runs on the lexemes that the parser allows there, and the skip lexemes.
- It goes on as long as the next byte keeps any of them alive. When it does not, the lexeme ends, and all the lexemes
  that match exactly the bytes so far go to the parser together. There is no going back to a shorter match.
- As soon as a lazy lexeme matches, the lexeme ends right there.
- A skip lexeme leaves the parser where it is. When the same bytes are also another lexeme, both outcomes are kept.
- With single_skip, a skip lexeme may not directly follow another one.
- With skips_in, a skip may stand inside the productions of some nonterminals only. Where it stands, what began with
  other productions does not go on.
- A word (`GrammarIR.words`) may begin with any lexeme, but is never given to the parser. Where only words go on,
  nothing does.
- Some lexemes are special tokens (`Lexeme.tokens`). They have no bytes. Such a token ends the current lexeme, as the
  end of the text does, and then goes to the parser as all the lexemes that it is.
- A lexeme never matches the empty text. Where its expression does, the parser may go past it without reading anything.

Productions that derive no text at all are dropped first: they would allow lexemes that lead nowhere.

Nothing here imports the engine. Expressions are ids in grammar.store, which must offer `derivative(id, byte)`,
`is_nullable(id)` and `is_nothing(id)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

__all__ = ["Column", "Recogniser", "State"]


class Column:
    """The Earley items of one place in the text: (production number, dot, column where the production began).

    Columns are compared by identity: a column stands for one place in one text. A row of the engine may stand for many.
    """

    def __init__(self) -> None:
        self.items: set[tuple[int, int, Column]] = set()


class State(NamedTuple):
    """What the recogniser remembers of a text.

    Attributes:
        frontier: columns the parser may be in, each with whether a skip lexeme came last (only kept for single_skip).
        live: (lexeme number, expression of what may still follow in it). Before the first byte of a lexeme, these are
            the whole expressions.
        running: whether the current lexeme has at least one byte.
    """

    frontier: frozenset[tuple[Column, bool]]
    live: frozenset[tuple[int, int]]
    running: bool


class Recogniser:
    """Recognises the sentences of one grammar, byte by byte. States may be kept and continued in many ways.

    Many texts lead to equal states, so what was found out about a state is kept.
    """

    def __init__(self, grammar: Any) -> None:
        self.grammar = grammar
        self.store = grammar.store
        self._nothing: dict[int, bool] = {}
        self._completable: dict[State, bool] = {}
        self._shifts: dict[tuple[frozenset[tuple[Column, bool]], frozenset[int]], frozenset[tuple[Column, bool]]] = {}
        self._after_skips: dict[tuple[Column, frozenset[int]], Column] = {}
        self._steps: dict[tuple[State, int], State | None] = {}
        self._allowed_at: dict[frozenset[tuple[Column, bool]], frozenset[tuple[int, int]]] = {}
        self._right_sides = [tuple(rhs) for _, rhs in grammar.productions]
        self._all_skips = frozenset(number for number, lexeme in enumerate(grammar.lexemes) if lexeme.skip)
        self._first_word = len(grammar.lexemes) - grammar.words
        self._by_lhs = self._useful_productions()
        first = Column()
        self.first = first
        for number in self._by_lhs.get(grammar.start >> 1, ()):
            first.items.add((number, 0, first))
        self._close(first)
        frontier = frozenset([(first, False)]) if first.items else frozenset()
        self.start = State(frontier, self._allowed(frontier), False)

    # What tests ask

    def accepts(self, text: bytes) -> bool:
        """Whether the text is a sentence."""
        state = self.run(text)
        return state is not None and self.is_sentence(state)

    def next_bytes(self, prefix: bytes) -> tuple[set[int], bool]:
        """The bytes that may follow the prefix, and whether the prefix is a sentence.

        Here a byte may follow if the lexer and the parser go on with it. Every sentence needs that, but it does not
        show that a sentence exists: a lexeme may run on over bytes that only the next lexeme could have accepted. See
        `is_completable`.
        """
        state = self.run(prefix)
        if state is None:
            return set(), False
        return self.bytes_after(state), self.is_sentence(state)

    def is_completable(self, prefix: bytes, max_states: int = 10_000) -> bool | None:
        """Whether some sentence begins with the prefix; None if the search met too many states to tell."""
        state = self.run(prefix)
        return False if state is None else self.completable(state, max_states=max_states)

    # One step at a time

    def run(self, text: bytes, state: State | None = None) -> State | None:
        """The state after the text, or None if some byte of it cannot follow."""
        now: State | None = self.start if state is None else state
        for byte in text:
            if now is None:
                return None
            now = self.step(now, byte)
        return now

    def step(self, state: State, byte: int) -> State | None:
        """The state after one more byte, or None."""
        key = (state, byte)
        if key not in self._steps:
            self._steps[key] = self._step(state, byte)
        return self._steps[key]

    def _step(self, state: State, byte: int) -> State | None:
        frontier = state.frontier
        moved = self._advance(state.live, byte)
        if not moved:
            if not state.running:
                return None
            frontier = self._shift(frontier, self._matched(state.live))
            moved = self._advance(self._allowed(frontier), byte)
            if not moved:
                return None
        if all(lexeme >= self._first_word for lexeme, _ in moved):
            return None
        matched = self._matched(moved)
        if any(self.grammar.lexemes[lexeme].lazy for lexeme in matched):
            frontier = self._shift(frontier, matched)
            return State(frontier, self._allowed(frontier), False)
        return State(frontier, moved, True)

    def step_token(self, state: State, token: int) -> State | None:
        """The state after a special token, or None."""
        frontier = state.frontier
        if state.running:
            frontier = self._shift(frontier, self._matched(state.live))
        lexemes = [lexeme for lexeme, _ in self._allowed(frontier) if token in self.grammar.lexemes[lexeme].tokens]
        if not lexemes:
            return None
        frontier = self._shift(frontier, frozenset(lexemes))
        return State(frontier, self._allowed(frontier), False)

    def tokens_after(self, state: State) -> set[int]:
        """The special tokens with which the parser goes on."""
        named = {token for lexeme in self.grammar.lexemes for token in lexeme.tokens}
        return {token for token in named if self.step_token(state, token) is not None}

    def bytes_after(self, state: State) -> set[int]:
        """The bytes with which the lexer and the parser go on."""
        return {byte for byte in range(256) if self.step(state, byte) is not None}

    def is_sentence(self, state: State) -> bool:
        """Whether the text so far is a sentence."""
        frontier = state.frontier
        if state.running:
            frontier = self._shift(frontier, self._matched(state.live))
        start = self.grammar.start >> 1
        return any(
            origin is self.first and self.grammar.productions[number][0] == start and dot == len(self._rhs(number))
            for column, _ in frontier
            for number, dot, origin in column.items
        )

    def completable(
        self, state: State, *, alphabet: Iterable[int] = range(256), max_states: int = 10_000
    ) -> bool | None:
        """Whether a sentence can be reached. All texts over the alphabet and the special tokens are tried, but each
        state only once.

        None if more than max_states states were met and the search did not come to an end.
        """
        seen = layer = {state}
        while layer:
            if any(self._completable.get(one) or self.is_sentence(one) for one in layer):
                self._completable[state] = True
                return True
            if len(seen) > max_states:
                return None
            stepped = {self.step(one, byte) for one in layer for byte in alphabet}
            stepped |= {self.step_token(one, token) for one in layer for token in self.tokens_after(one)}
            layer = {one for one in stepped if one is not None and self._completable.get(one) is not False} - seen
            seen = seen | layer
        self._completable.update(dict.fromkeys(seen, False))
        return False

    # Lexer

    def _advance(self, live: frozenset[tuple[int, int]], byte: int) -> frozenset[tuple[int, int]]:
        moved = ((lexeme, self.store.derivative(expr, byte)) for lexeme, expr in live)
        return frozenset((lexeme, expr) for lexeme, expr in moved if not self._is_nothing(expr))

    def _matched(self, live: frozenset[tuple[int, int]]) -> frozenset[int]:
        return frozenset(lexeme for lexeme, expr in live if lexeme < self._first_word and self.store.is_nullable(expr))

    def _is_nothing(self, expr: int) -> bool:
        if expr not in self._nothing:
            self._nothing[expr] = self.store.is_nothing(expr)
        return self._nothing[expr]

    def _may_be_empty(self, lexeme: int) -> bool:
        return bool(self.store.is_nullable(self.grammar.lexemes[lexeme].expr))

    def _allowed(self, frontier: frozenset[tuple[Column, bool]]) -> frozenset[tuple[int, int]]:
        """The lexemes that may begin here, with their whole expressions."""
        if frontier not in self._allowed_at:
            self._allowed_at[frontier] = self._find_allowed(frontier)
        return self._allowed_at[frontier]

    def _find_allowed(self, frontier: frozenset[tuple[Column, bool]]) -> frozenset[tuple[int, int]]:
        lexemes = self.grammar.lexemes
        symbols = {
            self._rhs(number)[dot]
            for column, _ in frontier
            for number, dot, _ in column.items
            if dot < len(self._rhs(number))
        }
        numbers = {symbol >> 1 for symbol in symbols if not symbol & 1}
        for column, skipped in frontier:
            if not skipped:
                numbers |= self._skips(column)
        if numbers:
            numbers |= set(range(self._first_word, len(lexemes)))
        return frozenset((number, lexemes[number].expr) for number in numbers)

    # Parser

    def _rhs(self, number: int) -> tuple[int, ...]:
        return self._right_sides[number]

    def _shift(
        self, frontier: frozenset[tuple[Column, bool]], matched: frozenset[int]
    ) -> frozenset[tuple[Column, bool]]:
        """The places where the parser may be after one of these lexemes, which all match the same bytes."""
        key = (frontier, matched)
        if key not in self._shifts:
            after: set[tuple[Column, bool]] = set()
            skips = frozenset(lexeme for lexeme in matched if self.grammar.lexemes[lexeme].skip)
            for column, skipped in frontier:
                if not skipped and skips & self._skips(column):
                    after.add((self._after_skip(column, skips), self.grammar.single_skip))
            scanned = Column()
            for column, _ in frontier:
                for number, dot, origin in column.items:
                    rhs = self._rhs(number)
                    if dot < len(rhs) and not rhs[dot] & 1 and rhs[dot] >> 1 in matched:
                        scanned.items.add((number, dot + 1, origin))
            if scanned.items:
                self._close(scanned)
                after.add((scanned, False))
            self._shifts[key] = frozenset(after)
        return self._shifts[key]

    def _begun(self, column: Column) -> Iterator[tuple[tuple[int, int, Column], frozenset[int]]]:
        """The items of a column that began before it and go on, or are the whole text; each with its skips."""
        for number, dot, origin in column.items:
            lhs = self.grammar.productions[number][0]
            whole = origin is self.first and lhs == self.grammar.start >> 1
            if origin is not column and (dot < len(self._rhs(number)) or whole):
                yield (number, dot, origin), self.grammar.skips_in[lhs]

    def _skips(self, column: Column) -> frozenset[int]:
        """The skip lexemes that may stand in a column."""
        if not self.grammar.skips_in:
            return self._all_skips
        return frozenset().union(*(skips for _, skips in self._begun(column)))

    def _after_skip(self, column: Column, skips: frozenset[int]) -> Column:
        """The column after one of these skips in a column."""
        if not self.grammar.skips_in or all(skips & allowed for _, allowed in self._begun(column)):
            return column
        key = (column, skips)
        if key not in self._after_skips:
            kept = self._after_skips[key] = Column()
            kept.items = {item for item, allowed in self._begun(column) if skips & allowed}
            self._close(kept)
        return self._after_skips[key]

    def _close(self, column: Column) -> None:
        """Predict and complete until nothing is new. Each round goes over all items, so nullable rules come right."""
        grown = True
        while grown:
            new: set[tuple[int, int, Column]] = set()
            for number, dot, origin in column.items:
                rhs = self._rhs(number)
                if dot == len(rhs):
                    done = self.grammar.productions[number][0]
                    for number2, dot2, origin2 in origin.items:
                        rhs2 = self._rhs(number2)
                        if dot2 < len(rhs2) and rhs2[dot2] == 2 * done + 1:
                            new.add((number2, dot2 + 1, origin2))
                elif rhs[dot] & 1:
                    new |= {(number2, 0, column) for number2 in self._by_lhs.get(rhs[dot] >> 1, ())}
                elif self._may_be_empty(rhs[dot] >> 1):
                    new.add((number, dot + 1, origin))
            grown = not new <= column.items
            column.items |= new

    def _useful_productions(self) -> dict[int, list[int]]:
        """Numbers of the productions that derive some text, by left-hand side."""
        productive: set[int] = {
            2 * number
            for number, lexeme in enumerate(self.grammar.lexemes)
            if lexeme.tokens or not self._is_nothing(lexeme.expr)
        }
        before = -1
        while before != len(productive):
            before = len(productive)
            for lhs, rhs in self.grammar.productions:
                if all(symbol in productive for symbol in rhs):
                    productive.add(2 * lhs + 1)
        useful: dict[int, list[int]] = {}
        for number, (lhs, rhs) in enumerate(self.grammar.productions):
            if all(symbol in productive for symbol in rhs):
                useful.setdefault(lhs, []).append(number)
        return useful
