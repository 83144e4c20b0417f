"""JSON Schemas inside rules: `%json {...}`.

The lexemes of JSON values are in a group of their own. So they compete for the longest text among themselves, and the
terminals of the Lark text do so among themselves. What %ignore skips may stand before and after a value. Inside it, the
whitespace of JSON may stand.
"""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.core.errors import GrammarError, LimitError, UnsupportedError
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.edges import first_bytes, following_lexemes, next_bytes
from ffgrammar.grammar.grammar_edges import grammar_edges
from ffgrammar.grammar.ir import VALUE_GOES_ON, GrammarIR, LexemeGroup
from ffgrammar.grammar.lark.source import Op
from ffgrammar.grammar.lark.texts import Texts, error_at
from ffgrammar.grammar.nullable import nullable_symbols

__all__ = ["InlineJSON"]

# The group of the lexemes of JSON values. The terminals of the Lark text are in group 0.
GROUP = 1


class InlineJSON:
    """The schemas in a Lark text.

    Args:
        texts: where they stand.
        builder: where their productions are added.

    Attributes:
        warnings: those of the schemas, with the places of the schemas in the text.
    """

    def __init__(self, texts: Texts, builder: GrammarBuilder) -> None:
        self.texts = texts
        self.builder = builder
        self.warnings: list[str] = []
        self._symbols: dict[str, int] = {}
        # The lexemes of white space around values: their expressions by their numbers.
        self._blanks: dict[int, int] = {}
        # The white space before values: nonterminals, for which `lead` adds the productions, and what they may derive.
        self._leads: list[tuple[int, int]] = []
        # The bytes with which values begin, and those with which values may go on after their ends.
        self._first = 0
        self._going_on = 0

    def symbol(self, op: Op) -> int:
        """The symbol of the JSON texts whose value is valid under a schema. Equal schemas are one.

        Args:
            op: the step with the schema as it is written.

        Raises:
            GrammarError: the schema is malformed, or nothing satisfies it (`line` and `column` say where, and
                `pointer` where in the schema).
            UnsupportedError: a keyword cannot be enforced exactly here.
            LimitError: a bound was reached.
        """
        found = self._symbols.get(op.argument)
        if found is None:
            found = self._symbols[op.argument] = self._embedded(self._grammar(op))
        return found

    def _grammar(self, op: Op) -> GrammarIR:
        # (most Lark texts have no schema, and the front-end for schemas takes time to import)
        from ffgrammar.grammar import json_schema

        try:
            grammar = json_schema.build(op.argument, self.builder.store, self.builder.limits)
        except GrammarError as error:
            raise _placed(self.texts, op, error) from error
        except LimitError as error:
            inner = f"{error.where} of the schema " if error.where else "in the schema "
            where = f"{inner}at {self.texts.told(op.offset)}"
            raise LimitError(error.limit, error.value, error.detail, where, error.advice) from error
        if grammar.checks:
            message = "a schema with uniqueItems, or with keys that must not come twice, cannot stand in a Lark text"
            raise error_at(self.texts, op.offset, message, UnsupportedError)
        self.warnings += [f"{self.texts.told(op.offset)}: {warning}" for warning in grammar.warnings]
        return grammar

    def _embedded(self, grammar: GrammarIR) -> int:
        builder, store = self.builder, self.builder.store
        symbols = [
            builder.terminal(lexeme.expr, lexeme.name, lazy=lexeme.lazy, opens=lexeme.opens, group=GROUP)
            for lexeme in grammar.lexemes
        ]
        for symbol, lexeme in zip(symbols, grammar.lexemes, strict=True):
            if lexeme.skip:
                self._blanks[symbol >> 1] = lexeme.expr
        after = builder.skips_of(grammar, symbols)
        start = builder.embed(grammar, symbols, after)
        edges = grammar_edges(grammar, grammar.lexemes, store)
        for number in edges.first:
            self._first |= first_bytes(store, grammar.lexemes[number].expr)
        self._going_on |= next_bytes(store, edges.ended, edges.ended) & VALUE_GOES_ON
        if after is None:
            return start
        self._leads.append((builder.nonterminal("blank"), after))
        return builder.seq([self._leads[-1][0], start])

    def lead(self, skips: Sequence[tuple[int, bool]], terminals: Sequence[tuple[int, bool]]) -> None:
        """Add the productions for white space before values. It is called when all terminals are known.

        If such white space is always read as a skip of the Lark text, the values need not have it, too. (A text that is
        read in two ways costs twice, as long as the value lasts.)

        Args:
            skips: what %ignore skips: expressions, and whether they are lazy.
            terminals: the same for the terminals of rules.
        """
        skipped = bool(self._leads) and self._is_skipped(skips, terminals)
        for symbol, after in self._leads:
            self.builder.add(symbol, () if skipped else (after,))

    def _is_skipped(self, skips: Sequence[tuple[int, bool]], terminals: Sequence[tuple[int, bool]]) -> bool:
        """Whether white space before a value is always one skip of the Lark text: a skip matches all of it, and nothing
        that competes with this skip goes on with a byte that begins a value, or ends it too early."""
        store = self.builder.store
        blank = store.union(sorted(set(self._blanks.values())))
        for expr, lazy in (*skips, *terminals):
            if lazy and first_bytes(store, expr) & first_bytes(store, blank):
                return False
            if next_bytes(store, blank, expr) & self._first:
                return False
        whole = [expr for expr, lazy in skips if not lazy]
        return any(store.is_nothing(store.intersect([blank, store.complement(expr)])) for expr in whole)

    def groups(self, grammar: GrammarIR, skips: Sequence[int]) -> tuple[LexemeGroup, LexemeGroup]:
        """What is promised of the terminals, and of the lexemes of values.

        Args:
            grammar: the grammar of the whole text.
            skips: the numbers of the terminals that are like skips.
        """
        store = self.builder.store
        productions, empty, empty_lexemes = nullable_symbols(grammar, grammar.lexemes, store)
        starts = [symbol >> 1 for symbol in self._symbols.values()]
        followers = set(following_lexemes(productions, starts, empty, empty_lexemes)) - set(skips) - self._blanks.keys()
        clashing = 0
        for number in followers:
            clashing |= self._going_on & first_bytes(store, grammar.lexemes[number].expr)
        terminals = LexemeGroup(skips=tuple(skips), next_first=self._first, previous_going_on=clashing)
        return terminals, LexemeGroup(delimited=True)


def _placed(texts: Texts, op: Op, error: GrammarError) -> GrammarError:
    """An error of a schema as an error of the Lark text."""
    line, column = texts.place(op.offset)
    if error.line is not None:
        column = (column if error.line == 1 else 1) + (error.column or 1) - 1
        line += error.line - 1
    excerpt = texts.excerpt(op.offset) if error.line in (None, 1) and error.column is None else None
    file = texts.file(op.offset)
    return type(error)(error.message, line=line, column=column, pointer=error.pointer, file=file, excerpt=excerpt)
