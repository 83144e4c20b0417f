# cython: language_level=3
"""From the rules of a text to a grammar.

A rule that is not recursive, and has no tokens, becomes a part of the lexemes of the rules that use it. So does one
whose recursion is a repetition (linear.py). Any other rule is a nonterminal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ffgrammar.core.errors import located
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.builder import GrammarBuilder
from ffgrammar.grammar.gbnf.dialects import DIALECTS
from ffgrammar.grammar.gbnf.dispatch import dispatch
from ffgrammar.grammar.gbnf.linear import linear
from ffgrammar.grammar.gbnf.order import components, uses
from ffgrammar.grammar.gbnf.parts import Excluded, Part, Parts
from ffgrammar.grammar.gbnf.reader import read
from ffgrammar.grammar.gbnf.source import Op, Rule, Source, error_at
from ffgrammar.grammar.gbnf.tokens import Vocabulary
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.lexing import end_anywhere
from ffgrammar.grammar.productive import productive
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.lower.lowering import UTF8
from ffgrammar.regex.syntax.charset import Charset

__all__ = ["build"]

# A rule that is one sequence of at most this many symbols stands in the rules that use it, so that its ends are parts
# of their lexemes. (Without a bound, rules that use others twice would double their lengths.)
MAX_INLINED = 6


def build(
    text: str,
    store: ExprStore,
    limits: Limits,
    *,
    dialect: str = "gbnf",
    start: str = "root",
    special_tokens: Mapping[str, int] | None = None,
    end_tokens: Collection[int] = (),
) -> GrammarIR:
    """The grammar of a text in GBNF or EBNF.

    Args:
        text: the rules.
        store: where expressions are made.
        limits: bounds on the cost of the grammar.
        dialect: "gbnf" for the notation of llama.cpp, "ebnf" for that of xgrammar.
        start: the rule that a whole sentence matches.
        special_tokens: the ids of the tokenizer's special tokens by name. None for none.
        end_tokens: the ids that end a text.

    Raises:
        GrammarError: the text is malformed (`line` and `column` say where), a rule is not defined, no text matches
            `start`, or there is no special token of a name.
        UnsupportedError: the text has something that is not supported, such as look-ahead, options of rules, or ids of
            tokens that are not special.
        LimitError: the text is too long or nested too deep, or has too many productions; or an expression of it reached
            a bound.
    """
    source = read(text, DIALECTS[dialect], limits)
    if start not in source.rules:
        from ffgrammar.grammar.names import did_you_mean, one_of

        hint = did_you_mean(start, list(source.rules))
        rules = f"; the rules are {one_of(source.rules)}" if source.rules else "; there are no rules"
        raise error_at(text, 0, f"there is no rule {start!r} to start with{hint}{rules}; name another one with start=")
    vocabulary = Vocabulary(special_tokens or {}, end_tokens)
    return _Lowering(source, store, limits, vocabulary).grammar(start, dialect)


class _Lowering:
    def __init__(self, source: Source, store: ExprStore, limits: Limits, vocabulary: Vocabulary) -> None:
        self.source = source
        self.store = store
        self.limits = limits
        self.vocabulary = vocabulary
        self.builder = GrammarBuilder(store, limits)
        self.parts = Parts(source.text, self.builder, vocabulary)
        # What the rules that are done stand for.
        self.values: dict[str, Part] = {}
        self.charsets: dict[Charset, int] = {}

    def grammar(self, start: str, kind: str) -> GrammarIR:
        rules, builder = self.source.rules, self.builder
        for names in components(rules, start):
            if len(names) > 1:
                self.recursive(names)
            elif names[0] not in uses(rules[names[0]]):
                self.plain(rules[names[0]])
            elif not self.repetition(rules[names[0]]):
                self.recursive(names)
        value = self.values[start]
        self.parts.refuse_excluded(value)
        grammar = builder.finish(self.parts.symbol(value), kind=kind)
        if not productive(grammar)[grammar.start >> 1]:
            raise error_at(self.source.text, rules[start].offset, f"no text at all matches {start}")
        return end_anywhere(grammar, None, self.limits)

    def plain(self, rule: Rule) -> None:
        """A rule that is not recursive."""
        self.parts.name = rule.name
        stack = self.alternatives(rule)
        value = self.parts.choice(stack)
        if value.items is not None and len(value.items) > MAX_INLINED:
            symbol = self.builder.nonterminal(rule.name)
            self.builder.add(symbol, self.parts.symbols(value))
            value = Part((symbol,))
        self.values[rule.name] = value

    def repetition(self, rule: Rule) -> bool:
        """Whether a rule that uses itself is a repetition. If so, its value is known then."""

        def atom(op: Op) -> int | None:
            return self.parts.expression(self.atom(op)) if op.code in ("text", "set", "name") else None

        expr = linear(rule, self.store, atom)
        if expr is not None:
            self.values[rule.name] = self.parts.expr_part(expr)
        return expr is not None

    def recursive(self, names: list[str]) -> None:
        """Rules that use each other in a circle."""
        rules, builder = self.source.rules, self.builder
        for name in names:
            self.values[name] = Part((builder.nonterminal(name),))
        for name in names:
            self.parts.name = name
            (symbol,) = self.values[name].items or ()
            alternatives, excluded = self.parts.alternatives(self.alternatives(rules[name]))
            self.parts.refuse_excluded(Part((), None, excluded))
            for part in alternatives:
                builder.add(symbol, self.parts.symbols(part))

    def alternatives(self, rule: Rule) -> list[Part]:
        """The alternatives of a rule."""
        parts = self.parts
        stack: list[Part] = []
        last = len(rule.body) - 1
        with located(lambda: f"in the rule {rule.name}"):
            for number, op in enumerate(rule.body):
                code = op.code
                if code == "cat" or code == "alt":
                    if code == "alt" and number == last:
                        break
                    taken = stack[len(stack) - op.argument :]
                    del stack[len(stack) - op.argument :]
                    stack.append(parts.sequence(taken) if code == "cat" else parts.choice(taken))
                elif code == "rep":
                    stack.append(parts.repeat(stack.pop(), op))
                else:
                    stack.append(self.atom(op))
        return stack

    def atom(self, op: Op) -> Part:
        code, argument = op.code, op.argument
        if code == "text":
            return self.parts.text_part(argument)
        if code == "set":
            found = self.charsets.get(argument)
            if found is None:
                found = self.charsets[argument] = UTF8.charset(self.store, argument)
            return self.parts.expr_part(found)
        if code == "name":
            value = self.values[argument]
            return (
                value if value.excluded is None else value._replace(excluded=value.excluded._replace(offset=op.offset))
            )
        if code == "dispatch":
            return dispatch(argument, op.offset, self.parts, self.values)
        ids = self.vocabulary.ids_of(argument, self.source.text, op.offset)
        if argument.negated:
            return Part(None, None, Excluded(frozenset(ids), op.offset, argument.written))
        return Part((self.builder.special(ids, argument.written),))
