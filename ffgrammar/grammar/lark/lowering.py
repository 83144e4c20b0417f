# cython: language_level=3
"""From the definitions of a Lark text to a grammar.

A rule becomes a nonterminal, and a terminal becomes a lexeme. Inner alternatives and repeats of a rule become
nonterminals of their own. Strings that are alternatives of each other become one lexeme, a trie. So a rule with
thousands of keywords costs one lexeme.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import replace

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.indentation import Marks, with_columns
from ffgrammar.grammar.ir import MAX_SCOPED_SKIPS, GrammarIR, Lexeme
from ffgrammar.grammar.lark.indenter import Indenter, read_indenter
from ffgrammar.grammar.lark.inline_json import InlineJSON
from ffgrammar.grammar.lark.reader import read
from ffgrammar.grammar.lark.source import Definition, Op, Source, did_you_mean, error_at, place, popped
from ffgrammar.grammar.lark.special import special_ids
from ffgrammar.grammar.lark.terminals import Terminals
from ffgrammar.grammar.lexing import end_anywhere, first_matches
from ffgrammar.grammar.productive import productive
from ffgrammar.regex.expr.store import ExprStore

__all__ = ["build"]

# When strings are fused to one lexeme, at most this many of them are shown in its name.
_SHOWN = 5

# An alternative of a rule: symbols; or a single string, which may be fused with other strings.
_Alternative = tuple[int, ...] | str


def build(
    text: str,
    store: ExprStore,
    limits: Limits,
    *,
    start: str = "start",
    lexing: str = "longest",
    special_tokens: Mapping[str, int] | None = None,
) -> GrammarIR:
    """The grammar of a Lark text.

    Args:
        text: rules, terminals, %ignore and %import common in Lark's notation. A terminal may have `[lazy]` after its
            name, and its body may have `&` (both sides match) and a prefix `~` (all other texts). Rules may have
            special tokens (special.py) and schemas (inline_json.py). Rules and terminals may have quotations
            (substrings.py).
        store: where expressions are made.
        limits: bounds on the cost of the grammar.
        start: the rule or terminal that a whole sentence matches.
        lexing: "longest" ends a terminal at its longest match; "any" at any of its matches.
        special_tokens: the ids of the tokenizer's special tokens by name. None for none.

    Raises:
        GrammarError: the Lark text or a schema in it is malformed (`line` and `column` say where), `start` is not
            defined, no text matches `start`, or there is no special token of a name.
        UnsupportedError: the Lark text has something that is not supported, such as templates, %declare, %extend,
            %override, look-around, anchors, ids of tokens that are not special, or a schema whose items or keys must be
            compared.
        LimitError: the Lark text is too long or nested too deep, or has too many productions; or an expression of it
            reached a bound.
    """
    return _Lowering(read(text, limits), store, limits, lexing == "any", special_tokens or {}).grammar(start)


class _Lowering:
    def __init__(
        self, source: Source, store: ExprStore, limits: Limits, anywhere: bool, special_tokens: Mapping[str, int]
    ) -> None:
        self.source = source
        self.anywhere = anywhere
        self.special_tokens = special_tokens
        self.store = store
        self.limits = limits
        self.builder = GrammarBuilder(store, limits)
        self.terminals = Terminals(source, store, limits)
        self.rules: dict[str, int] = {}
        self.schemas = InlineJSON(source.text, self.builder)
        # The lexemes of rules: by symbol, the expression and whether it is lazy. And the symbols of those of %ignore,
        # if they stand after each lexeme.
        self.lexemes: dict[int, tuple[int, bool]] = {}
        self.skips: list[int] = []
        self.has_schemas = any(op.code == "json" for rule in source.rules.values() for op in rule.body)
        # What follows each lexeme: the lexemes of %ignore, if they must not stand inside JSON values too.
        self.after: int | None = None
        self.indenter = read_indenter(source)
        # The symbols of the marks of the %indenter, by name. They have no text, so they are nonterminals.
        self.marks: dict[str, int] = {}

    def grammar(self, start: str) -> GrammarIR:
        source, builder = self.source, self.builder
        first = source.rules.get(start) or source.terminals.get(start)
        if first is None:
            hint = did_you_mean(start, [*source.rules, *source.terminals])
            raise error_at(source.text, 0, f"there is no rule {start!r} to start with{hint}")
        self.check_statements()
        for name in source.terminals:
            self.terminals.compile(name)
        for name in source.rules:
            self.rules[name] = builder.nonterminal(name)
        if self.indenter is not None:
            for name in (self.indenter.indent, self.indenter.dedent):
                self.marks[name] = builder.nonterminal(name)
        skips = [self.skip(definition) for definition in source.ignored]
        run = self.run_of(skips) if self.anywhere and skips else None
        if self.has_schemas and run is not None:
            self.after = builder.optional(builder.terminal(run, "%ignore"))
        elif self.has_schemas and skips:
            # (no skip lexemes, because these may stand anywhere)
            self.skips = [builder.terminal(expr, name, lazy=lazy) for expr, name, lazy in skips]
            self.after = builder.star(builder.choice(self.skips))
        for definition in source.rules.values():
            lhs = self.rules[definition.name]
            for alternative in self.alternatives(definition):
                builder.add(lhs, alternative)
        top = self.rules[start] if start in self.rules else self.terminal(first)
        self.schemas.lead([(expr, lazy) for expr, _, lazy in skips], list(self.lexemes.values()))
        if self.after is not None:
            top = builder.seq([self.after, top])
        elif not self.anywhere:
            for expr, name, lazy in skips:
                builder.terminal(expr, name, lazy=lazy, skip=True)
        marks = None if self.indenter is None else self.marks_of(self.indenter)
        # (spans of rules are read from a row of lexemes, in which those of different groups cannot be told apart)
        rules = 0 if self.has_schemas else len(source.rules)
        grammar = builder.finish(top, kind="lark", warnings=[*source.warnings, *self.schemas.warnings], rules=rules)
        if marks is not None:
            grammar = with_columns(grammar, marks, self.limits)
        if self.source.words:
            words = [Lexeme(self.terminals.whole(one), "%words") for one in self.source.words]
            grammar = replace(grammar, lexemes=(*grammar.lexemes, *words), words=len(words))
        if not productive(grammar)[grammar.start >> 1]:
            raise error_at(source.text, first.offset, f"no text at all matches {start}")
        if self.anywhere:
            return end_anywhere(grammar, None if self.has_schemas else run, self.limits)
        if self.has_schemas:
            # (a lexeme that a rule has, too, is more than a skip)
            numbers = [symbol >> 1 for symbol in self.skips if self.lexemes.keys().isdisjoint(self.skips)]
            return replace(grammar, groups=self.schemas.groups(grammar, numbers))
        return grammar

    def check_statements(self) -> None:
        """Refuse %indenter and %words where they cannot be enforced."""
        source = self.source
        for offset in [op.offset for op in (source.indenter,) if op] + [one.offset for one in source.words]:
            if self.anywhere or self.has_schemas:
                what = "lexing='any'" if self.anywhere else "%json in the same text"
                message = f"%indenter and %words are not supported with {what}"
                raise error_at(source.text, offset, message, UnsupportedError)
        if self.indenter is not None and len(source.ignored) >= MAX_SCOPED_SKIPS:
            message = f"at most {MAX_SCOPED_SKIPS - 1} %ignore are supported with an %indenter: join them with |"
            raise error_at(source.text, source.ignored[-1].offset, message, UnsupportedError)

    def marks_of(self, indenter: Indenter) -> Marks:
        brackets = {}
        for pair in indenter.brackets:
            opening, closing = (self.builder.plain(self.store.literal(one.encode())) for one in pair)
            brackets[opening] = closing
        newline = self.terminal(self.source.terminals[indenter.newline])
        end = self.terminal(self.source.terminals[indenter.end])
        indent, dedent = self.marks[indenter.indent], self.marks[indenter.dedent]
        return Marks(newline, indent, dedent, end, brackets, indenter.columns)

    def alternatives(self, rule: Definition) -> list[tuple[int, ...]]:
        """The right-hand sides of a rule."""
        builder = self.builder
        stack: list[_Alternative] = []
        for op in rule.body:
            code = op.code
            if code == "cat":
                parts = [self.sequence(part) for part in popped(stack, op.argument)]
                stack.append(tuple(symbol for part in parts for symbol in part))
            elif code == "alt":
                fused = self.fused(popped(stack, op.argument))
                stack.append((builder.choice([builder.seq(part) for part in fused], rule.name),))
            elif code == "rep":
                stack.append((self.repeat(builder.seq(self.sequence(stack.pop())), op, rule.name),))
            elif code == "name":
                stack.append((self.name(op),))
            elif code == "special":
                ids = special_ids(self.source.text, op, self.special_tokens)
                stack.append((self.followed(builder.special(ids, op.argument)),))
            elif code == "json":
                stack.append((self.followed(self.schemas.symbol(op)),))
            elif code == "text" and not op.argument[1]:
                stack.append(op.argument[0])
            else:
                expr = self.terminals.whole(Definition("", op.offset, (op,)))
                stack.append((self.lexeme(expr, _written(op)),))
        return self.fused(stack)

    def sequence(self, part: _Alternative) -> tuple[int, ...]:
        if isinstance(part, str):
            return (self.lexeme(self.store.literal(part.encode()), json.dumps(part)),)
        return part

    def fused(self, alternatives: list[_Alternative]) -> list[tuple[int, ...]]:
        """The right-hand sides of the alternatives. All alternatives that are a single string are fused to one lexeme.

        This does not change the language, because the parser is given all lexemes that match.
        """
        alternatives = list(dict.fromkeys(alternatives))
        strings = [part for part in alternatives if isinstance(part, str)]
        if len(strings) < 2:
            return [self.sequence(part) for part in alternatives]
        shown = [json.dumps(text) for text in itertools.islice(strings, _SHOWN)]
        if len(strings) > _SHOWN:
            shown.append("...")
        expr = self.store.literals([text.encode() for text in strings])
        rest = [part for part in alternatives if not isinstance(part, str)]
        return [*rest, (self.lexeme(expr, " | ".join(shown)),)]

    def repeat(self, symbol: int, op: Op, name: str) -> int:
        lo, hi = op.argument
        if max(lo, hi or 0) > self.limits.rules:
            line, column = place(self.source.text, op.offset)
            raise LimitError("rules", self.limits.rules, f"line {line}, column {column}: too many repetitions")
        if (lo, hi) == (0, 1):
            return self.builder.optional(symbol, name)
        return self.builder.repeat(symbol, lo, hi, name)

    def name(self, op: Op) -> int:
        if op.argument in self.rules:
            return self.rules[op.argument]
        if op.argument in self.marks:
            return self.marks[op.argument]
        terminal = self.source.terminals.get(op.argument)
        if terminal is None:
            raise self.terminals.undefined(op)
        return self.terminal(terminal)

    def terminal(self, terminal: Definition) -> int:
        return self.lexeme(self.terminals.exprs[terminal.name], terminal.name, lazy=terminal.lazy)

    def lexeme(self, expr: int, name: str, *, lazy: bool = False) -> int:
        symbol = self.builder.terminal(expr, name, lazy=lazy)
        self.lexemes[symbol] = (expr, lazy)
        return self.followed(symbol)

    def followed(self, symbol: int) -> int:
        """A symbol and what %ignore skips after it, unless the engine itself skips it."""
        return symbol if self.after is None else self.builder.seq([symbol, self.after])

    def skip(self, definition: Definition) -> tuple[int, str, bool]:
        """The expression of an %ignore, its name, and whether it is lazy."""
        alone = definition.body[0] if len(definition.body) == 1 else None
        terminal = self.source.terminals.get(alone.argument) if alone is not None and alone.code == "name" else None
        lazy = terminal is not None and terminal.lazy
        name = "%ignore" if terminal is None else terminal.name
        return self.terminals.exprs[name] if lazy else self.terminals.whole(definition), name, lazy

    def run_of(self, skips: list[tuple[int, str, bool]]) -> int:
        """The expression of one or more skips, one after another."""
        store = self.store
        one = store.union([first_matches(store, expr) if lazy else expr for expr, _, lazy in skips])
        return store.repeat(one, 1, None)


def _written(op: Op) -> str:
    """A literal for messages, nearly as it was written."""
    if op.code == "regex":
        pattern, flags = op.argument
        return f"/{pattern}/{flags}"
    if op.code == "pieces":
        return "%regex"
    if op.code == "range":
        return f"{json.dumps(chr(op.argument[0]))}..{json.dumps(chr(op.argument[1]))}"
    return json.dumps(op.argument[0]) + "i"
