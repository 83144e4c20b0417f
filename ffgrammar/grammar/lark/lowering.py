# cython: language_level=3
"""From the definitions of a Lark text to a grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.ir import MAX_SCOPED_SKIPS, GrammarIR, Lexeme, RuleNote
from ffgrammar.grammar.lark.files import Files
from ffgrammar.grammar.lark.indentation import Indentation, with_columns
from ffgrammar.grammar.lark.indenter import Indenter, read_indenter
from ffgrammar.grammar.lark.inline_json import InlineJSON
from ffgrammar.grammar.lark.reader import no_start, read
from ffgrammar.grammar.lark.rules import Rules
from ffgrammar.grammar.lark.skips import Skips
from ffgrammar.grammar.lark.source import Definition, Source
from ffgrammar.grammar.lark.terminals import Terminals
from ffgrammar.grammar.lark.texts import error_at
from ffgrammar.grammar.lexing import end_anywhere
from ffgrammar.grammar.productive import productive
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["build"]

_NO_FILES = Files()
_NO_CAPTURES = (
    "the capture has no effect, because the rules of a grammar with schemas, with an %indenter, with bounds on what is "
    "skipped, or with parameters of more than 8 bits are no captures"
)


def build(
    text: str,
    store: ExprStore,
    limits: Limits,
    *,
    start: str = "start",
    lexing: str = "longest",
    special_tokens: Mapping[str, int] | None = None,
    files: Files = _NO_FILES,
    grammars: Mapping[str, Any] | None = None,
) -> GrammarIR:
    """The grammar of a Lark text.

    Args:
        text: rules, terminals and statements in Lark's notation, with what llguidance adds to it. docs/lark.md has all
            of them.
        store: where expressions are made.
        limits: bounds on the cost of the grammar.
        start: the rule or terminal that a whole sentence matches.
        lexing: "longest" ends a terminal at its longest match; "any" at any of its matches.
        special_tokens: the ids of the tokenizer's special tokens by name. None for none.
        files: where %import finds files.
        grammars: what `@name` stands for: Lark texts, and schemas as dicts or bools.

    Raises:
        GrammarError: the Lark text or a schema in it is malformed (`line` and `column` say where), `start` is not
            defined, no text matches `start`, there is no special token of a name, or a file cannot be imported.
        UnsupportedError: the Lark text has something that cannot be enforced exactly, such as look-around, anchors, ids
            of tokens that are not special, or a schema whose items or keys must be compared.
        LimitError: the Lark text is too long or nested too deep, or has too many productions; or an expression of it
            reached a bound.
    """
    source = read(text, limits, files, grammars)
    return _Lowering(source, store, limits, lexing == "any", special_tokens or {}, start).grammar()


class _Lowering:
    def __init__(
        self,
        source: Source,
        store: ExprStore,
        limits: Limits,
        anywhere: bool,
        special_tokens: Mapping[str, int],
        start: str,
    ) -> None:
        self.source = source
        self.start = start
        self.first = self.checked_start()
        self.anywhere = anywhere
        self.limits = limits
        self.builder = GrammarBuilder(store, limits)
        self.terminals = Terminals(source, store, limits)
        self.schemas = InlineJSON(source.texts, self.builder)
        self.has_schemas = any(op.code == "json" for rule in source.rules.values() for op in rule.body)
        self.rules = Rules(source, self.builder, self.terminals, self.schemas, special_tokens, start)

    def grammar(self) -> GrammarIR:
        source, builder, rules, start = self.source, self.builder, self.rules, self.start
        indenter = read_indenter(source)
        for name in () if indenter is None else (indenter.indent, indenter.dedent):
            # (a mark has no text, so it is a nonterminal)
            rules.marks[name] = builder.nonterminal(name)
        for name in source.terminals:
            self.terminals.compile(name)
        skips = Skips(source, builder, self.terminals, self.anywhere, self.has_schemas)
        rules.add_all(skips)
        self.check_statements(skips)
        top = rules.symbols[start] if start in rules.symbols else rules.terminal(self.first)
        self.schemas.lead([(one.expr, one.lazy) for one in skips.whole], list(rules.lexemes.values()))
        top = skips.lead(top, 0)
        if not skips.written and not self.anywhere:
            for one in skips.whole:
                builder.terminal(one.expr, one.name, lazy=one.lazy, skip=True)
        marks = None if indenter is None else self.marks(indenter)
        grammar = builder.finish(
            top,
            kind="lark",
            warnings=[*source.warnings, *self.schemas.warnings, *self.lost_captures(skips)],
            # (spans of rules are read from a row of lexemes, in which those of different groups cannot be told apart)
            rules=0 if skips.written or rules.has_families else len(rules.symbols),
            notes=self.notes(),
        )
        if marks is not None:
            grammar = with_columns(grammar, marks, self.limits, self.wrong_rule)
        if source.words:
            words = [Lexeme(self.terminals.whole(one), "%words") for one in source.words]
            grammar = replace(grammar, lexemes=(*grammar.lexemes, *words), words=len(words))
        self.check_productive(grammar)
        if self.anywhere:
            return end_anywhere(grammar, None if skips.written else skips.run, self.limits)
        if self.has_schemas:
            # (a lexeme that a rule has, too, is more than a skip)
            alone = skips.are_repeated and rules.lexemes.keys().isdisjoint(skips.lexemes)
            numbers = [symbol >> 1 for symbol in skips.lexemes if alone]
            return replace(grammar, groups=self.schemas.groups(grammar, numbers))
        return grammar

    def check_statements(self, skips: Skips) -> None:
        """Refuse %indenter and %words where they cannot be enforced."""
        source = self.source
        for offset in [op.offset for op in (source.indenter,) if op] + [one.offset for one in source.words]:
            if self.anywhere or skips.written or self.rules.has_families:
                what = "lexing='any'" if self.anywhere else "%json in the same text"
                if not self.anywhere and not self.has_schemas:
                    what = "grammars inside grammars, bounds on skips, or parameters that are sets"
                message = f"%indenter and %words are not supported with {what}"
                raise error_at(source.texts, offset, message, UnsupportedError)
        if source.indenter is not None and len(source.ignored) >= MAX_SCOPED_SKIPS:
            message = f"at most {MAX_SCOPED_SKIPS - 1} %ignore are supported with an %indenter: join them with |"
            raise error_at(source.texts, source.ignored[-1].offset, message, UnsupportedError)

    def marks(self, indenter: Indenter) -> Indentation:
        """The symbols of the marks of an %indenter."""
        terminals, store = self.source.terminals, self.builder.store
        brackets = {}
        for pair in indenter.brackets:
            opening, closing = (self.builder.plain(store.literal(one.encode())) for one in pair)
            brackets[opening] = closing
        newline, end = (self.rules.terminal(terminals[name]) for name in (indenter.newline, indenter.end))
        indent, dedent = self.rules.marks[indenter.indent], self.rules.marks[indenter.dedent]
        return Indentation(newline, indent, dedent, end, brackets, indenter.columns)

    def wrong_rule(self, name: str, message: str) -> GrammarError:
        """An error about a rule, which the caller raises."""
        definition = self.source.rules.get(name, self.first)
        return error_at(self.source.texts, definition.offset, message)

    def check_productive(self, grammar: GrammarIR) -> None:
        """Refuse a grammar that matches nothing, or a family with an alternative that matches nothing."""
        source = self.source
        found = productive(grammar)
        if not found[grammar.start >> 1]:
            raise error_at(source.texts, self.first.offset, f"no text at all matches {self.start}")
        for one in grammar.templates:
            # (the alternative may be the only one that sets a bit: families.py)
            if not all(found[symbol >> 1] for symbol in one.rhs if symbol & 1):
                name = grammar.names[one.head]
                raise self.wrong_rule(name, f"an alternative of {name} matches nothing")

    def checked_start(self) -> Definition:
        """The definition of the start."""
        start = self.start
        first = self.source.rules.get(start) or self.source.terminals.get(start)
        if first is None:
            raise error_at(self.source.texts, 0, f"there is {no_start(self.source, start)}")
        if not first.is_plain:
            message = f"{start} takes arguments, so a text cannot start with it: write a rule that uses it"
            raise error_at(self.source.texts, first.offset, message)
        if first.attributes is not None and first.attributes.stop is not None:
            message = f"{start} cannot end before its stop: write suffix= in place of stop="
            raise error_at(self.source.texts, first.attributes.offset, message)
        return first

    def notes(self) -> list[RuleNote]:
        """What is to be known of rules beside their texts."""
        found = []
        for number, name in enumerate(self.rules.symbols):
            attributes = self.source.rules[name].attributes
            if attributes is not None:
                hidden = self.rules.hidden.get(name, 0)
                found.append(RuleNote(number, hidden, attributes.stop_capture or "", attributes.temperature))
        return [one for one in found if one != RuleNote(one.rule)]

    def lost_captures(self, skips: Skips) -> list[str]:
        """A warning about the first rule that asks for captures which it cannot have."""
        if skips.written or self.rules.has_families or self.source.indenter is not None:
            for rule in self.source.rules.values():
                if rule.attributes is not None and (rule.attributes.capture or rule.attributes.stop_capture):
                    return [f"{self.source.texts.told(rule.attributes.offset)}: {_NO_CAPTURES}"]
        return []
